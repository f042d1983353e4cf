"""Graphs that are built and changed part by part through torch.jit's graph API, beside PyTorch where it is there, and methods that a text gives to a module."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import monograph as torch
import monograph.nn as nn
import pytest

TEXT = "def f(x, y, c: bool, n: int):\n  return x + y\n"


@pytest.fixture
def function() -> Any:
    return torch.jit.CompilationUnit(TEXT).f


def saved(graph: Any) -> Any:
    buffer = io.BytesIO()
    torch.jit.save(graph, buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)


def run(function: Any, c: bool = True, n: int = 3) -> list[float]:
    x, y = torch.full((2,), 5.0), torch.full((2,), 2.0)
    got = function(x, y, c, n)
    assert torch.equal(saved(function.graph)(x, y, c, n), got)
    return got.tolist()


# What each program does to the graph of TEXT. PyTorch runs the same text (test_pytorch_builds_the_same).
BRANCH = """
x, y, c, n = graph.inputs()
add = graph.findNode("aten::add")
branch = graph.create("prim::If", [c], 1).insertBefore(add)
yes, no = branch.addBlock(), branch.addBlock()
yes.registerOutput(yes.addNode("aten::mul", [x, y]).output())
three = yes.addNode("aten::mul", [x, x])
with graph.insert_point_guard(no):
    less = graph.insert("aten::sub", [x, y])
no.registerOutput(less)
branch.output().setType(x.type())
add.output().replaceAllUsesWith(branch.output())
add.destroy()
"""
TWO_RESULTS = BRANCH + """
yes.registerOutput(three.output())
no.registerOutput(y)
second = branch.addOutput()
second.setType(x.type())
first = next(branch.outputs())
total = graph.create("aten::add", [first, second, alpha(graph, branch)])
total.insertAfter(branch)
graph.return_node().replaceInput(0, total.output())
"""
LOOP = """
x, y, c, n = graph.inputs()
add = graph.findNode("aten::add")
with graph.insert_point_guard(add):
    always = graph.insertConstant(True)
    one = graph.insertConstant(1)
loop = graph.create("prim::Loop", [n, always, x], 1).insertBefore(add)
body = loop.addBlock()
i = body.addInputToBlock()
i.setType(n.type())
carried = body.addInputToBlock()
carried.setType(x.type())
product = body.addNode("aten::mul", [carried, y])
body.registerOutput(always)
body.registerOutput(body.addNode("aten::add", [product.output(), i, one]).output())
loop.output().setType(x.type())
add.output().replaceAllUsesWith(loop.output())
add.destroy()
"""
PLACES = """
x, y, c, n = graph.inputs()
add = graph.findNode("aten::add")
relu = graph.create("aten::relu", [x])
graph.prependNode(relu)
clone = graph.createClone(add, lambda v: relu.output() if v.debugName() == "x" else v)
clone.copyMetadata(add)
clone.insertAfter(add)
add.replaceAllUsesWith(clone)
neg = graph.create("aten::neg", [clone.output()])
graph.appendNode(neg)
neg.moveBefore(relu)
neg.moveAfter(clone)
add.destroy()
graph.registerOutput(neg.output())
graph.eraseOutput(0)
extra = graph.addInput("extra")
graph.eraseInput(4)
"""
PROGRAMS = {"branch": BRANCH, "two results": TWO_RESULTS, "loop": LOOP, "places": PLACES}
WANT = {
    "branch": {(True, 3): [10, 10], (False, 3): [3, 3]},
    "two results": {(True, 3): [35, 35], (False, 3): [5, 5]},
    "loop": {(True, 0): [5, 5], (True, 1): [10, 10], (True, 2): [21, 21]},
    "places": {(True, 1): [-7, -7]},
}
HELP = """
def alpha(graph, place):
    with graph.insert_point_guard(place):
        return graph.insertConstant(1)
"""


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_program_builds_a_graph_that_runs(name: str, function: Any):
    names = {"graph": function.graph, "torch": torch}
    exec(HELP + PROGRAMS[name], names)
    function.graph.lint()
    for (c, n), want in WANT[name].items():
        assert run(function, c, n) == want


@pytest.mark.oracle
@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_pytorch_builds_the_same(name: str, oracle: Any):
    for (c, n), want in WANT[name].items():
        got = oracle.run(
            "function = torch.jit.CompilationUnit(text).f\n"
            "graph = function.graph\n"
            "exec(made_by, {'graph': graph, 'torch': torch})\n"
            "graph.lint()\n"
            "made = torch._C._create_function_from_graph('f', graph)\n"
            "result = made(torch.full((2,), 5.0), torch.full((2,), 2.0), c, n).tolist()",
            text=TEXT, made_by=HELP + PROGRAMS[name], c=c, n=n,
        )  # fmt: skip
        assert got == want


def test_a_graph_is_whole_while_it_is_built(function: Any):
    """Every step leaves a graph that can be printed, checked, copied and run."""
    graph = function.graph
    x, y, c, n = graph.inputs()
    assert list(graph.param_node().outputs()) == [x, y, c, n] and graph.param_node().kind() == "prim::Param"

    def whole() -> None:
        graph.lint()
        assert "prim::If" in str(graph) and str(graph.copy()) == str(graph)
        assert function(torch.full((2,), 5.0), torch.full((2,), 2.0), True, 3).tolist() == [7, 7]

    branch = graph.create("prim::If", [c], 2)
    assert branch.outputsSize() == 2 and list(branch.blocks()) == []
    whole()
    yes = branch.addBlock()
    assert list(branch.blocks()) == [yes] and list(yes.outputs()) == [] and list(yes.nodes()) == []
    whole()
    yes.registerOutput(x)
    no = branch.addBlock()
    whole()
    no.registerOutput(y), no.registerOutput(x), yes.registerOutput(y)
    assert list(yes.outputs()) == [x, y] and [str(v.type()) for v in branch.outputs()] == ["Tensor", "Tensor"]
    whole()
    branch.eraseOutput(0)
    assert branch.outputsSize() == 1 and list(no.outputs()) == [x]
    whole()
    loop = graph.create("prim::Loop", [n, c, x], 1)
    whole()
    body = loop.addBlock()
    loop.addInput(y)
    assert list(body.inputs()) == [] and loop.outputsSize() == 1
    whole()
    values = [body.addInputToBlock() for _ in range(3)]
    assert list(body.inputs()) == values and [str(v.type()) for v in values] == ["int", "Tensor", "Tensor"]
    second = loop.addOutput()
    assert loop.outputsAt(1) == second
    whole()
    for value in (c, values[2], values[1]):
        body.registerOutput(value)
    whole()
    with pytest.raises(RuntimeError, match="addInput gives the loop another one"):
        body.registerOutput(x)
    with pytest.raises(RuntimeError, match="addInput gives the loop another one"):
        body.addInputToBlock()
    with pytest.raises(RuntimeError, match="a block of prim::If uses values of the graph around it"):
        yes.addInputToBlock()
    with pytest.raises(RuntimeError, match="which has 1 block"):
        loop.addBlock()
    with pytest.raises(RuntimeError, match="only prim::If and prim::Loop have blocks"):
        graph.findNode("aten::add").addBlock()
    with pytest.raises(RuntimeError, match="an output for each value that it carries: 1, not 3"):
        graph.create("prim::Loop", [n, c, x], 3)
    whole()
    assert run(function) == [7, 7]


def test_a_result_that_is_used_stays_one_when_there_are_two(function: Any):
    graph = function.graph
    x, y, c, _ = graph.inputs()
    branch = graph.create("prim::If", [c], 1)
    for value in (x, y):
        branch.addBlock().registerOutput(value)
    old = branch.output()
    graph.return_node().replaceInput(0, old)
    assert run(function, False) == [2, 2]
    for block, value in zip(branch.blocks(), (y, x), strict=True):
        block.registerOutput(value)
    second = branch.addOutput()
    assert run(function, False) == [2, 2]
    with pytest.raises(RuntimeError, match="has several results now"):
        graph.create("aten::relu", [old])
    graph.return_node().replaceInput(0, second)
    assert run(function, False) == [5, 5]
    with pytest.raises(RuntimeError, match="eraseOutput: result 1 of"):
        branch.eraseOutput(1)


def test_inputs_and_places(function: Any):
    graph = function.graph
    x, y, *_ = graph.inputs()
    add = graph.findNode("aten::add")
    assert add.inputsAt(0) == x and add.outputsAt(0) == add.output() and add.namedInput("other") == y
    with pytest.raises(RuntimeError, match="no input named 'third'; it has self, other, alpha"):
        add.namedInput("third")
    made = graph.create("prim::ListConstruct", [x, y])
    assert made.insertInput(1, x) == x and [*made.inputs()] == [x, x, y]
    made.insertInput(3, y)
    assert [*made.inputs()] == [x, x, y, y]
    with pytest.raises(RuntimeError, match="no place 9"):
        made.insertInput(9, y)
    with pytest.raises(RuntimeError, match="has all of its inputs"):
        add.insertInput(0, y)
    assert add.isBefore(made) and made.isAfter(add) and not made.hasUses() and add.hasUses()
    made.moveBefore(add)
    assert made.isBefore(add)
    made.moveAfter(add).copyMetadata(add)
    assert made.isAfter(add) and made.sourceRange() == add.sourceRange() != ""
    with graph.insert_point_guard(add):
        half = graph.insert("aten::mul", [x, 0.5])
        total = graph.insert("aten::add", [half, y], {"alpha": 3})
        with pytest.raises(RuntimeError, match="has no argument 'beta'"):
            graph.insert("aten::add", [half, y], {"beta": 3})
    graph.return_node().replaceInput(0, total)
    assert run(function) == [8.5, 8.5]
    assert half.setTypeAs(x).type() == x.type()
    half.copyMetadata(y)
    assert half.debugName().startswith("y")


class Adder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((2,), 10.0))
        self.calls = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls += 1
        return x + self.weight


MORE = """
    def more(self, x, n: int = 2):
        for i in range(n):
            x = self.helper(self.forward(x))
        return x + self.calls

    def helper(self, x):
        return torch.relu(x) * math.floor(1.5)
"""


def test_a_text_gives_methods_to_a_module():
    scripted, x = torch.jit.script(Adder()), torch.ones(2)
    scripted.define(MORE)
    assert scripted.more(x).tolist() == [23, 23] and scripted.calls == 2
    assert scripted.more(x, n=0).tolist() == [3, 3] and scripted.helper(-x).tolist() == [0, 0]
    assert scripted.more.graph.findNode("prim::Loop") is not None and "(self).forward(" in scripted.more.code
    for again in (copy.deepcopy(scripted), pickle.loads(pickle.dumps(scripted))):
        assert again.more(x).tolist() == [25, 25] and scripted.calls == 2
    buffer = io.BytesIO()
    torch.jit.save(scripted, buffer)
    buffer.seek(0)
    assert torch.jit.load(buffer).more(x).tolist() == [25, 25]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def forward(self, x): return x", "method 'forward' already defined"),
        ("def bad(self, x): return self.nothing", r"(?s)no attribute 'nothing'.*~~~ <--- HERE"),
        ("x = 1", "line 1 is something else"),
        ("@torch.jit.export\ndef f(self): return 1", "without decorators"),
        ("def f(): return 1", "takes no self"),
        ("def f(self, x=print(1)): return x", "a default is a literal"),
        ("def f(self x)", "the text is no Python"),
        ("", "the text has no method"),
    ],
)
def test_a_text_that_is_no_method_changes_nothing(text: str, words: str):
    scripted = torch.jit.script(Adder())
    with pytest.raises(RuntimeError, match=words):
        scripted.define(text)
    assert scripted(torch.ones(2)).tolist() == [11, 11] and not hasattr(scripted, "bad")


def test_names_that_the_caller_answers():
    scripted = torch.jit.script(Adder())
    scripted.define("def scaled(self, x): return self.forward(x) * FACTOR", rcb={"FACTOR": 3}.get)
    assert scripted.scaled(torch.ones(2)).tolist() == [33, 33]
