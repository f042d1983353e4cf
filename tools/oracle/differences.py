"""The functions of docs/differences.md in either library, a line each: `python tools/oracle/differences.py monograph` in .venv,
`... torch` in .venv-oracle. docs/differences.md claims what both print."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Callable
from typing import Any

if sys.argv[1:] == ["torch"]:
    import pinned  # noqa: F401
torch: Any = importlib.import_module(sys.argv[1] if len(sys.argv) > 1 else "monograph")
warnings.simplefilter("ignore")  # PyTorch warns of some of these; what counts here is what the program gives
LINES: dict[str, Callable[[], Any]] = {}


def line(function: Callable[[], Any]) -> Callable[[], Any]:
    LINES[function.__name__] = function
    return function


def trace(f: Any, *examples: Any) -> Any:
    return torch.jit.trace(f, examples, check_trace=False)


def symbolic(f: Any) -> Any:
    return torch.fx.symbolic_trace(f)


def verdict(got: Any, expected: Any) -> str:
    return "right" if got.shape == expected.shape and torch.equal(got, expected) else "wrong"


def branch(x: Any) -> Any:
    if x.sum() > 0:
        return x + 1
    return x - 1


@line
def trace_branch() -> str:
    return verdict(trace(branch, torch.ones(3))(-torch.ones(3)), branch(-torch.ones(3)))


@line
def trace_number() -> str:
    f = lambda x: x * int(x[0])
    return verdict(trace(f, torch.ones(2))(torch.full((2,), 3.0)), f(torch.full((2,), 3.0)))


@line
def trace_size_in_range() -> str:
    f = lambda x: x * sum(range(x.shape[0]))
    return verdict(trace(f, torch.ones(3))(torch.ones(2)), f(torch.ones(2)))


@line
def trace_size() -> str:
    f = lambda x: x.view(x.shape[0] * 2, -1) + x.shape[1] // 2
    return verdict(trace(f, torch.ones(2, 4))(torch.ones(3, 8)), f(torch.ones(3, 8)))


@line
def trace_size_is() -> str:
    seen = []
    trace(lambda x: (seen.append(type(x.shape[0]).__name__), x)[1], torch.ones(2))
    return seen[0]


@line
def trace_writes_outside() -> str:
    outside = torch.zeros(2)
    traced = trace(lambda x: outside.add_(x), torch.ones(2))
    first = traced(torch.ones(2)).clone()
    return "same each run" if torch.equal(first, traced(torch.ones(2))) else "changes a constant"


@line
def symbolic_iadd() -> str:
    def f(x: Any) -> Any:
        x += 1
        return x

    x = torch.zeros(2)
    symbolic(f)(x)
    return "writes" if x[0] == 1 else "lost"


@line
def symbolic_setitem() -> str:
    def f(x: Any) -> Any:
        x[0] = 7
        return x

    return verdict(symbolic(f)(torch.zeros(2)), torch.tensor([7.0, 0.0]))


@line
def symbolic_rand() -> str:
    f = symbolic(lambda x: x + torch.rand(3))
    return "frozen" if torch.equal(f(torch.zeros(3)), f(torch.zeros(3))) else "drawn"


@line
def symbolic_buffer() -> str:
    class Counter(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("n", torch.zeros(1))

        def forward(self, x: Any) -> Any:
            self.n.add_(1)
            return x + self.n

    gm = symbolic(Counter())
    first = float(gm(torch.zeros(1)))
    return "writes" if float(gm(torch.zeros(1))) == first + 1 else "lost"


for name, function in LINES.items():
    try:
        answer = function()
    except (RuntimeError, TypeError, ValueError) as error:
        answer = f"raises {type(error).__name__}"
    print(f"{name}: {answer}")
