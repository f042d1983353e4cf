"""Nodes that an edit inserts or changes have types: inferred when they are asked for."""

from __future__ import annotations

from typing import Any

import monograph as torch
import monograph.nn as nn
import pytest
from monograph import fx
from monograph.fx.passes.fake_tensor_prop import FakeTensorProp
from monograph.fx.passes.shape_prop import ShapeProp


def by_name(graph: fx.Graph) -> dict[str, fx.Node]:
    return {node.name: node for node in graph.nodes(recursive=True)}


@pytest.fixture
def graph() -> fx.Graph:
    return torch.jit.trace(lambda x, w: torch.tanh(torch.relu(x @ w) + 1), (torch.ones(2, 3), torch.ones(3, 4))).inlined_graph


def test_inserted_nodes_in_every_spelling(graph):
    relu = by_name(graph)["relu"]
    assert relu.value_type == "Float(s0_0, s1_1)"
    with graph.inserting_after(relu):
        a = graph.call_function(torch.ops.aten.gelu.default, (relu,))
        b = graph.call_function("aten::sum.dim_IntList", (a, [0]))
        c = graph.call_method("to", (b, torch.float64))
        d = graph.call_function(torch.nn.functional.softmax, (c,), {"dim": -1})
        e = graph.call_function(torch.max, (a,), {"dim": 1})
        f = graph.call_function(torch.arange, (7,))
        g = graph.call_function(torch.unsqueeze, (d, 0))
    # The last first: what it is made of is inferred on the way.
    assert g.value_type == "Double(1, s1_1)" and d.value_type == c.value_type == "Double(s1_1)" and b.value_type == "Float(s1_1)"
    assert a.value_type == relu.value_type and f.value_type == "Long(7, device=cpu)" and e.value_type == "(Float(s0_0), Long(s0_0))"
    assert next(graph.outputs()).node().value_type == "Float(s0_0, s1_1)"
    assert str(fx.Value(g).type()) == "Double(1, s1_1)" and fx.Value(g).type().kind() == "TensorType"
    assert "%unsqueeze : Double(1, s1_1) = " in graph._to_text("torchscript")


def test_a_bare_name_calls_the_overload_that_its_arguments_fit(graph):
    relu = by_name(graph)["relu"]
    with graph.inserting_after(relu):
        rows = graph.call_function("aten::mean", (relu,), {"dim": [1]})
        whole = graph.create_node("call_function", "aten::mean", (relu,))
    assert (rows.value_type, whole.value_type, rows.target) == ("Float(s0_0)", "Float()", "aten::mean")
    whole.kwargs = {"dim": 0, "keepdim": True}
    assert whole.value_type == "Float(1, s1_1)"
    whole.kwargs = {}
    assert whole.value_type == "Float()"
    with graph.inserting_after(relu):
        largest = graph.call_function("aten::max", (relu, 1))
    assert largest.value_type == "(Float(s0_0), Long(s0_0))"
    graph.output_node().args = ((rows, whole),)
    graph.lint()
    x, w = torch.randn(2, 3), torch.randn(3, 4)
    assert [torch.equal(a, b) for a, b in zip(graph(x, w), (torch.relu(x @ w).mean(1), torch.relu(x @ w).mean()), strict=True)] == [True, True]
    # A node that is used keeps its number of results.
    used = graph.output_node().args[0][1]
    used.target, used.args = "aten::max", (relu,)
    used.args = (relu, 1)
    with pytest.raises(RuntimeError, match="max.. takes 1 positional argument but 2 were given"):
        graph(x, w)


def test_the_text_has_the_types_of_new_nodes(graph):
    relu = by_name(graph)["relu"]
    with graph.inserting_after(relu):
        graph.call_function("aten::sum", (relu,))
    assert "%sum_1 : Float() = aten::sum(%relu, %" in str(graph)


def test_what_follows_a_changed_node_is_inferred_again(graph):
    nodes = by_name(graph)
    assert nodes["tanh"].value_type == "Float(s0_0, s1_1)"
    with graph.inserting_after(nodes["relu"]):
        mean = graph.call_function("aten::mean.dim", (nodes["relu"], [1]))
    nodes["relu"].replace_all_uses_with(mean, delete_user_cb=lambda user: user is not mean)
    assert nodes["add"].value_type == nodes["tanh"].value_type == "Float(s0_0)"
    nodes["add"].args = (nodes["relu"], 1)
    assert nodes["tanh"].value_type == "Float(s0_0, s1_1)"
    nodes["add"].replace_input_with(nodes["relu"], mean)
    assert nodes["tanh"].value_type == "Float(s0_0)"
    nodes["add"].target = "aten::eq.Scalar"
    assert nodes["add"].value_type == "Bool(s0_0)" and nodes["tanh"].value_type == "Float(s0_0)"
    with graph.inserting_before(mean):
        double = graph.call_function("aten::to.dtype", (nodes["relu"], torch.float64))
    nodes["relu"].replace_all_uses_with(double)
    double.args = (nodes["relu"], torch.float64)
    assert mean.value_type == "Double(s0_0)"
    mean.kwargs = {"keepdim": True}
    assert mean.value_type == "Double(s0_0, 1)"
    graph.lint()


def test_what_cannot_be_known_has_no_type(graph):
    relu = by_name(graph)["relu"]
    with graph.inserting_after(relu):
        own = graph.call_function(lambda v: v, (relu,))
        behind = graph.call_function("aten::relu", (own,))
        wrong = graph.call_function("aten::reshape", (relu, [-1, -1]))
        text = graph.call_function("aten::relu", ("text",))
    assert [n.value_type for n in (own, behind, wrong, text)] == [None] * 4
    symbolic = fx.symbolic_trace(lambda x: x + 1).graph
    assert [n.value_type for n in symbolic.nodes] == [None] * 3  # a tensor or a number


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.bn = nn.Linear(3, 4), nn.BatchNorm1d(4)

    def forward(self, x):
        return torch.relu(self.bn(self.fc(x)))


@pytest.mark.parametrize("prop", [ShapeProp, FakeTensorProp])
def test_what_a_pass_noted_is_where_inference_starts(prop):
    gm = fx.symbolic_trace(Net().eval())
    nodes = by_name(gm.graph)
    with gm.graph.inserting_after(nodes["bn"]):
        pooled = gm.graph.call_method("mean", (nodes["bn"],), {"dim": 1})
        weight = gm.graph.get_attr("fc.weight")
        product = gm.graph.call_function(torch.matmul, (nodes["bn"], weight))
    assert pooled.value_type is None and weight.value_type == "Float(4, 3)"
    for rows in (5, 6):
        for node in (pooled, weight, product):
            node.meta.clear()
        prop(gm).propagate(torch.ones(rows, 3))
        for node in (pooled, weight, product):
            node.meta.clear()
        assert nodes["relu"].value_type == f"Float({rows}, 4)"
        assert pooled.value_type == f"Float({rows})" and product.value_type == f"Float({rows}, 3)"


def test_inside_of_a_branch():
    def f(x):
        return torch.cond(x.sum() > 0, lambda a: a.sin(), lambda a: a.cos(), (x,)) * 2

    graph = torch.jit.trace(f, torch.ones(2, 3), check_trace=False).inlined_graph
    nodes = by_name(graph)
    with graph.inserting_after(nodes["sin"]):
        made = graph.call_function("aten::exp", (nodes["sin"],))
        flat = graph.call_function("aten::sum", (made,))
    assert made.value_type == nodes["sin"].value_type == "Float(s0_0, s0_1)" and flat.value_type == "Float()"


def test_a_long_chain_of_new_nodes(graph):
    at = by_name(graph)["relu"]
    with graph.inserting_after(at):
        for _ in range(20_000):
            at = graph.call_function("aten::relu", (at,))
    assert at.value_type == "Float(s0_0, s1_1)"


def test_types_are_right_after_a_replaced_pattern():
    gm = fx.symbolic_trace(Net().eval())
    ShapeProp(gm).propagate(torch.ones(5, 3))
    fx.replace_pattern(gm, lambda x: torch.relu(x), lambda x: torch.nn.functional.gelu(x).sum(dim=0))
    assert [n.value_type for n in gm.graph.nodes if n.name in ("gelu", "sum_1")] == ["Float(5, 4)", "Float(4)"]


def test_a_new_call_of_a_layer_has_its_type():
    calls = []

    class Own(nn.Module):
        def forward(self, x):
            calls.append(x)
            return x * 2

    gm = fx.symbolic_trace(Net().eval())
    gm.add_submodule("wide", nn.Linear(4, 7))
    gm.add_submodule("pair", nn.Sequential(nn.Linear(7, 2), nn.Softmax(dim=0)))
    gm.add_submodule("lstm", nn.LSTM(4, 3))
    gm.add_submodule("own", Own())
    relu = by_name(gm.graph)["relu"]
    with gm.graph.inserting_before(gm.graph.output_node()):
        wide = gm.graph.call_module("wide", (relu,))
        pair = gm.graph.call_module("pair", (wide,))
        summed = gm.graph.call_method("sum", (pair, 0))
        misfit = gm.graph.call_module("wide", (pair,))
        lstm, own = (gm.graph.call_module(path, (relu,)) for path in ("lstm", "own"))
        missing = gm.graph.create_node("call_module", "missing", (relu,))
    new = (wide, pair, summed, misfit, lstm, own, missing)
    assert [n.value_type for n in new] == [None] * 7
    for rows in (5, 6):
        relu.meta["val"] = torch.empty(rows, 4)
        assert [n.value_type for n in new[:3]] == [f"Float({rows}, 7)", f"Float({rows}, 2)", "Float(2)"]
        assert [n.value_type for n in new[3:]] == [None] * 4
    assert not calls  # the code of the user's does not run to find a type


def test_a_layer_put_into_a_traced_graph_keeps_the_sizes_that_are_not_known():
    model = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU())
    traced = torch.jit.trace(model, torch.ones(1, 3, 8, 8)).inlined_graph
    gm = fx.GraphModule(model, traced)
    gm.add_submodule("bn", nn.BatchNorm2d(4).eval())
    last = gm.graph.output_node().args[0]
    with gm.graph.inserting_after(last):
        bn = gm.graph.call_module("bn", (last,))
        behind = gm.graph.call_function(torch.relu, (bn,))
    assert bn.value_type == behind.value_type == last.value_type
    assert "s0_0" in last.value_type


def unknown_to_graphs(x):
    return x


def repeated(x, y: Any):
    z = torch.while_loop(lambda k, z: k < 2, lambda k, z: (k + 1, z.tanh()), (torch.zeros((), dtype=torch.int64), y))[1]
    return z.max(1, keepdim=True)[0] + z


def test_a_type_that_was_asked_for_does_not_show_in_the_text_of_a_graph_without_types():
    graph = fx.symbolic_trace(repeated).graph
    text = str(graph)
    largest = by_name(graph)["max_1"]
    assert largest.value_type == "(Tensor, Long(...))" and str(graph) == text
    before, largest.args = largest.args, (by_name(graph)["x"], 1)
    assert largest.value_type is None
    largest.args = before
    assert largest.value_type == "(Tensor, Long(...))" and str(graph) == text


def test_an_edit_that_is_undone_gives_the_type_back(graph):
    text, nodes = str(graph), by_name(graph)
    with graph.inserting_before(nodes["relu"]):
        unknown = graph.call_function(unknown_to_graphs, (nodes["x"],))
    before, nodes["relu"].args = nodes["relu"].args, (unknown,)
    assert nodes["relu"].value_type is None
    nodes["relu"].args = before
    graph.erase_node(unknown)
    assert nodes["relu"].value_type == "Float(s0_0, s1_1)" and str(graph) == text
