"""Hooks of GraphModule: they are told of each node that is made, erased, or put into the place of another."""

from __future__ import annotations

import copy
import pickle

import monograph as torch
import pytest
from monograph import fx, nn
from monograph.fx.passes.graph_transform_observer import GraphTransformObserver


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
    with pytest.raises(AssertionError, match="op 'call' is not in _legal_ops"):
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


def sources(gm, name):
    return [(s.name, s.pass_name, [a.name for a in s.action], [f.name for f in s.from_node]) for s in node(gm, name).meta["from_node"]]


def test_an_observer_says_what_a_pass_did(tmp_path):
    gm = fx.symbolic_trace(lambda x: torch.neg(x) + 1)
    with GraphTransformObserver(gm, "neg_to_relu", log_url=str(tmp_path)) as seen:
        fx.replace_pattern(gm, lambda x: torch.neg(x), lambda x: torch.relu(x))
    assert (seen.created_nodes, seen.erased_nodes) == ({"relu"}, {"neg"})
    assert sources(gm, "relu") == [("neg", "neg_to_relu", ["REPLACE", "CREATE"], [])]
    number = GraphTransformObserver.get_current_pass_count()
    before, after = ((tmp_path / f"pass_{number}_neg_to_relu_{side}_graph.dot").read_text() for side in ("input", "output"))
    assert "target=torch.neg" in before and "target=torch.relu" not in before and "target=torch.relu" in after

    GraphTransformObserver(gm, "relu_to_cos").apply_gm_pass(lambda g: fx.replace_pattern(g, lambda x: torch.relu(x), lambda x: torch.cos(x)))
    assert sources(gm, "cos") == [("relu", "relu_to_cos", ["REPLACE", "CREATE"], ["neg"])]
    assert not any(gm._hooks(kind) for kind in ("_create_node_hooks", "_erase_node_hooks", "_replace_hooks", "_deepcopy_hooks"))


def test_an_observer_sees_edits_by_hand():
    gm = fx.symbolic_trace(Net())

    def edit(graph):
        with graph.inserting_before(node(gm, "relu")):
            made = graph.call_function(torch.neg, (node(gm, "add"),))
        node(gm, "relu").replace_all_uses_with(made)
        node(gm, "relu").replace_all_uses_with(node(gm, "linear"))
        graph.eliminate_dead_code()

    seen = GraphTransformObserver(gm, "by hand")
    seen.apply_graph_pass(edit)
    assert (seen.created_nodes, seen.erased_nodes) == ({"neg"}, {"relu"})
    assert sources(gm, "neg") == [("relu", "by hand", ["REPLACE", "CREATE"], [])]


def test_an_observer_leaves_no_hooks_in_copies():
    gm = fx.symbolic_trace(Net())
    with GraphTransformObserver(gm, "copy"):
        made = copy.deepcopy(gm)
    assert [n.name for n in made.graph.nodes] == [n.name for n in gm.graph.nodes]
    assert not any(made._hooks(kind) for kind in ("_create_node_hooks", "_erase_node_hooks", "_replace_hooks", "_deepcopy_hooks"))


def test_a_module_says_that_it_is_impure():
    class Counts(nn.ReLU):
        _is_impure = True

    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.counts, self.plain = Counts(), nn.ReLU()

        def forward(self, x):
            self.counts(x), self.plain(x)
            return x * 2

    class Leaves(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return True

    net = Two()
    gm = fx.GraphModule(net, Leaves().trace(net))
    assert [n.name for n in gm.graph.nodes if n.is_impure()] == ["x", "counts", "output"]
    assert gm.graph.eliminate_dead_code() and [n.name for n in gm.graph.nodes] == ["x", "counts", "mul", "output"]
