"""torch.compile: ints and floats that change between calls are inputs of the graph, and writes of a value that was there before are writes."""

from __future__ import annotations

import math

import monograph as torch
import pytest
from monograph import _C, nn
from monograph._compile import compiled_of

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")

X = torch.arange(6.0).reshape(2, 3) - 2


def captures(f):
    """How many graphs a compiled function has, none of which is a break."""
    found = _C._compiled_entries(compiled_of(f))
    assert not [e["detail"] for e in found if e["kind"]]
    return len(found)


FLOATS = [0.1, 0.2, 0.0, -0.0, 1.5, float("inf"), float("nan"), 1e-300, 0.25, 3.0]


@pytest.mark.parametrize(
    "f",
    [
        lambda x, s: x * s,
        lambda x, s: s - x,
        lambda x, s: x.add(x, alpha=-s),
        lambda x, s: x * math.sqrt(abs(s)),
        lambda x, s: x * s if s > 0.2 else x - s,
        lambda x, s: (s * 2, s, s == 0.1, x),
        lambda x, s: x.clamp(max=s),
        lambda x, s: torch.full((2,), s),
        lambda x, s: torch.tensor([s, 1.0]) + x.sum(),
        lambda x, s: x * -s + abs(s),
        lambda x, s: isinstance(s, float) and x / (s + 1),
    ],
)
def test_a_float_argument_is_an_input_after_its_second_value(f):
    compiled = torch.compile(f, fullgraph=True)
    for s in FLOATS:
        expected, got = f(X, s), compiled(X, s)
        assert repr(expected) == repr(got)
    assert captures(compiled) <= 3


def test_an_int_may_become_a_float():
    compiled = torch.compile(lambda x, s: x * s)
    for s in (1, 2, 0.5, 0.25, 3, True):
        assert torch.equal(compiled(X, s), X * s)


def test_what_takes_no_symbol_is_captured_for_the_value():
    def f(x, s):
        return x * round(s, 1)

    compiled = torch.compile(f, fullgraph=True)
    for s in (0.11, 0.22, 0.33):
        assert torch.equal(compiled(X, s), f(X, s))


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.scale, self.calls, self.config = 0.5, 0, {"lr": 0.1}

    def forward(self, x):
        self.calls += 1
        y = self.linear(x) * self.scale
        return y * self.config["lr"] + (1 if self.calls % 3 == 0 else 0)


def test_attributes_that_change_and_count_cost_few_captures():
    torch.manual_seed(0)
    module = Scaled()
    torch.manual_seed(0)
    eager = Scaled()
    compiled = torch.compile(module)
    for k in range(30):
        module.scale = eager.scale = 0.5 + k * 0.01
        module.config["lr"] = eager.config["lr"] = 0.1 / (k + 1)
        assert torch.equal(compiled(X), eager(X))
        assert module.calls == eager.calls and type(module.calls) is int
    assert captures(compiled) <= 4


RATE, COUNT = 0.1, 0


def test_globals_and_cells_that_change_cost_two_captures():
    def rated(x):
        return x * RATE

    def counted(x):
        global COUNT
        COUNT += 1
        return x * COUNT

    def closure():
        count = 0.5

        def f(x):
            nonlocal count
            count += 1
            return x * count

        return f

    global RATE, COUNT
    compiled = torch.compile(rated)
    for k in range(12):
        RATE = 0.1 + k
        assert torch.equal(compiled(X), X * RATE)
    assert captures(compiled) == 2
    COUNT = 0
    compiled = torch.compile(counted)
    for k in range(12):
        assert torch.equal(compiled(X), X * (k + 1)) and COUNT == k + 1 and type(COUNT) is int
    assert captures(compiled) == 2
    compiled, eager = torch.compile(closure()), closure()
    for _ in range(12):
        assert torch.equal(compiled(X), eager(X))
    assert captures(compiled) == 2


def test_an_optimizer_of_the_program_s_own():
    class Adam:
        def __init__(self):
            self.p, self.t = torch.ones(3), 0
            self.groups = [{"lr": 0.1, "params": [self.p]}]

        def step(self, gradient):
            self.t += 1
            for group in self.groups:
                for p in group["params"]:
                    with torch.no_grad():
                        p.add_(gradient, alpha=-group["lr"] / (1 - 0.9**self.t) * math.sqrt(self.t))
            return self.p * 1

    a, b = Adam(), Adam()
    compiled = torch.compile(a.step)
    for k in range(15):
        a.groups[0]["lr"] = b.groups[0]["lr"] = 0.1 * 0.9**k
        g = torch.randn(3)
        assert torch.equal(compiled(g), b.step(g)) and a.t == b.t
    assert captures(compiled) == 2


@pytest.mark.parametrize("value", [0.1, 2, True, None, "s", 10**30, float("inf"), torch.ones(3)])
def test_an_attribute_that_becomes_something_else(value):
    module = Scaled()
    compiled = torch.compile(module)
    for v in (0.1, 0.2, 0.3, value, 0.4):
        module.scale = v
        try:
            module.calls = 0
            expected = module(X)
        except Exception as error:
            expected = type(error)
        try:
            module.calls = 0
            got = compiled(X)
        except Exception as error:
            got = type(error)
        assert expected is got if isinstance(expected, type) else torch.equal(expected, got)


class Box:
    pass


@pytest.mark.parametrize("before, after", [(0, 1), (0, 5), (None, 2), (0.5, None), ("a", "b")])
def test_a_write_of_what_was_there_is_a_write(before, after):
    """A capture that finds what it writes must write it in later calls too, which find something else."""
    box, items, table, kinds = Box(), [before], {"k": before}, {before}
    cell = before

    def reset(x):
        nonlocal cell
        box.value = items[0] = table["k"] = cell = before
        kinds.add(before)
        return x * 2

    def branch(x):
        if x.sum() > 0:
            box.value = before
        return x * 2

    def way(x):
        if x.sum() > 0:
            box.value, table["k"] = before, before
        else:
            items[0] = before
        return x * 2

    for f in (reset, branch, way):
        compiled = torch.compile(f)
        for sign in (1, 1, -1, 1, -1, -1):
            for start in (before, after, before, after, 7):
                seen = []
                for call in (f, compiled):
                    box.value = items[0] = table["k"] = cell = start
                    kinds.clear()
                    call(torch.ones(2) * sign)
                    seen.append((box.value, list(items), dict(table), cell, set(kinds)))
                assert seen[0] == seen[1], (f.__name__, sign, start)


def test_an_update_and_a_deletion_are_writes():
    table = {"a": 1}

    def f(x):
        table.update({"a": 1})
        table["b"] = 2
        del table["b"]
        return x + 1

    compiled = torch.compile(f)
    compiled(X)
    table.update(a=5, b=6)
    compiled(X)
    assert table == {"a": 1}


def test_a_counter_in_a_way_or_loop():
    def f(box, x, n):
        while n < 2:
            n = n + 1
            box.value += 1
        if x.sum() > 0:
            box.value += 10
        return x * n

    a, b = Box(), Box()
    a.value = b.value = 0
    compiled = torch.compile(lambda x, n: f(a, x, n))
    for n in (1, 0, 2, 1, 1, 3, 1, 0):
        for x in (X, -X, X + 5):
            assert torch.equal(compiled(x, n), f(b, x, n)) and a.value == b.value


def test_numbers_in_a_tuple_that_change_cost_two_captures():
    default = (3, 4)

    def shaped(x, size):
        return x.reshape(size) * size[0]

    def nested(x, p):
        (a, b), c = p
        return x * a + b * c

    def given_back(x, size):
        return x * size[1], size

    def compared(x, size):
        return x * size[0] if len(size) == 2 and size[0] > 2 else x - size[1]

    sizes = [(3, 4), (4, 3), (2, 6), (1, 12), (12, 1)]
    for f, given in ((shaped, sizes), (given_back, sizes), (compared, sizes), (nested, [((k, 2), k + 1) for k in range(5)])):
        g = torch.compile(f)
        for size in given:
            expected, found = f(torch.arange(12.0), size), g(torch.arange(12.0), size)
            if f is given_back:
                assert found[1] is size
                expected, found = expected[0], found[0]
            assert torch.equal(found, expected)
        assert captures(g) <= (3 if f is nested else 2)

    def asks_which(x, size):
        return x + 1 if size is default else x + 2

    g = torch.compile(asks_which)
    for size in (default, tuple(map(int, "34")), default, tuple(map(int, "35")), default):
        assert torch.equal(g(torch.ones(2), size), asks_which(torch.ones(2), size))
