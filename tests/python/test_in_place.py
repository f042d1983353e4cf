"""y += x in a symbolic trace: a write where somebody may see it, else y + x."""

from __future__ import annotations

import copy
import operator
import os
import random

import monograph as torch
import monograph.nn as nn
import pytest
from monograph.fx import symbolic_trace


class Residual(nn.Module):
    """Blocks as torchvision writes them."""

    def __init__(self, inplace=True):
        super().__init__()
        self.conv, self.norm, self.relu = nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(inplace=inplace)
        self.same, self.hooked, self.seen = nn.Identity(), nn.ReLU(), []
        self.register_buffer("total", torch.zeros(2, 1, 1))

    def forward(self, x):
        y = self.relu(self.norm(self.conv(x)))
        y = self.norm(self.conv(y))
        y += x
        return self.relu(y)


NEEDLESS = {
    "a sum": lambda x, b: x + 1,
    "a layer": lambda x, b: torch.nn.functional.linear(x, b),
    "new memory": lambda x, b: torch.zeros(3),
    "a clone": lambda x, b: x.clone(),
    "a constant": lambda x, b: torch.tensor([1.0, 2.0, 3.0]),
    "read before": lambda x, b: (y := x * 2, y.sum())[0],
    "its shape read": lambda x, b: (y := x * 2, y.shape[0], y.size(1))[0],
    "a view of what nobody else reads": lambda x, b: (x * 2)[0],
}
NEEDED = {
    "the input": lambda x, b: x,
    "a view of the input": lambda x, b: x[0],
    "a buffer": lambda x, b: b,
    "maybe the input": lambda x, b: x.contiguous(),
    "the input where nothing is dropped": lambda x, b: torch.nn.functional.dropout(x, 0.5, training=False),
    "its view read later": lambda x, b: keep(x * 2, lambda y: y[0]),
    "itself read later": lambda x, b: keep(x * 2, lambda y: y),
}
kept = []


def keep(y, face):
    kept.append(face(y))
    return y


class Writes(nn.Module):
    def __init__(self, make):
        super().__init__()
        self.make = make
        self.register_buffer("b", torch.eye(3))

    def forward(self, x):
        kept.clear()
        y = self.make(x, self.b)
        y += x[0] * 3
        y -= 1
        return y, sum(k.sum() for k in kept), x.sum(), self.b.sum()


@pytest.mark.parametrize("name", [*NEEDLESS, *NEEDED])
def test_a_write_is_kept_where_the_memory_has_another_name(name):
    make = {**NEEDLESS, **NEEDED}[name]
    gm, program, x = symbolic_trace(Writes(make)), Writes(make), torch.randn(3, 3)
    targets = [n.target for n in gm.graph.nodes if n.target in (operator.iadd, operator.isub, operator.add, operator.sub)]
    assert (operator.iadd in targets, operator.isub in targets) == (name in NEEDED,) * 2
    expected = program(x.clone())
    for run in (gm, gm.graph, copy.deepcopy(gm)):
        gm.b.copy_(torch.eye(3))
        for a, b in zip(run(x.clone()), expected, strict=True):
            assert torch.equal(torch.as_tensor(a), torch.as_tensor(b))
        if run is gm:
            assert gm.graph.hash() == torch.jit.trace(Writes(make), x.clone(), check_trace=False).inlined_graph.hash()


def test_residual_blocks_are_the_graph_that_patterns_know():
    net, x = Residual().eval(), torch.randn(1, 2, 4, 4)
    gm = symbolic_trace(net)
    assert [n.name for n in gm.graph.nodes] == ["x", "conv", "norm", "relu", "conv_1", "norm_1", "add", "relu_1", "output"]
    (added,) = [n for n in gm.graph.nodes if n.target is operator.add]
    assert added.name == "add" and torch.equal(gm(x), net(x)) and gm.graph.hash() == torch.jit.trace(net, x).inlined_graph.hash()


@pytest.mark.parametrize("make", [lambda net, y: net.same(y), lambda net, y: net.relu(y), lambda net, y: net.hooked(y)])
def test_layers_that_may_give_their_argument_keep_the_write(make):
    net, x = Residual().eval(), torch.randn(1, 2, 4, 4)
    net.hooked.register_forward_hook(lambda m, args, out: net.seen.append(out))

    def forward(x):
        y = make(net, x * 1)
        z = y
        y += 1
        return z

    class Program(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = net

        def forward(self, x):
            return forward(x)

    gm = symbolic_trace(Program())
    assert any(n.target is operator.iadd for n in gm.graph.nodes)
    net.seen.clear()
    assert torch.equal(gm(x), forward(x))


def test_what_a_pass_does_to_the_sum_is_no_write_again():
    """A sum that was a write is one in operators too only for as long as nothing else reads its first argument afterwards."""
    gm = symbolic_trace(lambda x: (y := x * 2, operator.iadd(y, 1))[1])
    mul, added = [n for n in gm.graph.nodes if n.op == "call_function"]
    assert added.target is operator.add
    gm.graph._output.args = ((added, mul),)
    gm.recompile()
    for run in (gm, gm.graph):
        assert [t.tolist() for t in run(torch.ones(2))] == [[3.0, 3.0], [2.0, 2.0]]


def test_the_dtype_of_a_write_is_kept_in_operators():
    f = lambda x, w: operator.iadd(x.half(), w)  # noqa: E731
    gm = symbolic_trace(f)
    assert f(torch.ones(2), torch.ones(2)).dtype == gm.graph(torch.ones(2), torch.ones(2)).dtype == torch.float16


def test_numbers_are_added_as_numbers():
    def f(x):
        n = x.shape[0]
        n += 2
        n *= 3
        return x + n

    gm = symbolic_trace(f)
    assert operator.iadd not in [n.target for n in gm.graph.nodes] and gm(torch.ones(2)).tolist() == [13.0, 13.0]


def later(x, k):
    m = k
    k += 1
    k *= 2
    return x * m + k


@pytest.mark.parametrize("k", [2, 2.5, torch.full((3,), 2.0), (1, 2)], ids=["int", "float", "tensor", "tuple"])
def test_a_number_that_has_another_name_keeps_its_value(k):
    """`k += 1` writes a tensor, and gives a number another value. A proxy may be either."""

    def of_parts(x, k):
        m = k
        k += (3,)
        return x[: len(m)] * 2, k

    program = of_parts if isinstance(k, tuple) else later
    gm, x = symbolic_trace(program), torch.arange(3.0)
    expected, got = program(x, copy.deepcopy(k)), gm(x, copy.deepcopy(k))
    for a, b in zip(got if isinstance(got, tuple) else [got], expected if isinstance(expected, tuple) else [expected], strict=True):
        assert torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b


def test_an_item_that_has_another_name_keeps_its_value():
    gm, x = symbolic_trace(lambda x: later(x, x.sum().item())), torch.arange(3.0)
    assert torch.equal(gm(x), later(x, 3.0))


def test_a_write_to_a_constant_is_code():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(operator.iadd, (3, x)))
    assert torch.fx.GraphModule(nn.Module(), graph)(torch.ones(2)).tolist() == [4.0, 4.0]


@pytest.mark.parametrize("base", [-2.0, -2, 2, -1.5e-3])
def test_a_power_of_a_negative_number(base):
    """-2 ** x is -(2 ** x) in Python."""
    gm, x = symbolic_trace(lambda x: base**x), torch.arange(4.0)
    assert torch.equal(gm(x), base**x) and torch.equal(gm.graph(x), base**x)


OPERATIONS = ("+", "-", "*")


def random_program(draw):
    """The text of a function of a tensor and a number (or tensor) that gives its variables other values and other names."""
    names, lines, indent = ["x", "k", "y"], ["y = x * 2"], ""
    for _ in range(draw.randint(3, 9)):
        kind, a, b, sign = draw.random(), draw.choice(names), draw.choice(names), draw.choice(OPERATIONS)
        if kind < 0.4:
            lines.append(f"{indent}{a} {sign}= {draw.choice([b, '2', 'k', '1.5'])}")
        elif kind < 0.6 and not indent:
            names.append(draw.choice("mnp"))
            lines.append(f"{names[-1]} = {a}")
        elif kind < 0.75:
            lines.append(f"{indent}{a} = {a} {sign} {b}")
        elif kind < 0.85:
            lines.append(f"{indent}{a}, {b} = {b}, {a}")
        elif kind < 0.9:
            lines.append(f"{indent}y[0] {sign}= k")
        elif indent:
            indent = ""
        else:
            lines += ["for _i in range(2):", f"    {a} += 1"]
            indent = "    "
    body = "".join(f"    {line}\n" for line in lines)
    return f"def program(x, k):\n{body}    return ({', '.join(sorted(set(names)))},)\n"


def test_random_programs_of_numbers_and_tensors_keep_their_values():
    seed = int(os.environ.get("MONOGRAPH_SEED") or random.randrange(10**6))
    print(f"MONOGRAPH_SEED={seed}")
    draw, runs = random.Random(seed), 0
    for _ in range(120):
        text = random_program(draw)
        found: dict = {}
        exec(text, found)
        program = found["program"]
        try:
            gm = symbolic_trace(program)
        except Exception:  # a swap of a number and a tensor in a loop is refused
            continue
        for k in (3, 2.5, torch.full((3,), 2.0)):
            given, again = (torch.arange(3.0), copy.deepcopy(k)), (torch.arange(3.0), copy.deepcopy(k))
            try:
                expected = program(*given)
            except (RuntimeError, TypeError):
                continue
            runs += 1
            for a, b in zip((*gm(*again), *again), (*expected, *given), strict=True):
                assert torch.equal(torch.as_tensor(a), torch.as_tensor(b)), f"{text}\n{gm.code}"
    assert runs > 100
