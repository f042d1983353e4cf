"""Loops that jit.trace keeps with control_flow="keep": the graph has a Loop, and gives what the function gives for other numbers of rounds, sizes 0 and 1 among
them, in the process and from a file. What cannot be carried is a guard, which refuses by line."""

from __future__ import annotations

import collections
import subprocess
import sys
from typing import Any, NamedTuple

import monograph as torch
import monograph.nn as nn
import pytest
from test_kept_branches import Box, Programs, same

INPUTS = [
    torch.ones(2, 3),
    torch.tensor([[1.0, 2, 3], [4, 5, 6], [-7, 8, -9], [0.5, 0.5, 0.5]]),
    torch.full((1, 3), 30.0),
    torch.full((3, 3), 1.5),
    torch.zeros(0, 3),
    -torch.ones(3, 3),
]


def while_on_a_value(x):
    y = x.abs() + 1
    while y.sum() < 100 and y.numel() > 0:
        y = y * 2
    return y


def while_with_a_number(x):
    n = 0
    while x.abs().sum() < 100:
        x = x.abs() * 2 + 1
        n += 1
        if n > 20:
            break
    return x + n


def while_true(x):
    n = 0
    while True:
        x = x * 2 + 1
        n += 1
        if x.sum() > 50 or n > 6:
            break
    return x


def while_and(x):
    i = 0
    while i < x.shape[0] and x[i].sum() > 0:
        i += 1
    return x + i


def while_return(x):
    n = 0
    while n < 8:
        x = x * 2 + 1
        if x.sum() > 50:
            return x * -1
        n = n + x.shape[0] + 1
    return x * n


def while_continue_else(x):
    n = k = 0
    while n < x.shape[0] + 5:
        n += 1
        x = x + n
        if x.sum() > 15:
            continue
        k += 3
    else:
        x = x + 1
    return x * k


def while_over_sizes(x):
    n = 0
    while n < x.shape[0]:
        n += 2
    return x + n


def growing(x):
    y = x[:1] + 1
    while y.shape[0] < x.shape[0] * 2:
        y = torch.cat([y, y + 1])
    return y * 2


def rows(x):
    s = torch.zeros(3)
    for row in x:
        s = s * 0.5 + row
    return s


def rnn(x):
    h = torch.zeros(3)
    for i in range(x.shape[0]):
        h = torch.tanh(h + x[i])
    return h


def enumerated(x):
    h = x.sum(0)
    for i, row in enumerate(x):
        h = h + row * i
    return h


def zipped(x):
    h = x.sum(0)
    for a, (i, b) in zip(x, enumerate(x * 2, 3)):
        h = h * a - b * i
    return h


def steps(x):
    h = torch.zeros(3)
    for i in range(1, len(x), 2):
        h = h + x[i] * i
    return h


def backwards(x):
    h = torch.zeros(3)
    for i in reversed(range(x.shape[0])):
        h = h * 0.5 + x[i]
    return h


def nested(x):
    h = x.new_zeros(())
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            h = h * 0.5 + x[i, j]
    return h


def while_in_for(x):
    total = x.sum() * 0
    for row in x:
        s = row.abs().sum() + 1
        while s < 40:
            s = s * 2
        total = total + s
    return total


def broken(x):
    h = x.sum(0)
    for row in x:
        if row.sum() > 10:
            break
        h = h + row
    return h


def broken_or_else(x):
    h = x.sum(0)
    for row in x:
        if row.sum() > 10:
            break
        h = h + row
    else:
        h = h * 2
    return h


def continued(x):
    h = x.sum(0)
    for row in x:
        if row.sum() < 0:
            continue
        h = h + row
    return h


def returned(x):
    for i in range(len(x)):
        if x[i].sum() > 10:
            return x[i]
    return x.sum(0)


def branch_in_loop(x):
    h = torch.zeros(3)
    for i in range(x.shape[0]):
        if x[i].sum() > 0:
            h = h + x[i]
        else:
            h = h - 1
    return h


def loops_in_branch(x):
    h = x.sum(0)
    if h.sum() > 3:
        for i in range(x.shape[0]):
            h = h + x[i]
    else:
        while h.sum() < 3:
            h = h + 1.5
    return h


def loop_in_a_function(x):
    def halve(t):
        while t.abs().sum() > 1:
            t = t / 2
        return t

    return halve(x) + halve(x + 1)


def in_place(x):
    y = x.clone()
    for i in range(x.shape[0]):
        y[i] = y[i] * i
    return y


def in_a_dict(x):
    d = {"h": torch.zeros(3), "n": 0}
    for row in x:
        d["h"] = d["h"] * 0.5 + row
        d["n"] += 1
    return d["h"] * d["n"]


def swapped(x):
    a, b = x.abs(), x.abs() + 1
    while a.numel() > 0 and a.sum() < 50:
        a, b = b, a + b
    return a - b


def closure(x):
    total = x.sum(0)

    def add(row):
        nonlocal total
        total = total + row

    for row in x:
        add(row)
    return total


def newton(x):
    a = x.abs() + 1
    y = a
    while ((y * y - a).abs() > 1e-4).any():
        y = (y + a / y) / 2
    return y


def noise(x):
    h = torch.zeros(3)
    for row in x:
        h = h + row * torch.rand(3)
    return h + torch.rand(3)


def constant_that_is_written(x):
    h = torch.zeros(3)
    for row in x:
        h += row
    return h


def chained_comparison(x):
    a = x + 1
    for i in range(x.shape[0]):
        k = 0
        while True:
            k += 1
            a = a + i
            if k > 3 or not -2 < a.sum() < 30:
                break
    return a


def range_with_a_break(x):
    for _ in range(100):
        x = x * 1.1 + 0.01
        if x.sum() > 50:
            break
    return x


def range_with_a_return(x):
    n = 0
    for i in range(3, 60, 2):
        x = x + i * 0.1
        n = i
        if x.sum() > 50:
            return x * n
    return x - n


def range_with_an_else(x):
    t = 0
    for i in range(30):  # noqa: B007
        t = t + x.sum()
        if t > 20:
            break
    else:
        t = t * 2
    return t + i


def range_that_fills_a_list(x):
    outs = [x.sum()]
    for i in range(20):
        x = x * 1.2
        outs.append(x.sum() + i)
        if x.abs().sum() > 40:
            break
    return torch.stack(outs)


class State(NamedTuple):
    y: Any
    steps: Any
    history: list[Any]


class Counted(collections.namedtuple("Counted", ["y", "n"])):
    __slots__ = ()

    @property
    def large(self):
        return self.y.sum() > 100


def namedtuple_as_an_attribute(x):
    box = Box()
    box.state = State(x.abs() + 1, x.sum() * 0, [x, x])
    while box.state.y.sum() < 100 and box.state.y.numel() > 0:
        y, steps, history = box.state
        box.state = State(y * 2, steps + 1, [history[1], y])
    return box.state.y + box.state.steps + box.state.history[0]


def subclass_of_a_namedtuple(x):
    c = Counted(x.abs() + 1, 0)
    for _ in range(x.shape[0]):
        if not c.large:
            c = Counted(c.y * 3, c.n)
        c = Counted(c.y + 1, n=c.n + 1)
    return c.y * c.n


def place_by_halving(x):
    low, high = 0, x.shape[0]
    while low < high:
        middle = (low + high) // 2
        if x[middle].sum() < 0.5:
            low = middle + 1
        else:
            high = middle
    return x.sum() + low


def size_that_shrinks(x):
    n = x.shape[0]
    for row in x:
        if row.sum() > 0:
            n = n // 2
    return x * n


KEPT = [place_by_halving, size_that_shrinks, namedtuple_as_an_attribute, subclass_of_a_namedtuple, range_with_a_break, range_with_a_return, range_with_an_else, range_that_fills_a_list, chained_comparison, while_on_a_value, while_with_a_number, while_true, while_and, while_return, while_continue_else, while_over_sizes, rows, rnn, enumerated,
        zipped, steps, backwards, nested, while_in_for, broken, broken_or_else, continued, returned, branch_in_loop, loops_in_branch,
        loop_in_a_function, in_place, in_a_dict, swapped, closure, newton, noise, growing, constant_that_is_written]  # fmt: skip


def number_or_tensor(x):
    total = 0
    for row in x:
        total = total + row.sum()
    return total + x.sum()


def last_of_the_loop(x):
    for i in range(x.shape[0]):
        y = x[i] * 2
    return y + i


def other_dtype(x):
    y = x.sum(0).to(torch.int64)
    for row in x:
        y = y + row
    return y


def of_numbers(x):
    out = [1, 2, 3, 4, 5, 6]
    total = x.sum()
    for i in range(x.shape[0]):
        total = total + out[i]
    return total


def printed(x):
    h = x.sum(0)
    for row in x:
        print("a row")
        h = h + row
    return h


def grown(x):
    out = [x.sum(0)]
    for row in x:
        out.append(row + out[-1])
    return torch.stack(out)


def list_that_is_replaced(x):
    a, b = x + 1, x * 2
    xs = [x + 2, x - 1]
    ys = xs
    for row in x:
        xs[1] = a
        xs = [a, b]
        b = xs[1] * 0.5 + row
    return ys[1] + xs[0] * 10 + xs[1] * 100 + b * 1000


GUARDED = [list_that_is_replaced, number_or_tensor, last_of_the_loop, other_dtype, of_numbers, printed, grown]


def agrees(f: Any, run: Any, inputs: Any = INPUTS) -> int:
    """How many inputs give the function's result. The others must be refused."""
    equal = 0
    for x in inputs:
        torch.manual_seed(3)
        try:
            expected = f(x.clone())
        except Exception:
            expected = None
        torch.manual_seed(3)
        try:
            got = run(x.clone())
        except Exception as error:
            assert expected is None or "the graph was captured where" in str(error), error
            continue
        if expected is not None:
            assert same(expected, got), (x, expected, got)
            equal += 1
    return equal


@pytest.mark.parametrize("example", range(len(INPUTS)))
@pytest.mark.parametrize("f", [*KEPT, *GUARDED], ids=lambda f: f.__name__)
def test_programs(f, example, tmp_path, capsys):
    try:
        f(INPUTS[example].clone())
    except Exception:
        return
    torch.manual_seed(3)
    traced = torch.jit.trace(f, INPUTS[example].clone(), control_flow="keep", check_trace=False)
    equal = agrees(f, traced)
    traced.graph.save(tmp_path / "f.mgraph")
    assert agrees(f, torch.load_graph(tmp_path / "f.mgraph")) == equal
    if f in KEPT:
        assert not traced.graph.guards
        assert "prim::Loop" in str(traced.graph)
        assert equal == len(INPUTS)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.out = nn.Linear(6, 3), nn.Linear(3, 2)

    def forward(self, x):
        h = torch.zeros(3)
        for i in range(x.shape[0]):
            h = torch.tanh(self.cell(torch.cat([h, x[i]])))
        return self.out(h)


class Refined(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Linear(3, 3)

    def forward(self, x):
        n = 0
        while n < 5:
            x = x + torch.tanh(self.step(x)) * 0.5
            if x.sum() > 20:
                break
            n = n + x.shape[0] + 1
        return x * 2


@pytest.mark.parametrize("make", [Recurrent, Refined])
@pytest.mark.parametrize("example", [0, 1])
def test_gradients_flow_through_loops(make, example):
    torch.manual_seed(1)
    net = make()
    traced = torch.jit.trace(net, INPUTS[example].clone(), control_flow="keep", check_trace=False)
    assert "prim::Loop" in str(traced.inlined_graph) and not traced.graph.guards
    for x in INPUTS:
        assert same(net(x), traced(x))
        for f in (net, traced):
            f.zero_grad()
        given = [x.clone().requires_grad_() for _ in range(2)]
        want = torch.autograd.grad(net(given[0]).sum(), [given[0], *net.parameters()], allow_unused=True)
        got = torch.autograd.grad(traced(given[1]).sum(), [given[1], *net.parameters()], allow_unused=True)
        for a, b in zip(want, got, strict=True):
            if a is None or b is None:
                assert (a is None or bool((a == 0).all())) and (b is None or bool((b == 0).all()))
            else:
                assert torch.allclose(a, b, rtol=1e-5, atol=1e-6)


def test_the_example_goes_on_behind_the_loop():
    seen = []

    def f(x):
        while x.sum() < 10:
            x = x * 2
        seen.append(x.detach().clone())
        return x

    x = torch.ones(2, 3)
    torch.jit.trace(f, x, control_flow="keep", check_trace=False)
    assert torch.equal(seen[0], torch.full((2, 3), 2.0))
    assert torch.equal(x, torch.ones(2, 3))


def test_a_loop_in_the_arm_that_the_example_does_not_take_does_not_run():
    def f(x):
        if x.sum() > 0:
            while x.sum() < 100:
                x = x * 2
        return x

    traced = torch.jit.trace(f, torch.zeros(2, 3), control_flow="keep", check_trace=False)  # there it would never end
    assert not traced.graph.guards
    assert agrees(f, traced, [INPUTS[0], INPUTS[2], INPUTS[5]]) == 3


def test_the_arm_that_is_not_taken_does_not_compute():
    def f(x):
        if x.shape[0] > 0:
            return x[torch.zeros((), dtype=torch.int64) + 1]  # raises for one row
        return x.sum(0)

    traced = torch.jit.trace(f, torch.zeros(0, 3), control_flow="keep", check_trace=False)
    assert torch.equal(traced(torch.ones(2, 3)), torch.ones(3))


def test_a_range_unrolls_where_its_rounds_need_the_number():
    weights = [torch.ones(3) * k for k in range(8)]

    def f(x):
        for i in range(8):
            x = x + weights[i]
            if x.sum() > 30:
                break
        return x

    def no_exit(x):
        for _ in range(10):
            x = x * 0.5
        return x

    for function in (f, no_exit):
        traced = torch.jit.trace(function, INPUTS[0], control_flow="keep", check_trace=False)
        assert "prim::Loop" not in str(traced.graph) and not traced.graph.guards
        assert agrees(function, traced) == len(INPUTS)


def test_loops_over_what_the_program_holds_unroll():
    layers = [nn.Linear(3, 3) for _ in range(3)]

    def f(x):
        for layer in layers:
            x = layer(x)
        return x

    traced = torch.jit.trace(f, INPUTS[0], control_flow="keep", check_trace=False)
    assert "prim::Loop" not in str(traced.graph) and str(traced.graph).count("aten::linear") == 3


class LoopPrograms(Programs):
    """Random functions with loops whose number of rounds depends on sizes and values, beside what the random functions of branches have."""

    def statement(self, indent: int, depth: int, loops: int) -> None:
        r, pad = self.random, "    " * indent
        kind = r.random()
        if kind > 0.25 or loops >= 2 or depth >= 3:
            return super().statement(indent, depth, loops)
        name = f"k{len(self.lines)}"
        if kind < 0.13:
            self.lines.append(
                pad
                + r.choice(
                    [
                        "for i in range(x.shape[0]):",
                        "for i in range(len(x) + 1):",
                        "for i in range(1, x.shape[0], 2):",
                        "for row in x:",
                        "for i, row in enumerate(x):",
                        "for row, other in zip(x, x * 2):",
                        "for i in reversed(range(x.shape[0])):",
                    ]
                )
            )
            if "row" in self.lines[-1]:
                self.block(indent + 1, depth + 1, loops + 1)
                self.lines.append(f"{pad}    {r.choice('abc')} = {self.tensor()} * 0.5 + row")
            else:
                self.block(indent + 1, depth + 1, loops + 1)
        else:
            self.lines.append(f"{pad}{name} = 0")
            test = r.choice([f"{self.tensor(1)}.sum() < 3", f"{self.condition(1)}", "True", f"{name} < x.shape[0]"])
            self.lines.append(f"{pad}while {test}:")
            self.lines.append(f"{pad}    {name} += 1")
            self.lines.append(f"{pad}    if {name} > {r.randint(2, 5)}{r.choice(['', ' or ' + self.condition(1)])}:")
            self.lines.append(f"{pad}        break")
            self.block(indent + 1, depth + 1, loops + 1)
        if r.random() < 0.3:
            self.lines.append(f"{pad}else:")
            self.block(indent + 1, depth + 1, loops)
        return None


FUZZED = [
    torch.ones(1, 3),
    torch.tensor([[0.5, -2.0, 1.0], [3.0, 1.0, 2.0], [-4.0, 0.0, 1.0]]),
    torch.zeros(0, 3),
    torch.full((3, 3), 5.0),
    -torch.ones(2, 3),
]


def fuzz(seed: int) -> tuple[int, int]:
    """Compares a random function with its traces on each input: how many runs were equal, and how many were refused."""
    source = LoopPrograms(seed).source()
    scope: dict[str, Any] = {"torch": torch, "Box": Box}
    exec(compile(source, f"<seed {seed}>", "exec"), scope)
    f = scope["f"]
    equal = refused = 0
    for x in FUZZED:
        try:
            f(x.clone())
        except Exception:  # max() of no elements, a name that a loop without rounds did not set
            continue
        traced = torch.jit.trace(f, x.clone(), control_flow="keep", check_trace=False)
        for y in FUZZED:
            try:
                expected = f(y.clone())
            except Exception:
                continue
            try:
                got = traced(y.clone())
            except Exception as error:
                assert "the graph was captured where" in str(error) or "Sizes of tensors" in str(error), (seed, source, str(error))
                refused += 1
                continue
            assert same(expected, got), (seed, source, x, y, expected, got, str(traced.graph))
            equal += 1
    return equal, refused


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed):
    fuzz(seed)


def test_the_first_capture_may_begin_inside_of_a_namedtuple():
    """The __new__ of a namedtuple has no builtins; a process whose first capture makes one still takes len() and range() as functions of the graph."""
    program = (
        "import collections, monograph as torch\n"
        "Pair = collections.namedtuple('Pair', ['a', 'b'])\n"
        "def f(x):\n    p = Pair(x, x + 1)\n    for i in range(len(p.a)):\n        x = x + p.b[i]\n    return x\n"
        "print(torch.jit.trace(f, torch.ones(3, 3), control_flow='keep').graph.guards)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout == "[]\n", run.stderr
