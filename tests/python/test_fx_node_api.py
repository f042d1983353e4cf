"""Members of Graph, Node and GraphModule as torch.fx has them: their arguments by name, what cannot be changed, and what print_readable shows."""

from __future__ import annotations

import re

import monograph as torch
import pytest
from monograph import fx, nn
from monograph.fx.passes.shape_prop import ShapeProp


def test_members_take_their_arguments_by_name():
    graph = fx.Graph()
    x = graph.placeholder("x")
    a = graph.call_function(torch.relu, (x,))
    b = graph.call_function(torch.neg, (a,))
    graph.output(b)
    a.append(x=b)
    b.replace_input_with(old_input=a, new_input=x)
    a.prepend(x=b)
    assert [n.name for n in graph.nodes] == ["x", "neg", "relu", "output"] and b.args == (x,)
    graph.erase_node(to_erase=a)
    assert [n.name for n in graph.nodes] == ["x", "neg", "output"]
    for call in (lambda: b.append(y=x), lambda: b.append(x, x=x), lambda: b.append(), lambda: b.replace_input_with(x, old_input=x), lambda: graph.erase_node()):
        with pytest.raises(TypeError):
            call()


def test_keyword_arguments_of_a_node_cannot_be_changed_in_place():
    graph = fx.Graph()
    x = graph.placeholder("x")
    node = graph.call_function(torch.cat, ([x, x],), {"dim": 0})
    changes = [
        lambda k: k.__setitem__("out", None), lambda k: k.update(dim=1), lambda k: k.pop("dim"), lambda k: k.setdefault("out", x),
        lambda k: k.clear(), lambda k: k.__delitem__("dim"),
    ]  # fmt: skip
    for change in changes:
        for kwargs in (node.kwargs, x.kwargs):
            with pytest.raises(TypeError, match="assign it to node.args or node.kwargs"):
                change(kwargs)
    assert node.kwargs == {"dim": 0} and isinstance(node.kwargs, dict) and {**node.kwargs} == {"dim": 0} and x.kwargs == {}
    node.kwargs = {**node.kwargs, "dim": 1}
    assert node.kwargs == {"dim": 1}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 4)

    def forward(self, x, y=3):
        a, b = self.linear(x).relu().chunk(2, 1)
        return a.to(torch.bfloat16), b.shape[0], b.t().long()


def test_print_readable_shows_what_is_known_of_values(capsys):
    gm = fx.symbolic_trace(Net())
    ShapeProp(gm).propagate(torch.ones(2, 3), 3)
    text = gm.print_readable()
    assert capsys.readouterr().out == text + "\n"
    lines = [line.strip().partition(";")[0] for line in text.splitlines()]
    assert lines[:5] == [
        "class Net(torch.nn.Module):",
        'def forward(self, x: "f32[2, 3]", y = 3):',
        "# No stacktrace found for following nodes",
        'linear: "f32[2, 4]" = self.linear(x)',
        'relu: "f32[2, 4]" = linear.relu()',
    ]
    assert 'to: "bf16[2, 2]" = getitem.to(torch.bfloat16)' in lines and 'long: "i64[2, 2]" = t.long()' in lines and "chunk = relu.chunk(2, 1)" in lines
    strides = gm.print_readable(False, True, True)
    assert 't: "f32[2, 2][1, 4]" = ' in strides
    gm.graph.find_nodes(op="call_module")[0].meta["val"] = torch.ones(2, 4)
    assert 'linear: "f32[2, 4][4, 1]cpu" = ' in gm.print_readable(False, include_stride=True, include_device=True, expanded_def=True)
    exec(compile(strides.replace("torch.nn.Module", "object"), "readable", "exec"), {"torch": torch, "device": torch.device})
    colored = gm.print_readable(False, colored=True)
    assert 'linear: "\x1b[31mf32\x1b[0m\x1b[34m[2, 4]\x1b[0m' in colored and "chunk = relu.chunk(\x1b[34m2\x1b[0m, \x1b[34m1\x1b[0m)" in colored
    assert re.sub(r"\x1b\[\d+m", "", colored) == gm.print_readable(False)


def test_a_root_that_lacks_what_the_graph_names_is_an_error():
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output((graph.call_module("layer", (x,)), graph.get_attr("w")))
    with pytest.raises(RuntimeError, match=r"Node w \(.*test_fx_node_api.py:\d+\) refers to 'w', but the dict given as root has no such key"):
        fx.GraphModule({"layer": nn.ReLU()}, graph)
    with pytest.raises(RuntimeError, match="root must be a Module, or a dict .*, but got int"):
        fx.GraphModule(3, graph)


def test_a_trace_holds_that_calls_a_graph_module_for_the_first_time():
    gm, x = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2))), torch.ones(1, 2)
    traced = torch.jit.trace(lambda x: gm(x), x)
    assert torch.equal(traced.inlined_graph(x), gm(x)) and torch.equal(traced(x), gm(x))
    gm.graph.output_node().args = (gm.graph.find_nodes(op="placeholder")[0],)
    gm.recompile()
    with pytest.raises(RuntimeError, match="what it read has changed since"):
        traced(x)


@pytest.mark.parametrize("before", [False, True])
def test_a_second_output_is_another_node(before):
    """Passes make the new output beside the old one, and then erase that."""
    gm = fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    old = gm.graph.output_node()
    add = old.args[0]
    with gm.graph.inserting_before(old) if before else gm.graph.inserting_after(old):
        new = gm.graph.create_node("output", "output", ((add, add.args[0]),))
    assert old is not new and old._erased and gm.graph.output_node() is new and list(add.users) == [new]
    gm.graph.erase_node(old)
    gm.graph.lint()
    gm.recompile()
    assert [y.item() for y in gm(torch.ones(1))] == [2, 1] and [n.name for n in gm.graph.nodes][-1] == "output_1"
    assert new._prev is new.prev is add and new._next is new.next
    gm.graph.output({"y": new.args[0][0]})
    gm.recompile()
    assert gm(torch.ones(1))["y"].item() == 2
