"""Pickles and copies of graphs with branches and loops: torch.cond, torch.while_loop, and `if`, `for` and `while` of a function that is traced."""

from __future__ import annotations

import copy
import functools
import io
import operator
import pickle
import re

import monograph as torch
import pytest
from monograph import fx, nn


def cond_of_lambdas(x):
    return torch.cond(x.sum() > 0, lambda a: a + 1, lambda a: a - 1, (x,))


def cond_of_two(x):
    a, b = torch.cond(x.sum() > 0, lambda a: (a + 1, a * 2), lambda a: (a - 1, a * 3), (x,))
    return a, b, a @ b


def nested_conds(x):
    def inner(a):
        return torch.cond(a.max() > 3, lambda b: b * 10, lambda b: b / 10, (a,))

    return torch.cond(x.sum() > 0, inner, lambda a: a - 1, (x,)) * 2


def loop(x):
    return torch.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (torch.tensor(0), x))


def loop_in_cond(x):
    def grow(a):
        return torch.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2), (torch.tensor(0), a))[1]

    return torch.cond(x.sum() > 0, grow, lambda a: a - 1, (x,))


def branch(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 1
    return y + 1


def early_return(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


def branches_in_loop(x):
    for i in range(x.shape[0]):
        if x[i].sum() > 1:
            x = x + i
        else:
            x = x * 2
    return x


def while_of_values(x):
    k = 0
    while x.abs().sum() < 20:
        x = x * 2
        k = k + 1
    return x, k


def growing_list(x):
    parts = []
    for row in x:
        parts.append(row.relu())
    return torch.stack(parts)


def raising(x):
    if x.isnan().any():
        raise ValueError("not a number")
    return x * 2


FUNCTIONS = [
    cond_of_lambdas, cond_of_two, nested_conds, loop, loop_in_cond, branch, early_return, branches_in_loop, while_of_values, growing_list, raising,
]  # fmt: skip


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        self.other = nn.Linear(3, 3)
        self.register_buffer("steps", torch.ones(3))

    def forward(self, x):
        x = self.fc(x)
        if x.sum() > 0:
            x = self.other(x) * self.steps
        for _ in range(2):
            x = torch.cond(x.max() > 1, lambda a: self.fc(a), lambda a: a * self.steps, (x,))
        return x


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = fx.symbolic_trace(Net())
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.inner(x))


class KeepsInner(fx.Tracer):
    def is_leaf_module(self, m, module_qualified_name):
        return isinstance(m, fx.GraphModule) or super().is_leaf_module(m, module_qualified_name)


INPUTS = (torch.arange(9.0).reshape(3, 3), -torch.ones(3, 3), torch.full((3, 3), 0.25))


def by_torch_save(value):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


WAYS = {
    "deepcopy": copy.deepcopy,
    "torch.save": by_torch_save,
    **{f"protocol {n}": functools.partial(lambda n, value: pickle.loads(pickle.dumps(value, protocol=n)), n) for n in (2, 3, 4, 5)},
}


def same(a, b):
    if isinstance(a, (tuple, list)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b


def outcome(f, x):
    try:
        return f(x.clone())
    except ValueError as error:
        return str(error).split("\n")[0]


def nodes_of(graph):
    return [(n.op, n.target if n.op == "call_function" else str(n.target), n.name if n.op != "output" else "", str(n.args)) for n in graph.nodes(recursive=True)]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_symbolic_trace_with_blocks_can_be_copied_and_pickled(function, way):
    gm = fx.symbolic_trace(function)
    made = WAYS[way](gm)
    assert made.code == gm.code and nodes_of(made.graph) == nodes_of(gm.graph)
    made.graph.lint()
    for x in INPUTS:
        assert same(outcome(made, x), outcome(gm, x)), x
    assert gm.graph.hash() == made.graph.hash()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_its_graph_alone_too(function, way):
    graph = fx.symbolic_trace(function).graph
    made = WAYS[way](graph)
    assert nodes_of(made) == nodes_of(graph) and str(made) == str(graph)
    again = WAYS[way](made)
    assert nodes_of(again) == nodes_of(graph)
    gm = fx.GraphModule(nn.Module(), made) if all(n.op != "get_attr" for n in made.nodes(recursive=True)) else None
    for x in INPUTS if gm is not None else ():
        assert same(outcome(gm, x), outcome(function, x))


@pytest.mark.parametrize("way", WAYS)
def test_modules_with_blocks_that_call_layers(way):
    torch.manual_seed(0)
    gm = fx.symbolic_trace(Net())
    made = WAYS[way](gm)
    assert made.code == gm.code and sorted(made.state_dict()) == sorted(gm.state_dict())
    assert made.fc is not gm.fc
    for x in INPUTS:
        assert torch.equal(made(x), gm(x))
    with torch.no_grad():
        made.fc.weight.zero_()
    assert not torch.equal(gm.fc.weight, made.fc.weight)


@pytest.mark.parametrize("way", WAYS)
def test_nested_graph_modules(way):
    torch.manual_seed(0)
    outer = Outer()
    gm = fx.GraphModule(outer, KeepsInner().trace(outer))
    made = WAYS[way](gm)
    assert isinstance(made.inner, fx.GraphModule) and made.inner.code == gm.inner.code
    for x in INPUTS:
        assert torch.equal(made(x), gm(x))


def without_folders(graph):
    """The text of a graph. A pickle names the files of sources without their folders."""
    return re.sub(r"# \S*/", "# ", str(graph))


@pytest.mark.parametrize("capture", [torch.jit.trace, torch.jit.script], ids=["trace", "script"])
@pytest.mark.parametrize("way", WAYS)
def test_graphs_of_other_captures(capture, way):
    scripted_branch = branch if capture is torch.jit.script else cond_of_two
    graph = capture(scripted_branch).graph if capture is torch.jit.script else capture(scripted_branch, INPUTS[0]).inlined_graph
    made = WAYS[way](graph)
    assert made.hash() == graph.hash() and without_folders(made) == without_folders(graph)
    for x in INPUTS:
        assert same(made(x), graph(x))


@pytest.mark.parametrize("way", WAYS)
def test_a_trace_with_guards_and_a_function_of_python(way):
    """A node that is no operator, in a graph with guards, types, and a branch."""

    def program(x):
        y = x * 2
        if y.shape[0] > 2:
            y = y + 1
        return torch.cond(y.sum() > 0, lambda a: a + 1, lambda a: a - 1, (y,))

    graph = torch.jit.trace(program, INPUTS[0]).inlined_graph
    first = next(n for n in graph.nodes if n.op == "call_function")
    with graph.inserting_after(first):
        called = graph.call_function(operator.neg, (first,))
    first.replace_all_uses_with(called, delete_user_cb=lambda user: user is not called)
    gm = fx.GraphModule(nn.Module(), graph)
    made = WAYS[way](gm)
    assert [(n.op, n.name, str(n.args)) for n in made.graph.nodes] == [(n.op, n.name, str(n.args)) for n in graph.nodes]  # the copy may name operator.neg by a text
    assert [g[:2] for g in torch._C._guards(made.graph)] == [g[:2] for g in torch._C._guards(graph)]
    assert [n.value_type for n in made.graph.nodes] == [n.value_type for n in graph.nodes]
    for x in INPUTS:
        assert same(made(x), gm(x))


def test_notes_of_nodes_in_blocks_are_kept():
    gm = fx.symbolic_trace(cond_of_two)
    inner = next(n for n in gm.graph.nodes(recursive=True) if n.target is operator.add)
    inner.meta["note"], inner.type = [1], int
    inner.meta["unpicklable"] = lambda: 1
    for made in (pickle.loads(pickle.dumps(gm)), copy.deepcopy(gm)):
        node = next(n for n in made.graph.nodes(recursive=True) if n.target is operator.add)
        assert node.meta["note"] == [1] and node.type is int
    assert "unpicklable" not in pickle.loads(pickle.dumps(gm)).graph.find_nodes(op="placeholder")[0].meta


def test_a_copy_can_be_edited():
    gm = pickle.loads(pickle.dumps(fx.symbolic_trace(nested_conds)))
    for node in gm.graph.nodes(recursive=True):
        if node.target is operator.mul:
            node.target = operator.add
    gm.recompile()
    gm.graph.lint()
    assert torch.equal(gm(INPUTS[0]), INPUTS[0] + 10 + 2)


def test_the_tracer_is_kept():
    gm = pickle.loads(pickle.dumps(fx.symbolic_trace(cond_of_lambdas)))
    assert gm._tracer_cls is fx.Tracer and gm.graph._tracer_cls is fx.Tracer
