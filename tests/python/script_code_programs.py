"""Twenty programs, functions and modules, whose `.code` is compared with PyTorch's. `torch` is either library."""

# ruff: noqa: UP006, UP035, UP045 - as programs for TorchScript spell their types
from typing import Any, Dict, List, Optional, Tuple


def programs(torch: Any) -> dict[str, Any]:
    nn, F, Tensor = torch.nn, torch.nn.functional, torch.Tensor

    def arithmetic(x: Tensor, y: Tensor):
        return x * 2 + y / 3 - x @ y

    def branch(x):
        if x.sum() > 0:
            y = x * 2
        else:
            y = x - 1
        return y + 1

    def while_loop(x, limit: int):
        n = 0
        while bool(x.sum() < limit):
            x = x * 2
            n += 1
        return x, n

    def for_range(x, n: int):
        for i in range(n):
            x = x + i
        return x

    def lists(x, sizes: List[int]):
        out: List[Tensor] = []
        for n in sizes:
            out.append(x * n)
        return torch.stack(out)

    def dicts(names: List[str]):
        counts: Dict[str, int] = {}
        for name in names:
            if name in counts:
                counts[name] += 1
            else:
                counts[name] = 1
        return counts

    def optional(x, bias: Optional[Tensor] = None):
        if bias is not None:
            x = x + bias
        return x

    def early_return(x, flag: bool):
        if flag:
            return x
        return x + 1

    def tuples(x) -> Tuple[Tensor, int]:
        a, b = x.relu(), x.dim()
        return a, b + 1

    def indexing(x):
        return x[0, 1:3] + x[-1, ::2] * x[:, None][0]

    def strings(name: str, n: int):
        return name.upper() + str(n)

    def asserts(x):
        assert x.dim() == 2, "a matrix"
        if x.size(0) == 0:
            raise ValueError("empty")
        return x.mean(1, keepdim=True)

    def functional(x, weight):
        return F.softmax(F.relu(torch.matmul(x, weight.t())), dim=-1)

    def comprehension(xs: List[int]):
        return [x * 2 for x in xs]

    class MLP(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(4, 8), nn.Linear(8, 2)

        def forward(self, x):
            return self.fc2(torch.relu(self.fc1(x)))

    class ConvNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2))
            self.head = nn.Linear(4, 2)

        def forward(self, x):
            x = self.features(x).mean([2, 3])
            return self.head(x)

    class Gate(nn.Module):
        scale: float

        def __init__(self):
            super().__init__()
            self.weight, self.scale = nn.Parameter(torch.ones(3)), 0.5
            self.register_buffer("mean", torch.zeros(3))

        def forward(self, x):
            if self.training:
                x = x - self.mean
            return torch.sigmoid(x * self.weight) * self.scale

    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])

        def forward(self, x):
            for layer in self.layers:
                x = torch.tanh(layer(x))
            return x

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x, mask: Optional[Tensor] = None):
            scores = torch.matmul(self.q(x), self.k(x).transpose(-2, -1)) / 2.0
            if mask is not None:
                scores = scores.masked_fill(mask == 0, -1e9)
            return torch.matmul(torch.softmax(scores, dim=-1), self.v(x))

    class Newton(nn.Module):
        def __init__(self):
            super().__init__()
            self.limit = 10

        def forward(self, x, tolerance: float = 1e-4) -> Tuple[Tensor, int]:
            target = x.abs() + 1
            y = target
            count = 0
            while bool((y * y - target).abs().max() > tolerance) and count < self.limit:
                y = 0.5 * (y + target / y)
                count += 1
            return y, count

    made = [arithmetic, branch, while_loop, for_range, lists, dicts, optional, early_return, tuples, indexing, strings, asserts, functional, comprehension]
    return {f.__name__: f for f in made} | {c.__name__: c() for c in (MLP, ConvNet, Gate, Stack, Attention, Newton)}
