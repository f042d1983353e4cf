"""Hooks of GraphModule: they are told of each node that is made, erased, or put into the place of another."""

from __future__ import annotations

import copy
import pickle

import monograph as torch
import pytest
from monograph import fx, nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        return torch.relu(self.linear(x) + 1)


def watched():
    gm, told = fx.symbolic_trace(Net()), []
    gm._register_create_node_hook(lambda node: told.append(("create", node.name)))
    gm._register_erase_node_hook(lambda node: told.append(("erase", node.name)))
    gm._register_replace_node_hook(lambda old, new, user: told.append(("replace", old.name, new, user.name)))
    return gm, told


def node(gm, name):
    return next(n for n in gm.graph.nodes if n.name == name)


def test_edits_are_told():
    gm, told = watched()
    relu = node(gm, "relu")
    with gm.graph.inserting_after(relu):
        made = gm.graph.call_function(torch.neg, (relu.args[0],))
    relu.replace_all_uses_with(made)
    gm.graph.erase_node(relu)
    gm.graph.output_node().replace_input_with(made, made.args[0])
    gm.graph.eliminate_dead_code()
    node(gm, "linear").name = "first"
    assert told == [("create", "neg"), ("replace", "relu", "neg", "output"), ("erase", "relu"), ("replace", "neg", "add", "output"), ("erase", "neg"),
                    ("replace", "linear", "first", "add")]  # fmt: skip


def test_every_way_to_make_a_node_is_told():
    gm, told = watched()
    gm._unregister_create_node_hook(gm._create_node_hooks[0])
    names = []
    gm._register_create_node_hook(lambda n: names.append(n.op))
    graph = gm.graph
    with graph.inserting_before(node(gm, "add")):
        y = graph.placeholder("y")
        w = graph.get_attr("linear.weight")
        graph.call_method("neg", (y,))
        graph.call_module("linear", (y,))
        graph.create_node("call_function", torch.neg, (w,))
        graph.node_copy(w)
        torch.relu(fx.Proxy(y))
    assert names == ["placeholder", "get_attr", "call_method", "call_module", "call_function", "get_attr", "call_function"]
    del names[:]
    graph.graph_copy(fx.symbolic_trace(lambda a: a.neg() + 1).graph, {})
    assert names == ["placeholder", "call_method", "call_function"] and told == []


def test_only_chosen_users_are_told():
    gm, told = watched()
    add = node(gm, "add")
    with gm.graph.inserting_after(add):
        again = gm.graph.call_function(torch.neg, (add,))
    del told[:]
    assert add.replace_all_uses_with(again, lambda user: user is not again) == [node(gm, "relu")]
    assert told == [("replace", "add", "neg", "relu")]


def test_replace_pattern_is_told():
    gm, told = watched()
    fx.replace_pattern(gm, lambda x: x + 1, lambda x: torch.sub(x, -1))
    assert told == [("create", "sub"), ("replace", "add", "sub", "relu"), ("erase", "add")]


def test_an_edit_that_is_refused_is_not_told():
    gm, told = watched()
    with pytest.raises(RuntimeError, match="still had 1 users"):
        gm.graph.erase_node(node(gm, "add"))
    with pytest.raises(ValueError, match="op must be"):
        gm.graph.create_node("call", torch.neg)
    assert told == []


def test_hooks_end():
    gm, told = watched()
    for kind in ("create", "erase", "replace"):
        hook = getattr(gm, "_replace_hooks" if kind == "replace" else f"_{kind}_node_hooks")[0]
        getattr(gm, f"_unregister_{kind}_node_hook")(hook)
        with pytest.raises(ValueError, match="is no hook"):
            getattr(gm, f"_unregister_{kind}_node_hook")(hook)
    node(gm, "relu").replace_all_uses_with(node(gm, "add"))
    gm.graph.eliminate_dead_code()
    assert told == []
    with gm._set_replace_hook(lambda old, new, user: told.append(new)):
        node(gm, "add").replace_all_uses_with(node(gm, "linear"))
    node(gm, "linear").replace_all_uses_with(node(gm, "x"))
    assert told == ["linear"]
    with pytest.raises(AssertionError, match="must be callable"):
        gm._register_create_node_hook(3)


def test_hooks_go_with_a_copy_and_a_new_graph():
    gm, told = watched()
    copies = []
    gm._register_deepcopy_hook(copies.append)
    made = copy.deepcopy(gm)
    assert copies == [made]
    del told[:]
    node(made, "relu").replace_all_uses_with(node(made, "add"))
    assert told == [("replace", "relu", "add", "output")]
    gm.graph = fx.symbolic_trace(Net()).graph
    del told[:]
    gm.graph.call_function(torch.neg, (node(gm, "x"),))
    assert told == [("create", "neg")]
    again = pickle.loads(pickle.dumps(gm))
    again.graph.call_function(torch.neg, (node(again, "x"),))
    assert told == [("create", "neg")]


def test_a_graph_without_hooks_is_as_it_was():
    gm = fx.symbolic_trace(Net())
    watched()
    assert "create_node" not in vars(gm.graph)
    x = torch.randn(2, 3)
    node(gm, "relu").replace_all_uses_with(node(gm, "add"))
    node(gm, "add").name = "sum"
    gm.recompile()
    assert torch.equal(gm(x), gm.linear(x) + 1) and "sum_1" in gm.code
