"""What PyTorch's own tests of torch.fx ask for, and no other test of ours does."""

from __future__ import annotations

import monograph as torch
import pytest
from monograph import fx, nn
from monograph.fx.experimental import const_fold
from monograph.fx.experimental.rewriter import RewritingTracer


class Spaced(nn.Module):
    def forward(self, a, b):
        words = """
bad
  spacing
            deep"""
        assert a == b, words
        return a + b


def test_an_assert_with_a_text_of_several_lines():
    net = Spaced()
    gm = fx.GraphModule(net, RewritingTracer().trace(net))
    assert any(n.target is torch._assert for n in gm.graph.nodes) and gm(3, 3) == 6
    with pytest.raises(AssertionError) as raised:
        gm(3, 5)
    assert str(raised.value) == "\nbad\n  spacing\n            deep"


class Folds(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Parameter(torch.ones(2, 3)), nn.Parameter(2 * torch.ones(2, 3))

    def forward(self, x, y):
        x = x - (self.a + self.a)
        y = y * (self.a - self.b)
        return x * y + self.b


def test_folded_nodes_keep_their_meta():
    gm = fx.symbolic_trace(Folds())
    for k, node in enumerate(gm.graph.nodes):
        node.meta["place"] = k, node.name
    folded = const_fold.split_const_subgraphs(gm)
    x = torch.randn(2, 3)
    assert torch.equal(folded(x, x), gm(x, x))
    places = [(n.name, n.meta.get("place", (0, ""))[1]) for n in folded.graph.nodes if n.op != "output"]
    assert places == [
        ("x", "x"), ("y", "y"), ("b", "b"), ("_fx_const_folded_attrs", ""), ("getitem", "add"), ("getitem_1", "sub_1"), ("sub", "sub"), ("mul", "mul"),
        ("mul_1", "mul_1"), ("add_1", "add_1"),
    ]  # fmt: skip


def test_one_folded_node_keeps_its_meta():
    class One(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Parameter(torch.ones(2, 3))

        def forward(self, x):
            return x - (self.a + self.a)

    gm = fx.symbolic_trace(One())
    for k, node in enumerate(gm.graph.nodes):
        node.meta["place"] = k
    folded = const_fold.split_const_subgraphs(gm)
    assert [(n.op, n.meta.get("place")) for n in folded.graph.nodes] == [("placeholder", 0), ("get_attr", 2), ("call_function", 3), ("output", 4)]


def test_a_module_that_contains_itself_says_where():
    gm = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2)))
    gm.add_module("again", gm)
    with gm.graph.inserting_before(gm.graph.output_node()):
        made = gm.graph.call_module("again", (gm.graph.output_node().args[0],))
    gm.graph.output_node().args = (made,)
    gm.recompile()
    x = torch.ones(1, 2)
    words = r"the node again, made at .*test_fx_after_pytorchs_suite.py:\d+, calls 'again', a module that holds the module of this graph\nErase the node"
    for call in (lambda: gm(x), lambda: gm(x), lambda: fx.Interpreter(gm).run(x), lambda: gm.graph(x), lambda: gm.graph.hash()):
        with pytest.raises(RecursionError, match=words):
            call()
    with pytest.raises(RuntimeError, match="the call would not end"):
        gm.graph.lint()
    gm.graph.output_node().args = made.args
    gm.graph.erase_node(made)
    gm.delete_submodule("again")
    gm.recompile()
    assert torch.equal(gm(x), gm.get_submodule("0")(x))


def test_a_recursion_elsewhere_stays_as_it_is():
    def endless(x):
        return endless(x)

    graph = fx.Graph()
    graph.output(graph.call_function(endless, (graph.placeholder("x"),)))
    with pytest.raises(RecursionError, match="maximum recursion depth"):
        fx.GraphModule(nn.Module(), graph)(torch.ones(1))
