"""Pain 8: what a program read outside of its arguments changes between two calls. A capture follows it or says so. Each entry of `edits`
runs before the call of its input."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from programs import Made, of_pain, sizes

program = of_pain("8: what it read has changed since")

SCALE = 1.0
TABLE = {"gain": 2.0}


def helper(x: Any) -> Any:
    return x + 1


def other(x: Any) -> Any:
    return x - 1


def set_global(name: str, value: Any) -> Any:
    def edit(_called: Any) -> None:
        globals()[name] = value

    return edit


def nothing(_called: Any) -> None:
    pass


@program("a global number changes")
def _(torch: Any) -> Made:
    def f(x):
        return x * SCALE

    return f, sizes(torch, (3,), (4,), (1,)), [set_global("SCALE", v) for v in (1.0, 5.0, -1.0)]


@program("a global function is defined anew")
def _(torch: Any) -> Made:
    def f(x):
        return helper(x)

    return f, sizes(torch, (3,), (4,), (1,)), [set_global("helper", v) for v in (lambda x: x + 1, other, other)]


@program("an entry of a global dict changes")
def _(torch: Any) -> Made:
    def f(x):
        return x * TABLE["gain"]

    def to(v: float) -> Any:
        return lambda _called: TABLE.update(gain=v)

    return f, sizes(torch, (3,), (4,), (1,)), [to(v) for v in (2.0, 3.0, 4.0)]


@program("a closure's list grows")
def _(torch: Any) -> Made:
    factors = [2.0]

    def f(x):
        for k in factors:
            x = x * k
        return x

    def to(*values: float) -> Any:
        def edit(_called: Any) -> None:
            factors[:] = values

        return edit

    return f, sizes(torch, (3,), (4,), (1,)), [to(2.0), to(2.0, 3.0), to()]


@program("a closure's variable changes")
def _(torch: Any) -> Made:
    k = 1

    def f(x):
        return x + k

    def to(value: int) -> Any:
        def edit(_called: Any) -> None:
            nonlocal k
            k = value

        return edit

    return f, sizes(torch, (3,), (4,), (1,)), [to(1), to(2), to(3)]


@program("an object's attribute changes")
def _(torch: Any) -> Made:
    config = SimpleNamespace(eps=1.0, norm=False)

    def f(x):
        x = x + config.eps
        return x / x.norm() if config.norm else x

    def to(**values: Any) -> Any:
        return lambda _called: config.__dict__.update(values)

    return f, sizes(torch, (3,), (4,), (1,)), [to(eps=1.0, norm=False), to(eps=2.0), to(norm=True)]


@program("a closure's module attribute changes")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.power = 2

        def forward(self, x):
            return x**self.power

    net = Net()

    def f(x):
        return net(x)

    def to(value: int) -> Any:
        return lambda _called: setattr(net, "power", value)

    return f, sizes(torch, (3,), (4,), (1,)), [to(2), to(3), to(1)]


@program("a tensor in a closure is replaced")
def _(torch: Any) -> Made:
    store = {"w": torch.ones(1)}

    def f(x):
        return x * store["w"]

    def to(value: float) -> Any:
        return lambda _called: store.update(w=torch.full((1,), value))

    return f, sizes(torch, (3,), (4,), (1,)), [to(1.0), to(3.0), to(7.0)]


@program("a tensor in a closure is written")
def _(torch: Any) -> Made:
    w = torch.ones(1)

    def f(x):
        return x * w

    def to(value: float) -> Any:
        return lambda _called: w.fill_(value)

    return f, sizes(torch, (3,), (4,), (1,)), [to(1.0), to(3.0), to(7.0)]


@program("a default argument changes")
def _(torch: Any) -> Made:
    def inner(x, shift=1.0):
        return x + shift

    def f(x):
        return inner(x)

    def to(value: float) -> Any:
        return lambda _called: setattr(inner, "__defaults__", (value,))

    return f, sizes(torch, (3,), (4,), (1,)), [to(1.0), to(3.0), to(7.0)]


@program("a class's attribute changes")
def _(torch: Any) -> Made:
    class Config:
        depth = 1

    def f(x):
        for _ in range(Config.depth):
            x = x * 2
        return x

    def to(value: int) -> Any:
        return lambda _called: setattr(Config, "depth", value)

    return f, sizes(torch, (3,), (4,), (1,)), [to(1), to(3), to(0)]


@program("a method is replaced")
def _(torch: Any) -> Made:
    class Act:
        def run(self, x):
            return x.relu()

    act = Act()

    def f(x):
        return act.run(x)

    def to(run: Any) -> Any:
        return lambda _called: setattr(Act, "run", run)

    return f, sizes(torch, (3,), (4,), (1,)), [to(lambda self, x: x.relu()), to(lambda self, x: x.tanh()), to(lambda self, x: -x)]


@program("an environment variable changes")
def _(torch: Any) -> Made:
    import os

    def f(x):
        return x * 2 if os.environ.get("PROGRAM_DOUBLE") == "1" else x

    def to(value: str) -> Any:
        return lambda _called: os.environ.update(PROGRAM_DOUBLE=value)

    return f, sizes(torch, (3,), (4,), (1,)), [to("0"), to("1"), to("0")]


@program("a dict key appears")
def _(torch: Any) -> Made:
    options: dict[str, float] = {}

    def f(x):
        if "bias" in options:
            x = x + options["bias"]
        return x * len(options)

    def to(**values: float) -> Any:
        def edit(_called: Any) -> None:
            options.clear()
            options.update(values)

        return edit

    return f, sizes(torch, (3,), (4,), (1,)), [to(a=1.0), to(bias=2.0), to(a=1.0, bias=3.0)]


@program("the default dtype changes")
def _(torch: Any) -> Made:
    def f(x):
        return x + torch.zeros(1)

    def to(dtype: Any) -> Any:
        return lambda _called: torch.set_default_dtype(dtype)

    return f, [*sizes(torch, (3,), (4,), (1,)), (torch.ones(2),)], [to(torch.float32), to(torch.float64), nothing, to(torch.float32)]


@program("a list of layers' names grows")
def _(torch: Any) -> Made:
    names = ["up"]
    ways = {"up": torch.nn.functional.relu, "down": torch.neg}

    def f(x):
        for name in names:
            x = ways[name](x) + 1
        return x

    def add(_called: Any) -> None:
        names.append("down")

    return f, sizes(torch, (3,), (4,), (1,)), [nothing, add, add]
