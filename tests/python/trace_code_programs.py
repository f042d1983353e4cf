"""Forty traces whose `.code` is compared with PyTorch's: functions and modules, each with its example inputs. `torch` is either library."""

from __future__ import annotations

from typing import Any

PACKAGES = ("torchvision ", "timm ")  # in whose names the networks of packages are


def functions(torch: Any) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    F = torch.nn.functional

    def two() -> tuple[Any, ...]:
        return torch.ones(2, 3), torch.ones(2, 3)

    def nested(x, y):
        return torch.relu(torch.add(torch.mul(x, y), x))

    def named(x, y):
        a = x + y
        b = a * a
        return a - b

    def numbers(x, y):
        return x * 2 + y / 3.5 - 1

    def reversed_numbers(x, y):
        return 1 - x + 2 / y

    def used_twice(x, y):
        return torch.sigmoid(x) * torch.cat([torch.sigmoid(x), y]).sum()

    def tuple_result(x, y):
        z = torch.exp(x)
        return z, (z + y, torch.tanh(y))

    def dict_result(x, y):
        return {"sum": x + y, "product": x * y}

    def list_result(x, y):
        return [x + y, x - y]

    def dict_input(d):
        return d["a"] @ d["b"].t()

    def tuple_input(pair, z):
        first, second = pair
        return first * second + z

    def in_place(x, y):
        z = x.clone()
        z.add_(y)
        z.mul_(2)
        return z

    def item_assignment(x, y):
        z = x * 1.5
        z[0] = y[1]
        return z

    def slices(x, y):
        return x[:, 1:3] + y[0:2, :-1]

    def indices(x, y):
        return x[0] + y[..., 1, None]

    def advanced(x, i):
        return x[i] + x[:, [0, 1]].sum()

    def reductions(x, y):
        values, indices = torch.max(x, 1)
        return values.sum() + indices.sum() + y.mean(dim=(0, 1), keepdim=True)

    def split(x, y):
        a, b, c = x.chunk(3, 1)
        return a * b + c + y.unbind(0)[1].sum()

    def functional(x, y):
        h = F.relu(F.linear(x, y))
        return F.softmax(h, dim=-1)

    def long_call(x, y):
        return F.layer_norm(x, [3], eps=1e-3) + torch.clamp(y, min=0.5, max=2.5)

    def einsum(x, y):
        return torch.einsum("ij,kj->ik", x, y)

    def booleans(x, y):
        return torch.where((x > 0) & (y < 2), x, y)

    def casts(x, y):
        return x.to(torch.float64) + y.double().int()

    def made(x, y):
        return x + torch.zeros(2, 3) + torch.arange(3)

    def shapes(x, y):
        return x.reshape(x.shape[0], -1) + y.view(-1, 3).permute(0, 1).contiguous()

    def unrolled(x, y):
        for _ in range(3):
            x = torch.tanh(x + y)
        return x

    def matrices(x, y):
        scores = torch.matmul(x, y.transpose(0, 1))
        return torch.matmul(scores.softmax(-1), y) / 1.5

    return {
        "nested": (nested, two()),
        "named": (named, two()),
        "numbers": (numbers, two()),
        "reversed_numbers": (reversed_numbers, two()),
        "used_twice": (used_twice, two()),
        "tuple_result": (tuple_result, two()),
        "dict_result": (dict_result, two()),
        "list_result": (list_result, two()),
        "dict_input": (dict_input, ({"a": torch.ones(2, 3), "b": torch.ones(2, 3)},)),
        "tuple_input": (tuple_input, (two(), torch.ones(3))),
        "in_place": (in_place, two()),
        "item_assignment": (item_assignment, two()),
        "slices": (slices, (torch.ones(2, 4), torch.ones(3, 3))),
        "indices": (indices, two()),
        "advanced": (advanced, (torch.ones(2, 3), torch.tensor([1, 0]))),
        "reductions": (reductions, two()),
        "split": (split, two()),
        "functional": (functional, two()),
        "long_call": (long_call, two()),
        "einsum": (einsum, two()),
        "booleans": (booleans, two()),
        "casts": (casts, two()),
        "made": (made, two()),
        "shapes": (shapes, two()),
        "unrolled": (unrolled, two()),
        "matrices": (matrices, two()),
    }


def modules(torch: Any) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    nn, F = torch.nn, torch.nn.functional

    def images() -> tuple[Any, ...]:
        return (torch.ones(1, 3, 8, 8),)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.bn1, self.relu, self.fc = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Linear(144, 2)

        def forward(self, x):
            x = self.relu(self.bn1(self.conv1(x)))
            return self.fc(torch.flatten(x, 1))

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2, self.relu = nn.Conv2d(3, 3, 3, padding=1), nn.Conv2d(3, 3, 3, padding=1), nn.ReLU(inplace=True)

        def forward(self, x):
            out = self.relu(self.conv1(x))
            out = self.conv2(out)
            out += x
            return self.relu(out)

    class Parameters(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.scale = nn.Parameter(torch.ones(3, 3)), nn.Parameter(torch.ones(3))
            self.register_buffer("shift", torch.zeros(3))

        def forward(self, x):
            return (x @ self.weight) * self.scale + self.shift

    class Listed(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))

        def forward(self, x):
            for layer in self.layers:
                x = F.gelu(layer(x))
            return x

    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.left, self.right = nn.Linear(3, 2), nn.Linear(3, 2)

        def forward(self, x, y):
            a, b = self.left(x), self.right(y)
            return {"a": a, "b": b, "both": torch.cat([a, b], 1)}

    class Pair(nn.Module):
        def forward(self, x):
            return x + 1, x * 2

    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.pair, self.fc = Pair(), nn.Linear(3, 3)

        def forward(self, x):
            a, b = self.pair(self.fc(x))
            return a - b

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.proj, self.norm, self.heads = nn.Linear(4, 12), nn.Linear(4, 4), nn.LayerNorm(4), 2

        def forward(self, x):
            b, n, c = x.shape
            q, k, v = self.qkv(self.norm(x)).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
            attention = (q @ k.transpose(-2, -1)).softmax(dim=-1)
            return x + self.proj((attention @ v).transpose(1, 2).reshape(b, n, c))

    class Embedded(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding, self.lstm, self.out = nn.Embedding(10, 4), nn.LSTM(4, 5, batch_first=True), nn.Linear(5, 2)

        def forward(self, tokens):
            hidden, _ = self.lstm(self.embedding(tokens))
            return F.log_softmax(self.out(hidden[:, -1]), dim=1)

    return {
        "Net": (Net(), images()),
        "Residual": (Residual(), images()),
        "Parameters": (Parameters(), (torch.ones(2, 3),)),
        "Listed": (Listed(), (torch.ones(2, 3),)),
        "Two": (Two(), (torch.ones(2, 3), torch.ones(2, 3))),
        "Inner": (Inner(), (torch.ones(2, 3),)),
        "Attention": (Attention(), (torch.ones(1, 2, 4),)),
        "Embedded": (Embedded(), (torch.ones(1, 3, dtype=torch.int64),)),
        "Sequential": (nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2)), images()),
        "Linear": (nn.Linear(3, 2), (torch.ones(2, 3),)),
    }


def of_packages(torch: Any) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    import timm
    import torchvision

    def images(size: int = 64) -> tuple[Any, ...]:
        return (torch.ones(1, 3, size, size),)

    torchvisions = ("resnet18", "mobilenet_v2", "densenet121", "squeezenet1_1", "shufflenet_v2_x0_5")
    made = {f"torchvision {name}": (getattr(torchvision.models, name)(weights=None), images()) for name in torchvisions}
    for name in ("resnet18", "mobilenetv3_small_050", "mixer_b32_224", "vit_tiny_patch16_224", "convnext_atto"):
        size = 224 if "224" in name else 64
        made[f"timm {name}"] = (timm.create_model(name, pretrained=False), images(size))
    return made


def programs(torch: Any, packages: bool = False) -> dict[str, tuple[Any, tuple[Any, ...]]]:
    made = {**functions(torch), **modules(torch), **(of_packages(torch) if packages else {})}
    return {name: (f.eval() if isinstance(f, torch.nn.Module) else f, inputs) for name, (f, inputs) in made.items()}


def code_of(torch: Any, f: Any, inputs: tuple[Any, ...]) -> str:
    return torch.jit.trace(f, inputs, strict=False, check_trace=False).code


def has_frozen_parts(torch: Any, name: str, made: tuple[Any, Any]) -> bool:
    """Whether trace_code_parts.json has the submodules of a network: of the own ones, and of two of the packages."""
    return isinstance(made[0], torch.nn.Module) and (not name.startswith(PACKAGES) or name in ("torchvision resnet18", "timm vit_tiny_patch16_224"))


def code_of_parts(torch: Any, f: Any, inputs: tuple[Any, ...]) -> dict[str, str]:
    """Of each submodule that the trace calls, by its path."""
    traced = torch.jit.trace(f, inputs, strict=False, check_trace=False)
    found = {}
    for path, _ in f.named_modules():
        part = traced
        for name in path.split("."):
            part = getattr(part, name) if path else part
        if path and hasattr(part, "code"):
            found[path] = part.code
    return found
