"""State between calls and inside of one: counters, caches, properties, hooks, __getattr__, random numbers, gradients, NumPy's numbers, writes into views."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from programs import Made, of_pain, sizes

program = of_pain("state, hooks, NumPy, gradients and views")


def signed(torch: Any, *values: list[float]) -> list[tuple[Any, ...]]:
    return [(torch.tensor(v),) for v in values]


FOUR = ([1.0, 2.0, 3.0], [-9.0, -1.0], [4.0], [])


@program("every second call is another")
def _(torch: Any) -> Made:
    state = {"calls": 0}

    def f(x):
        state["calls"] += 1
        return x * 2 if state["calls"] % 2 else x - 1

    def start(_called: Any) -> None:
        state["calls"] = 0

    return f, signed(torch, *FOUR), [start, None, None, None]


@program("a warm-up that a buffer counts")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("step", torch.zeros((), dtype=torch.long))

        def forward(self, x):
            self.step += 1
            if self.step < 3:
                return x * self.step
            return x.cumsum(0)

    return Net(), signed(torch, *FOUR)


@program("a property that computes, with a setter")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(1) * 2)
            self._temperature = 1.0

        @property
        def temperature(self):
            return self._temperature * 2

        @temperature.setter
        def temperature(self, value):
            self._temperature = value

        @property
        def scale(self):
            return self.weight.abs() + self.temperature

        def forward(self, x):
            before = self.temperature
            self.temperature = 3.0 if x.shape[0] > 2 else 0.25
            y = x * self.scale
            self.temperature = before / 2
            return y / self.scale

    return Net(), signed(torch, *FOUR)


@program("__getattr__ that asks an inner object")
def _(torch: Any) -> Made:
    class Inner:
        bias = 1.5

        def squash(self, x):
            return torch.tanh(x)

    class Outer:
        def __init__(self, inner):
            self.inner = inner

        def __getattr__(self, name):
            if name.startswith("twice_"):
                g = getattr(self.inner, name[6:])
                return lambda x: g(g(x))
            return getattr(self.inner, name)

    outer = Outer(Inner())

    def f(x):
        y = outer.twice_squash(x) if x.sum() > 0 else outer.squash(x)
        return y + outer.bias + getattr(outer, "missing_thing", 0.5) if hasattr(outer, "bias") else y

    Inner.missing_thing = 2.0
    return f, signed(torch, *FOUR)


@program("cached_property and lru_cache")
def _(torch: Any) -> Made:
    @functools.cache
    def table(n):
        return [k * k for k in range(n)]

    class Grid:
        def __init__(self, n):
            self.n = n

        @functools.cached_property
        def points(self):
            return torch.arange(self.n) / max(self.n - 1, 1)

    def f(x):
        grid = Grid(x.shape[0])
        return x * grid.points + grid.points * sum(table(x.shape[0]))

    return f, signed(torch, *FOUR)


@program("positions cached on the module by length")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.cache = {}

        def positions(self, n):
            if n not in self.cache:
                self.cache[n] = torch.arange(n) * 0.5
            return self.cache[n]

        def forward(self, x):
            return x + self.positions(x.shape[0])

    return Net(), signed(torch, *FOUR)


@program("the last result, kept for the next call")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.last = None

        def forward(self, x):
            out = x * 2 if self.last is None else x * 2 + self.last
            self.last = out.sum().detach()
            return out

    net = Net()

    def start(_called: Any) -> None:
        net.last = None

    return net, signed(torch, *FOUR), [start, None, None, None]


@program("hooks that change inputs and outputs")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.act = torch.nn.ReLU()
            self.act.register_forward_pre_hook(lambda module, args: (args[0] - 1,))
            self.act.register_forward_hook(lambda module, args, out: out * 3 if args[0].sum() > 0 else out + 1)

        def forward(self, x):
            return self.act(x) + x

    return Net(), signed(torch, *FOUR)


@program("a hook that collects features, then is removed")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body = torch.nn.Sequential(torch.nn.Tanh(), torch.nn.Softsign(), torch.nn.Sigmoid())

        def forward(self, x):
            features = {}
            handles = [
                layer.register_forward_hook(lambda module, args, out, name=name: features.__setitem__(name, out))
                for name, layer in self.body.named_children()
                if name != "1"
            ]
            y = self.body(x)
            for handle in handles:
                handle.remove()
            return y, features

    return Net(), signed(torch, *FOUR)


@program("names and numbers in texts that are keys")
def _(torch: Any) -> Made:
    def f(x):
        out = {}
        for k in range(2):
            out[f"level{k}_{x.shape[0]}"] = x * k
        label = "-".join(f"{n:02d}" for n in x.shape)
        return out, label, label.count("0"), "%s:%d" % ("rows", x.shape[0]), f"{len(out)}/{x.dim()}".split("/")  # noqa: UP031

    return f, signed(torch, *FOUR)


@program("NumPy's numbers as factors and sizes")
def _(torch: Any) -> Made:
    scale, ratio = np.float64(0.5), np.float32(2)

    def f(x):
        n = int(np.prod(x.shape))
        y = x * float(scale) + float(np.sqrt(n + 1)) * float(ratio)
        return y.reshape(n), float(np.floor(n / 2)), int(np.ceil(n / 2))

    return f, signed(torch, *FOUR)


@program("an array of constants in a computation")
def _(torch: Any) -> Made:
    table = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)

    def f(x):
        w = torch.from_numpy(table)
        k = int(table.argmax()) + table.shape[0]
        return torch.outer(x, w[0]) @ w + k if x.sum() > 0 else torch.outer(x, torch.as_tensor(table[1]))

    return f, signed(torch, *FOUR)


@program("a gradient inside, of a loss that depends on the values")
def _(torch: Any) -> Made:
    def f(x):
        with torch.enable_grad():
            w = x.detach().clone().requires_grad_()
            loss = (w**2).sum() if x.sum() > 0 else (w**3).sum() + w.sum()
            (g,) = torch.autograd.grad(loss, w)
        return x - 0.1 * g

    return f, signed(torch, *FOUR)


@program("steps of a descent until it is small")
def _(torch: Any) -> Made:
    def f(x):
        w = torch.zeros_like(x)
        for k in range(5):  # noqa: B007 (it is a result)
            with torch.enable_grad():
                v = w.detach().requires_grad_()
                loss = ((v - x) ** 2).sum()
                (g,) = torch.autograd.grad(loss, v)
            w = w - 0.4 * g
            if g.abs().sum() < 0.5:
                break
        return w, k

    return f, signed(torch, *FOUR)


@program("a function with a backward of its own")
def _(torch: Any) -> Made:
    class Clip(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, limit):
            ctx.save_for_backward(x)
            ctx.limit = limit
            return x.clamp(-limit, limit)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * (x.abs() <= ctx.limit) * 2, None

    def f(x):
        with torch.enable_grad():
            v = x.detach().requires_grad_()
            y = Clip.apply(v, 2.5)
            (g,) = torch.autograd.grad((y * y).sum(), v)
        return y.detach(), g

    return f, signed(torch, *FOUR)


@program("a random permutation and a mask of it")
def _(torch: Any) -> Made:
    def f(x):
        order = torch.randperm(x.shape[0])
        keep = torch.rand(x.shape[0]) < 0.5
        return x[order] * keep, torch.bernoulli(torch.full_like(x, 0.3))

    return f, signed(torch, *FOUR)


@program("a draw that decides the branch")
def _(torch: Any) -> Made:
    def f(x):
        if torch.rand(()) < 0.5:
            return x * 2
        k = torch.randint(0, 3, (1,))
        return x + k

    return f, signed(torch, *FOUR)


@program("a view written in one way, zeroed in the other")
def _(torch: Any) -> Made:
    def f(x):
        y = x.clone()
        head = y[:1]
        if x.sum() > 0:
            head.mul_(10)
        else:
            head.zero_()
            y[-1:] += 5
        return y, head

    return f, signed(torch, *FOUR)


@program("views of views written in a loop")
def _(torch: Any) -> Made:
    def f(x):
        y = x.clone()
        for k, row in enumerate(y):
            row[1:].add_(k)
            if row.sum() > 3:
                row.neg_()
            y.t()[0] += 1
        return y

    return f, sizes(torch, (3, 2), (4, 2), (1, 2), (0, 2))


@program("an argument's part written, and returned as a view")
def _(torch: Any) -> Made:
    def f(x):
        part = x[1:]
        part -= x[:1].sum()
        if part.numel() > 1:
            part[-1] = 7
        return part, x.view(-1)

    return f, signed(torch, *FOUR)


@program("a stack of functions kept by a decorator")
def _(torch: Any) -> Made:
    registry: list[Any] = []

    def register(g):
        registry.append(g)
        return g

    @register
    def double(x):
        return x * 2

    @register
    def shifted(x):
        return x + x.shape[0]

    def f(x):
        for g in registry:
            x = g(x) if x.sum() > -20 else x
        return x, [g.__name__ for g in registry]

    return f, signed(torch, *FOUR)


@program("an attribute made in the call and deleted again")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def forward(self, x):
            self.scratch = x * 2
            if hasattr(self, "scratch") and x.sum() > 0:
                x = x + self.scratch
            del self.scratch
            return x, hasattr(self, "scratch")

    return Net(), signed(torch, *FOUR)
