"""Arguments that are nodes of another graph: an edit may put them there for a while, lint finds them, and no run takes them."""

from __future__ import annotations

import copy
import gc
import pickle
import re

import monograph as torch
import pytest
from monograph import fx, nn


def program(x, y):
    a = torch.relu(x)
    b = a + y
    return b * 2


HERE, RELU = re.escape(__file__), program.__code__.co_firstlineno + 1
WORDS = rf"(?s)Argument 'relu' of Node 'add' does not belong to this Graph.*add was made at {HERE}:{RELU + 1}\n  relu was made at {HERE}:{RELU}\n.*arg_transform"


def node(graph, name):
    return next(n for n in graph.nodes if n.name == name)


def broken(assign):
    gm, other = fx.symbolic_trace(program), fx.symbolic_trace(program)
    assign(node(gm.graph, "add"), node(other.graph, "relu"))
    return gm, other


EDITS = {
    "args": lambda add, foreign: setattr(add, "args", (foreign, 1)),
    "a list in kwargs": lambda add, foreign: setattr(add, "kwargs", {"alpha": [foreign]}),
    "a slice": lambda add, foreign: setattr(add, "args", (add.args[0], slice(None, foreign))),
    "update_arg": lambda add, foreign: add.update_arg(1, foreign),
    "insert_arg": lambda add, foreign: add.insert_arg(0, foreign),
    "update_kwarg": lambda add, foreign: add.update_kwarg("alpha", foreign),
}


@pytest.mark.parametrize("edit", EDITS)
def test_lint_finds_it_and_no_run_takes_it(edit):
    gm, other = broken(EDITS[edit])
    with pytest.raises(RuntimeError, match=WORDS):
        gm.graph.lint()
    gm.recompile()
    x = torch.ones(2)
    runs = [
        lambda: gm(x, x), lambda: gm(x, x), lambda: gm.graph(x, x), lambda: gm.graph.build(), lambda: gm.graph.hash(), lambda: gm.graph.save("never.mgraph"),
        lambda: gm.graph.python_code("self"), lambda: torch.jit.trace(gm, (x, x)), lambda: copy.deepcopy(gm)(x, x),
    ]  # fmt: skip
    for run in runs:
        with pytest.raises(RuntimeError, match="does not belong to this Graph"):
            run()
    with pytest.raises(RuntimeError, match="referenced nonexistent value relu"):
        fx.Interpreter(gm).run(x, x)
    with pytest.raises(TypeError, match="nodes of other graphs"):
        pickle.dumps(gm)
    other.graph.lint()
    assert torch.equal(other(x, x), program(x, x))


def test_it_can_be_put_right():
    gm, other = broken(EDITS["args"])
    add, foreign = node(gm.graph, "add"), node(other.graph, "relu")
    assert add.args[0] is foreign and foreign not in add.all_input_nodes and add not in foreign.users
    with gm.graph.inserting_before(add):
        add.args = (gm.graph.node_copy(foreign, lambda n: node(gm.graph, n.name)), 1)
    gm.graph.lint()
    gm.recompile()
    x = torch.randn(3)
    assert torch.equal(gm(x, x), (torch.relu(x) + 1) * 2)


def test_a_copy_of_nodes_without_new_arguments_is_found():
    graph = fx.Graph()
    for old in fx.symbolic_trace(program).graph.nodes:
        graph.node_copy(old)
    with pytest.raises(RuntimeError, match="Argument 'x' of Node 'relu' does not belong to this Graph"):
        graph.lint()
    with pytest.raises(RuntimeError, match="does not belong to this Graph"):
        fx.GraphModule(nn.Module(), graph)(torch.ones(1), torch.ones(1))


def test_new_nodes_of_another_graph():
    gm, foreign = fx.symbolic_trace(program), node(fx.symbolic_trace(program).graph, "x")
    with gm.graph.inserting_before(node(gm.graph, "add")):
        made = gm.graph.call_function(torch.neg, (foreign,))
    with pytest.raises(RuntimeError, match="Argument 'x' of Node 'neg'"):
        gm.graph.lint()
    gm.graph.erase_node(made)
    gm.graph.lint()


def test_the_other_graph_may_be_gone():
    gm, _ = broken(EDITS["args"])
    del _
    gc.collect()
    assert node(gm.graph, "add").args[0].name == "relu"
    with pytest.raises(RuntimeError, match="does not belong to this Graph"):
        gm.graph.lint()
    del gm
    gc.collect()


def test_a_node_of_the_same_name_is_not_taken_instead():
    gm, other = broken(lambda add, foreign: setattr(add, "args", (foreign, add.args[1])))
    gm.recompile()
    with pytest.raises(RuntimeError, match="does not belong to this Graph"):
        gm(torch.ones(1), torch.ones(1))
    assert str(gm.graph) != str(other.graph)
