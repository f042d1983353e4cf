"""Programs of the kinds that people capture: each is a function of the module `torch` (Monograph's or PyTorch's) that gives a callable and
three tuples of inputs. The first is the example that it is captured with; the others differ in sizes or values, so that a capture which
froze something shows it. A third thing, where there is one, is a list of edits: each runs before the call of its input, on what is called.

    @program("branch on a value")
    def branch(torch): ...

The functions of this file show Python's language and models. Those of programs_by_pain/ follow what users report about other captures:
each file has one kind of report.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Made = tuple[Any, ...]  # what to call, inputs, and edits where there are any
Make = Callable[[Any], Made]
PROGRAMS: dict[str, Make] = {}
KINDS: dict[str, str] = {}  # of each program


def of_pain(kind: str) -> Callable[[str], Callable[[Make], Make]]:
    """The decorator for programs of one kind."""

    def program(about: str) -> Callable[[Make], Make]:
        def register(make: Make) -> Make:
            assert about not in PROGRAMS, about
            PROGRAMS[about], KINDS[about] = make, kind
            return make

        return register

    return program


LANGUAGE = "Python's language and models"
program = of_pain(LANGUAGE)


def sizes(torch: Any, *shapes: tuple[int, ...]) -> list[tuple[Any, ...]]:
    return [(torch.randn(*shape),) for shape in shapes]


# --- control flow


@program("branch on a tensor's value")
def branch_value(torch: Any) -> Made:
    def f(x):
        if x.sum() > 0:
            return x * 2
        return x - 1

    return f, [(torch.ones(3),), (-torch.ones(3),), (torch.full((5,), 2.0),)]


@program("branch on a size")
def branch_size(torch: Any) -> Made:
    def f(x):
        if x.size(0) > 4:
            return x.mean(0)
        return x.sum(0)

    return f, sizes(torch, (3, 2), (6, 2), (4, 5))


@program("branch on a flag of the module")
def branch_flag(torch: Any) -> Made:
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.line = torch.nn.Linear(4, 4)
            self.residual = True

        def forward(self, x):
            y = self.line(x)
            if self.residual:
                y = y + x
            return y

    return Model(), sizes(torch, (2, 4), (5, 4), (1, 4))


@program("loop over a size")
def loop_size(torch: Any) -> Made:
    def f(x):
        y = torch.zeros_like(x[0])
        for i in range(x.size(0)):
            y = y * 0.5 + x[i]
        return y

    return f, sizes(torch, (3, 2), (5, 2), (1, 4))


@program("loop until a value")
def loop_value(torch: Any) -> Made:
    def f(x):
        while x.abs().max() > 1:
            x = x / 2
        return x

    return f, [(torch.full((3,), 3.0),), (torch.full((3,), 100.0),), (torch.zeros(2),)]


@program("loop over modules")
def loop_modules(torch: Any) -> Made:
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.lines = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(3)])

        def forward(self, x):
            for line in self.lines:
                x = torch.relu(line(x))
            return x

    return Model(), sizes(torch, (2, 4), (5, 4), (1, 4))


@program("conditional expression")
def conditional(torch: Any) -> Made:
    def f(x, y):
        return x if bool(x.max() > y.max()) else y

    return f, [(torch.ones(2), torch.zeros(2)), (torch.zeros(2), torch.ones(2)), (torch.ones(3) * 4, torch.ones(3))]


@program("early return on emptiness")
def emptiness(torch: Any) -> Made:
    def f(x):
        if x.numel() == 0:
            return torch.zeros(1)
        return x.max().reshape(1)

    return f, sizes(torch, (3,), (0,), (7,))


@program("assertion about a size")
def assertion(torch: Any) -> Made:
    def f(x):
        assert x.size(-1) == 4, "four features"
        return x.reshape(-1, 2)

    return f, sizes(torch, (2, 4), (3, 4), (1, 4))


# --- sizes and views


@program("tensors made from shapes")
def from_shapes(torch: Any) -> Made:
    def f(x):
        return x + torch.arange(x.size(1)) + torch.zeros(x.size(0), 1)

    return f, sizes(torch, (2, 3), (4, 3), (5, 7))


@program("shape arithmetic in a view")
def shape_arithmetic(torch: Any) -> Made:
    def f(x):
        return x.view(x.size(0), x.size(1) * x.size(2)).sum(1)

    return f, sizes(torch, (2, 3, 4), (3, 5, 2), (1, 1, 8))


@program("heads split as in BERT")
def heads(torch: Any) -> Made:
    def f(x):
        y = x.view(x.size()[:-1] + (2, x.size(-1) // 2))
        return y.permute(0, 2, 1, 3)

    return f, sizes(torch, (2, 3, 4), (1, 5, 4), (3, 2, 8))


@program("the batch's size as a divisor")
def divisor(torch: Any) -> Made:
    def f(x):
        return x.sum() / x.shape[0]

    return f, sizes(torch, (2, 3), (4, 3), (8, 1))


@program("length of a tensor")
def length(torch: Any) -> Made:
    def f(x):
        return x * len(x)

    return f, sizes(torch, (2, 3), (4, 3), (7, 1))


@program("iteration over a tensor")
def iteration(torch: Any) -> Made:
    def f(x):
        return torch.stack([row * i for i, row in enumerate(x)])

    return f, sizes(torch, (2, 3), (4, 3), (1, 5))


@program("unpacking a tensor")
def unpacking(torch: Any) -> Made:
    def f(x):
        a, b = x
        return a - b

    return f, sizes(torch, (2, 3), (2, 5), (2, 1))


@program("last half, by slices")
def halves(torch: Any) -> Made:
    def f(x):
        n = x.shape[-1] // 2
        return torch.cat([-x[..., n:], x[..., :n]], -1)

    return f, sizes(torch, (2, 4), (3, 6), (1, 8))


# --- mutation


@program("writing in place")
def in_place(torch: Any) -> Made:
    def f(x):
        y = x.clone()
        y.add_(1).mul_(x)
        return y

    return f, sizes(torch, (3,), (4,), (2, 2))


@program("writing through a view")
def through_view(torch: Any) -> Made:
    def f(x):
        y = x.clone()
        y[0] = 0
        y[:, 1].mul_(3)
        return y.sum(0)

    return f, sizes(torch, (2, 3), (4, 3), (3, 2))


@program("writing to an argument")
def to_argument(torch: Any) -> Made:
    def f(x):
        x.mul_(2)
        return x + 1

    return f, sizes(torch, (3,), (4,), (2, 2))


@program("a buffer that counts calls")
def counting(torch: Any) -> Made:
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("calls", torch.zeros(1))

        def forward(self, x):
            self.calls += 1
            return x * self.calls

    return Model(), sizes(torch, (3,), (4,), (2,))


@program("a list that grows")
def growing(torch: Any) -> Made:
    def f(x):
        parts = []
        for k in range(3):
            parts.append(x + k)
        return torch.cat(parts)

    return f, sizes(torch, (3,), (4,), (2, 2))


# --- Python's own


@program("dict in, dict out")
def dictionaries(torch: Any) -> Made:
    def f(d):
        return {"sum": d["a"] + d["b"], "both": (d["a"], d["b"] * 2)}

    return f, [({"a": torch.randn(n), "b": torch.randn(n)},) for n in (3, 4, 1)]


@program("tuples and lists, nested")
def nested(torch: Any) -> Made:
    def f(pair):
        a, (b, c) = pair
        return [a + b, (b * c,)]

    return f, [((torch.randn(n), (torch.randn(n), torch.randn(n))),) for n in (3, 4, 1)]


@program("*args")
def starred(torch: Any) -> Made:
    def f(*xs):
        return sum(xs) / len(xs)

    return f, [tuple(torch.randn(n) for _ in range(3)) for n in (3, 4, 1)]


@program("keyword arguments with defaults")
def keywords(torch: Any) -> Made:
    def inner(x, scale=2.0, *, shift=0.5):
        return x * scale + shift

    def f(x):
        return inner(x, shift=1.0) + inner(x, 3.0)

    return f, sizes(torch, (3,), (4,), (2, 2))


@program("a number as argument")
def number(torch: Any) -> Made:
    def f(x, k):
        return x * k + k

    return f, [(torch.randn(3), 2.0), (torch.randn(3), 5.0), (torch.randn(4), -1.0)]


@program("a closure")
def closure(torch: Any) -> Made:
    weight = torch.randn(3, 3)

    def f(x):
        return torch.tanh(x @ weight)

    return f, sizes(torch, (2, 3), (4, 3), (1, 3))


@program("print of a tensor")
def printing(torch: Any) -> Made:
    def f(x):
        y = x.relu()
        print("value", y.shape)
        return y + 1

    return f, sizes(torch, (2,), (4,), (1,))


@program("a Python number out of a tensor")
def item(torch: Any) -> Made:
    def f(x):
        return x * float(x.max())

    return f, [(torch.tensor([1.0, 2.0]),), (torch.tensor([5.0, 3.0]),), (torch.tensor([0.5, -1.0, 0.25]),)]


@program("try and except")
def trying(torch: Any) -> Made:
    def f(x):
        try:
            return x.reshape(2, 3)
        except RuntimeError:
            return x.reshape(-1)

    return f, sizes(torch, (6,), (3, 2), (4,))


@program("a list comprehension with a condition")
def comprehension(torch: Any) -> Made:
    def f(x):
        return torch.stack([x * k for k in range(5) if k % 2])

    return f, sizes(torch, (3,), (4,), (2, 2))


@program("string formatting and a dictionary of functions")
def dispatch(torch: Any) -> Made:
    table = {"act_relu": torch.relu, "act_tanh": torch.tanh}

    def f(x):
        for kind in ("relu", "tanh"):
            x = table[f"act_{kind}"](x)
        return x

    return f, sizes(torch, (3,), (4,), (2, 2))


# --- models


@program("boxes above a threshold (nonzero)")
def boxes(torch: Any) -> Made:
    def f(boxes, scores):
        keep = (scores > 0.5).nonzero().flatten()
        return boxes[keep], scores[keep]

    return f, [(torch.randn(4, 4), torch.tensor(s)) for s in ([0.9, 0.1, 0.6, 0.2], [0.1, 0.2, 0.3, 0.9], [0.6, 0.7, 0.8, 0.9])]


@program("dropout and batch norm, evaluating")
def evaluating(torch: Any) -> Made:
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Dropout(0.5), nn.AdaptiveAvgPool2d(1), nn.Flatten()
    )
    return model.eval(), sizes(torch, (1, 3, 8, 8), (2, 3, 6, 6), (3, 3, 9, 5))


@program("a convolutional network with a size-dependent head")
def convolutional(torch: Any) -> Made:
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.head = nn.Conv2d(1, 4, 3), nn.Linear(4, 2)

        def forward(self, x):
            y = torch.relu(self.conv(x))
            return self.head(y.view(y.size(0), y.size(1), -1).mean(-1))

    return Model(), sizes(torch, (1, 1, 6, 6), (2, 1, 8, 8), (3, 1, 5, 7))


@program("an LSTM cell over a sequence")
def sequence(torch: Any) -> Made:
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = nn.LSTMCell(3, 4)

        def forward(self, x):
            h = torch.zeros(x.size(1), 4)
            c = torch.zeros(x.size(1), 4)
            for t in range(x.size(0)):
                h, c = self.cell(x[t], (h, c))
            return h

    return Model(), sizes(torch, (2, 1, 3), (5, 1, 3), (2, 4, 3))


@program("self-attention with a causal mask")
def attention(torch: Any) -> Made:
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

        def forward(self, x):
            n = x.size(1)
            scores = self.q(x) @ self.k(x).transpose(-2, -1) / x.size(-1) ** 0.5
            mask = torch.arange(n)[:, None] < torch.arange(n)
            return scores.masked_fill(mask, float("-inf")).softmax(-1) @ self.v(x)

    return Model(), sizes(torch, (1, 3, 8), (2, 5, 8), (1, 1, 8))


@program("a submodule used twice")
def shared(torch: Any) -> Made:
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.line = nn.Linear(4, 4)

        def forward(self, x):
            return self.line(torch.relu(self.line(x)))

    return Model(), sizes(torch, (2, 4), (3, 4), (1, 4))


@program("random numbers")
def random(torch: Any) -> Made:
    def f(x):
        return x + torch.randn(x.size(0), 2)

    return f, sizes(torch, (3, 2), (4, 2), (1, 2))


sys.path.insert(0, str(Path(__file__).parent / "programs_by_pain"))
for kind in ("values", "writes", "shapes", "data", "branches", "reads", "ones", "shapes_again", "modes", "structures", "control", "state"):
    importlib.import_module(kind)
