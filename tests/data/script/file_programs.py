# ruff: noqa
# The programs are written as users of TorchScript write them, in old spellings too.
"""Programs with classes for tests/python/test_script_in_files.py: Monograph and PyTorch script the same ones, each as torch."""

from collections import namedtuple
from enum import Enum
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import nn


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 4


class Mode(Enum):
    FAST = "fast"
    SLOW = "slow"


class Point(NamedTuple):
    x: int
    y: int


class Segment(NamedTuple):
    a: Point
    b: Point
    tag: Optional[str]


Pair = namedtuple("Pair", ["first", "second"])


class Vocabulary:
    def __init__(self, words: List[str]):
        self.words = words
        self.index: Dict[str, int] = {}
        for i, w in enumerate(words):
            self.index[w] = i

    def encode(self, text: str) -> List[int]:
        return [self.index[w] for w in text.split(" ")]


class Meter:
    def __init__(self, name: str):
        self.name = name
        self.total = 0.0
        self.seen: List[float] = []

    def add(self, v: float) -> float:
        self.total += v
        self.seen.append(v)
        return self.total


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.vocabulary = Vocabulary(["a", "b", "c"])
        self.kind = Color.GREEN
        self.weight = nn.Parameter(torch.arange(6.0).reshape(3, 2))

    def forward(self, text: str):
        rows = self.weight[torch.tensor(self.vocabulary.encode(text))]
        if self.kind == Color.GREEN:
            return rows * 2, self.kind.name
        return rows, self.kind.name


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.meters = [Meter("a"), Meter("b")]

    def forward(self, v: float) -> Tuple[float, int]:
        for m in self.meters:
            m.add(v)
        return self.meters[1].add(v), len(self.meters[0].seen)


@torch.jit.interface
class Step(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass


class Add(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.full((2,), 3.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.w


class Steps(nn.Module):
    last: Step

    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList([Add(), Scale()])
        self.last = Add()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first: Step = self.steps[0]
        second: Step = self.steps[1]
        return self.last(second.forward(first.forward(x)))


def color_of(n: int) -> Color:
    if n > 3:
        return Color.BLUE
    return Color.RED


def shifted(c: Color, x):
    if c == Color.RED:
        return x * 2
    return x - c.value


def counted(x: int) -> Tuple[int, List[str]]:
    total = 0
    names: List[str] = []
    for c in Color:
        if c.value <= x:
            total += c.value
            names.append(c.name)
    return total, names


def slower(m: Mode, colors: List[Color]) -> Tuple[Mode, str, Color]:
    return Mode.SLOW, m.value, colors[-1]


def segments(n: int) -> Tuple[Dict[str, Segment], List[Point], Segment]:
    s = Segment(Point(n, n + 1), Point(n * 2, 0), None if n > 2 else "small")
    return {"s": s}, [s.a, s.b], s


def swapped(x, y):
    p = Pair(x, y)
    return Pair(p.second, p.first)


def listed(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> Tuple[float, int, List[bool]]:
    a: List[float] = x.tolist()
    b: List[List[int]] = y.tolist()
    c: int = z.tolist()
    return a[0] + a[-1], b[1][0] + c, torch.jit.annotate(List[bool], (x > 1).tolist())


def texts(s: str) -> Tuple[List[str], List[str], List[str], str, bool, bool, bool, bool]:
    return s.rsplit(",", 1), s.rsplit(","), s.rsplit("ab", 2), s.expandtabs(4), s.istitle(), s.isidentifier(), s.isprintable(), "b," in s


def complexes(a: float, n: int) -> Tuple[complex, complex, complex]:
    return complex(a, 2.0), complex(n, n), 1.5 - 2j


PROGRAMS: dict[str, tuple[Any, list[Any]]] = {
    "color_of": (color_of, [(1,), (5,)]),
    "shifted": (shifted, [(Color.RED, torch.ones(2)), (Color.BLUE, torch.ones(2))]),
    "counted": (counted, [(2,), (9,), (0,)]),
    "slower": (slower, [(Mode.FAST, [Color.RED, Color.GREEN])]),
    "segments": (segments, [(1,), (4,)]),
    "swapped": (swapped, [(torch.ones(1), torch.zeros(2))]),
    "listed": (listed, [(torch.tensor([1.0, 2.5]), torch.tensor([[1, 2], [3, 4]]), torch.tensor(7))]),
    "texts": (texts, [("a,b,c",), ("Abab\tab",), ("",), ("a1",), ("Ab Cd",), (",,",)]),
    "complexes": (complexes, [(0.5, 3), (-1.0, 0)]),
}


def plain(value: Any) -> Any:
    """A value that two processes can compare: NamedTuples and Enums with the names of their classes."""
    if isinstance(value, Enum):
        return ("Enum", type(value).__name__, value.name, value.value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return ("NamedTuple", type(value).__name__, value._fields, [plain(v) for v in value])
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [plain(v) for v in value])
    if isinstance(value, dict):
        return ("dict", {k: plain(v) for k, v in value.items()})
    return ("Tensor", str(value.dtype).rpartition(".")[2], value.tolist()) if hasattr(value, "tolist") else value


def outcomes(function: Any, inputs: list[Any]) -> list[Any]:
    return [plain(function(*args)) for args in inputs]


def exchanged(folder: str) -> list[str]:
    """In PyTorch's process: the programs whose archives of Monograph give the same here. Writes PyTorch's own archives beside them."""
    equal = []
    for name, (function, inputs) in PROGRAMS.items():
        torch.jit.script(function).save(f"{folder}/{name}.torch.pt")
        if outcomes(torch.jit.load(f"{folder}/{name}.pt"), inputs) == outcomes(function, inputs):
            equal.append(name)
    torch.jit.script(Encoder()).save(f"{folder}/encoder.torch.pt")
    torch.jit.script(Counting()).save(f"{folder}/counting.torch.pt")
    rows, kind = torch.jit.load(f"{folder}/encoder.pt")("a b")
    if torch.equal(rows, Encoder()("a b")[0]) and kind == "GREEN":
        equal.append("encoder")
    counting, eager = torch.jit.load(f"{folder}/counting.pt"), Counting()
    eager(1.0)
    if [counting(v) for v in (1.0, 2.0)] == [eager(v) for v in (1.0, 2.0)]:
        equal.append("counting")
    return sorted(equal)
