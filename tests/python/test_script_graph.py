"""TorchScript's graph API: what it shows beside PyTorch (tests/data/script/graph_api.json, by tools/oracle/freeze_graph_api.py), and edits that run and are saved."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import monograph as torch
import monograph.nn as nn
import pytest
import scripted_graphs
from monograph._pytorch_classes import CLASSES

FROZEN = json.loads((Path(__file__).resolve().parents[1] / "data" / "script" / "graph_api.json").read_text())


# The compiler makes other calls there.
DIFFERENT = {
    "converted": "a returned dtype becomes a number at the end; PyTorch has dtypes as numbers from the beginning",
    "in_place": "y[0] = 2.0 is one fill_ of the part; PyTorch makes a tensor of the number and copies it",
    "indexed": "x[:, 1:3] has no slice for the first dim, which stays whole",
}


@pytest.mark.parametrize("name", sorted(FROZEN))
def test_shows_what_pytorch_shows(name):
    graph = torch.jit.script(getattr(scripted_graphs, name)).graph
    assert (scripted_graphs.described(graph) == FROZEN[name]) == (name not in DIFFERENT)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.drop = nn.Dropout(0.5)

    def forward(self, x, n: int):
        y = torch.relu(self.conv(x))
        for i in range(n):
            if i % 2 == 0:
                y = torch.relu(y - 0.5)
            else:
                y = self.drop(y) * 2
        return y


class Plain(nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2


def replace_relu(graph: Any) -> None:
    for relu in graph.findAllNodes("aten::relu"):
        made = graph.create("aten::gelu", [relu.inputsAt(0)])
        made.insertBefore(relu)
        relu.output().replaceAllUsesWith(made.output())
        relu.destroy()


def as_eager(net: Net, x: Any, n: int) -> Any:
    y = nn.functional.gelu(net.conv(x))
    for i in range(n):
        y = nn.functional.gelu(y - 0.5) if i % 2 == 0 else y * 2
    return y


def saved(module: Any) -> Any:
    buffer = io.BytesIO()
    torch.jit.save(module, buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)


def test_an_operator_is_replaced_in_a_scripted_module_and_stays_so_in_its_file():
    net = Net().eval()
    scripted, x = torch.jit.script(net), torch.randn(1, 1, 6, 6)
    replace_relu(scripted.inlined_graph)
    assert torch.equal(scripted(x, 3), as_eager(net, x, 3))
    loaded = saved(scripted)
    assert torch.equal(loaded(x, 4), as_eager(net, x, 4))
    assert loaded.graph.findAllNodes("aten::relu") == []
    with pytest.raises(RuntimeError, match="was edited"):
        scripted.train()(x, 3)
    with pytest.raises(RuntimeError, match="was edited"):
        saved(scripted)
    assert torch.equal(scripted.eval()(x, 3), as_eager(net, x, 3))


def test_an_operator_is_replaced_in_a_loaded_module_and_stays_so_in_its_file():
    net = Net().eval()
    loaded, x = saved(torch.jit.script(net)), torch.randn(1, 1, 6, 6)
    replace_relu(loaded.graph)
    assert torch.equal(loaded(x, 3), as_eager(net, x, 3))
    again = saved(loaded)
    assert torch.equal(again(x, 3), as_eager(net, x, 3))
    with pytest.raises(RuntimeError, match="was edited"):
        loaded.train()
    assert torch.equal(loaded.eval()(x, 3), as_eager(net, x, 3))


def test_a_method_that_calls_no_module_has_one_graph():
    scripted = torch.jit.script(Plain())
    assert scripted.graph is scripted.inlined_graph
    replace_relu(scripted.graph)
    x = torch.randn(3)
    assert torch.equal(scripted(x), nn.functional.gelu(x) * 2) and torch.equal(saved(scripted)(x), scripted(x))


def test_an_edit_of_what_does_not_run_is_an_error():
    scripted = torch.jit.script(Net().eval())
    scripted.graph.insertConstant(3)
    with pytest.raises(NotImplementedError, match="edit inlined_graph"):
        scripted(torch.randn(1, 1, 6, 6), 1)


def program(x, n: int):
    y = torch.relu(x + 1)
    while n > 0:
        y = y.view([2, -1]) * 0.5
        n -= 1
    return y


@pytest.fixture
def graph():
    return torch.jit.script(program).graph


def test_literals_lists_and_defaults_are_nodes(graph):
    add, view = graph.findNode("aten::add"), graph.findNode("aten::view")
    assert [(v.node().kind(), v.toIValue()) for v in add.inputs()] == [("prim::Param", None), ("prim::Constant", 1), ("prim::Constant", 1)]
    sizes = view.inputsAt(1).node()
    assert sizes.kind() == "prim::ListConstruct" and [v.toIValue() for v in sizes.inputs()] == [2, -1]
    assert str(sizes.output().type()) == "List[int]" or str(sizes.output().type()) == "int[]"
    assert [use.user for use in sizes.output().uses()] == [view] and sizes.inputsAt(0).uses()[0].user == sizes
    one = add.inputsAt(1).node()
    assert one.attributeNames() == ["value"] and one.kindOf("value") == "i" and one.i("value") == 1
    with pytest.raises(RuntimeError, match="'values' is undefined"):
        one.i("values")
    assert graph.findNode("aten::sub", recurse=False) is None and graph.findNode("aten::gt") is not None


def test_replacing_literals(graph):
    x = torch.ones(2, 3)
    half = next(c for c in graph.findAllNodes("prim::Constant") if c.output().toIValue() == 0.5)
    half.f_("value", 0.25)
    assert torch.equal(graph(x, 1), torch.full((2, 3), 0.5))
    with graph.insert_point_guard(graph.findNode("aten::mul")):
        four = graph.insertConstant(4.0)
    graph.findNode("aten::mul").inputsAt(1).replaceAllUsesWith(four)
    assert torch.equal(graph(x, 1), torch.full((2, 3), 8.0))
    # The default alpha of add, and an item of the list of sizes.
    add = graph.findNode("aten::add")
    with graph.insert_point_guard(add):
        add.replaceInput(2, graph.insertConstant(4))
    assert torch.equal(graph(x, 0), torch.full((2, 3), 5.0))
    graph.findNode("aten::view").inputsAt(1).node().removeInput(0)
    assert graph(x, 1).shape == (6,)
    graph.lint()


def test_inputs_and_outputs_change(graph):
    extra = graph.addInput("extra")
    extra.setType("Tensor")
    relu = graph.findNode("aten::relu")
    added = graph.create("aten::add", [relu.inputsAt(0), extra])
    added.insertBefore(relu)
    relu.replaceInput(0, added.output())
    assert graph.registerOutput(added.output()) == 2
    y, z = graph(torch.zeros(2, 3), 0, torch.ones(2, 3))
    assert torch.equal(y, torch.full((2, 3), 2.0)) and torch.equal(z, y)
    graph.eraseOutput(1)
    with pytest.raises(RuntimeError):
        graph.eraseInput(2)
    relu.replaceInput(0, added.inputsAt(0))
    added.destroy()
    graph.eraseInput(2)
    assert [v.debugName() for v in graph.inputs()] == ["x", "n"]
    assert torch.equal(graph(torch.zeros(2, 3), 0), torch.ones(2, 3))


def test_wrong_edits_are_errors_and_change_nothing(graph):
    text = str(graph)
    add, relu = graph.findNode("aten::add"), graph.findNode("aten::relu")
    with pytest.raises(AttributeError, match="no operator aten::rleu"):
        graph.create("aten::rleu", [])
    with pytest.raises(RuntimeError):
        graph.create("aten::relu", [add.inputsAt(1), add.inputsAt(1)])
    with pytest.raises(RuntimeError, match="needs its argument 'self'"):
        relu.removeInput(0)
    with pytest.raises(RuntimeError):
        relu.destroy()
    with pytest.raises(RuntimeError, match="stands among the inputs"):
        add.inputsAt(1).node().destroy()
    with pytest.raises(RuntimeError, match="another graph"):
        relu.replaceInput(0, next(torch.jit.script(program).graph.inputs()))
    assert str(graph) == text
    stale = add.inputsAt(1)
    add.replaceInput(1, next(graph.inputs()))
    with pytest.raises(RuntimeError, match="has others now"):
        stale.node().kind()


def test_blocks_of_if_and_loop(graph):
    loop = graph.findNode("prim::Loop")
    (body,) = loop.blocks()
    assert body.owningNode() is loop and [v.type().kind() for v in body.inputs()] == ["IntType", "TensorType", "IntType"]
    assert [n.kind() for n in body.nodes() if n.kind() != "prim::Constant"] == ["prim::ListConstruct", "aten::view", "aten::mul", "aten::sub", "aten::gt"]
    assert len(list(body.outputs())) == 1 + loop.outputsSize()
    assert graph.param_node().kind() == "prim::Param" and graph.return_node().kind() == "prim::Return"
    assert body.findNode("aten::mul").owningBlock() == body and "test_script_graph" in body.findNode("aten::mul").sourceRange()


def test_parameters_are_read_from_self():
    graph = torch.jit.script(Net().eval()).inlined_graph
    weight = graph.findNode("aten::conv2d").inputsAt(1).node()
    names = []
    while weight.kind() == "prim::GetAttr":
        names.append(weight.s("name"))
        weight = weight.inputsAt(0).node()
    assert names == ["weight", "conv"] and weight.kind() == "prim::Param"
    assert [v.debugName() for v in graph.inputs()][1:] == ["x", "n"]
    assert [n.s("name") for n in graph.findAllNodes("prim::GetAttr")] == ["conv", "weight", "conv", "bias"]


def test_a_copy_is_edited_by_itself(graph):
    text = str(graph)
    copied = graph.copy()
    replace_relu(copied)
    x = -torch.ones(2, 3) * 2
    assert str(graph) == text and torch.equal(graph(x, 0), torch.zeros(2, 3)) and torch.equal(copied(x, 0), nn.functional.gelu(x + 1))
    scripted = torch.jit.script(Net().eval())
    image = torch.randn(1, 1, 6, 6)
    assert torch.equal(scripted.inlined_graph.copy()(image, 1), scripted(image, 1))


def graphs_of_archives() -> list[Any]:
    folder = Path(__file__).resolve().parents[1] / "data" / "torchscript"
    names = ["cnn", "cnn_frozen", "containers", "dtypes", "encoder", "forked", "lstm", "methods", "mlp_traced", "newton", "tied"]
    return [torch.jit.load(folder / f"{name}.pt").graph for name in names]


def blocks_of(block: Any) -> Any:
    yield block
    for node in block.nodes():
        for inner in node.blocks():
            yield from blocks_of(inner)


def test_inputs_and_uses_agree_in_every_archive():
    count = 0
    for graph in graphs_of_archives():
        text = str(graph)
        for block in blocks_of(graph.block()):
            for node in [*block.nodes(), block.returnNode()]:
                for k, value in enumerate(node.inputs()):
                    assert (node, k) in [(use.user, use.offset) for use in value.uses()], (node, k)
                    assert value in list(value.node().outputs()) or value.node().kind() == "prim::Param"
                    count += 1
                for k, value in enumerate(node.outputs()):
                    assert value.node() == node and value.offset() == k
        assert str(graph) == text  # looking changes nothing
    assert count > 500


def test_writing_every_literal_as_it_is_changes_no_result():
    """Each literal is replaced by a constant node of its value; the graph still computes the same."""
    x = torch.randn(2, 1, 8, 8)
    module = torch.jit.load(Path(__file__).resolve().parents[1] / "data" / "torchscript" / "cnn.pt").eval()
    expected, graph, replaced = module(x), module.graph, 0
    for node in [n for n in graph.nodes() if n.kind().startswith("aten::")]:
        for k, value in enumerate(node.inputs()):
            if value.node().kind() == "prim::Constant" and isinstance(value.toIValue(), (int, float)):
                with graph.insert_point_guard(node):
                    node.replaceInput(k, graph.insertConstant(value.toIValue()))
                replaced += 1
    graph.lint()
    assert replaced > 5 and torch.equal(module(x), expected)


def test_the_classes_are_those_of_torch_c(graph):
    add = graph.findNode("aten::add")
    assert isinstance(graph, torch._C.Graph) and isinstance(add, torch._C.Node) and isinstance(add.inputsAt(1).node(), torch._C.Node)
    assert isinstance(add.output(), torch._C.Value) and isinstance(graph.block(), torch._C.Block) and isinstance(add.output().uses()[0], torch._C.Use)


# The members of PyTorch's classes that are missing here, with the reason.
ABSENT = {
    "Graph": {
        "alias_db": "an AliasDb", "dump_alias_db": "an AliasDb", "createFusionGroup": "groups of the fusers", "createCudaFusionGroup": "groups of the fusers",
        "global_print_source_ranges": "how its texts are printed", "set_global_print_source_ranges": "how its texts are printed",
    },
    "Node": {
        "cconv": "calls of Python functions, ^PythonOp", "pyname": "^PythonOp", "pyobj": "^PythonOp", "scalar_args": "^PythonOp",
        "getModuleHierarchy": "the chain of inlined calls",
    },
    "FunctionSchema": {"check_forward_compatible_with": "versions of schemas", "is_backward_compatible_with": "versions of schemas"},
}  # fmt: skip


@pytest.mark.parametrize("name", ["Graph", "Node", "Value", "Block", "Use", "Type", "FunctionSchema", "Argument"])
def test_each_member_of_pytorchs_class_is_there(name, graph):
    node = graph.findNode("aten::add")
    examples = {"Graph": graph, "Node": node, "Value": node.output(), "Block": graph.block(), "Use": node.output().uses()[0]}
    examples |= {"Type": node.output().type(), "FunctionSchema": node.schema(), "Argument": node.schema().arguments[0]}
    members = CLASSES[f"torch.{name}"].split()
    assert [m for m in members if not hasattr(examples[name], m)] == sorted(ABSENT.get(name, {}))


def two(x, y, n: int):
    return x * n - y, x


def test_inputs_are_permuted():
    graph = torch.jit.script(two).graph
    a, b = torch.ones(2), torch.full((2,), 5.0)
    graph.permuteInputs([2, 1, 0])
    assert [v.debugName() for v in graph.inputs()] == ["n", "y", "x"]
    assert torch.equal(graph(3, b, a)[0], a * 3 - b)
    graph.lint()
    for order in ([0, 1], [0, 1, 1], [0, 1, 3]):
        with pytest.raises(RuntimeError, match="each of the numbers 0 to 2 once"):
            graph.permuteInputs(order)
    own = torch.jit.script(Net().eval()).inlined_graph
    with pytest.raises(RuntimeError, match="input 0 is self"):
        own.permuteInputs([1, 0, 2])
    own.permuteInputs([0, 2, 1])
    assert [v.debugName() for v in own.inputs()][1:] == ["n", "x"]


def test_a_graph_is_inserted():
    graph, other = torch.jit.script(two).graph, torch.jit.script(program).graph
    x, y, n = graph.inputs()
    with graph.insert_point_guard(graph.findNode("aten::mul")):
        (result,) = graph.insertGraph(other, [x, n])
    graph.findNode("aten::sub", recurse=False).replaceInput(1, result)
    graph.lint()
    a = torch.arange(6.0).view(2, 3)
    assert torch.equal(graph(a.view(2, 3), a, 1)[0], a - program(a, 1))
    with graph.insert_point_guard(graph.findNode("aten::mul")):
        (constant,) = graph.insertGraph(other, [x, graph.insertConstant(0)])
    assert constant.node().kind() == "prim::Loop"
    for wrong, message in (([x], "has 2 inputs, but got 1"), ([next(other.inputs()), n], "another graph")):
        with pytest.raises(RuntimeError, match=message):
            graph.insertGraph(other, wrong)
    with pytest.raises(RuntimeError, match=r"insert a copy\(\)"):
        graph.insertGraph(graph, [x, y, n])


def test_results_become_a_tuple():
    graph = torch.jit.script(two).graph
    graph.makeMultiOutputIntoTuple()
    assert [v.node().kind() for v in graph.outputs()] == ["prim::TupleConstruct"]
    x = torch.ones(2)
    result = graph(x, x, 3)
    assert isinstance(result, tuple) and torch.equal(result[0], x * 2) and torch.equal(result[1], x)
    graph.makeMultiOutputIntoTuple()
    assert len(list(graph.outputs())) == 1


def test_attributes_are_removed_and_have_kinds(graph):
    add = graph.findNode("aten::add")
    one = add.inputsAt(1).node()
    with pytest.raises(RuntimeError, match="is undefined"):
        one.removeAttribute("name")
    constant = graph.insertConstant(3).node()
    assert constant.removeAttribute("value").mustBeNone() and constant.output().toIValue() is None
    weight = torch.jit.script(Net().eval()).inlined_graph.findNode("prim::GetAttr")
    with pytest.raises(RuntimeError, match="needs its attribute 'name'"):
        weight.removeAttribute("name")
    tensor = graph.insertConstant(torch.ones(2)).node()
    assert torch.equal(tensor.z("value"), torch.ones(2)) and torch.equal(tensor.z_("value", torch.zeros(2)).t("value"), torch.zeros(2))
    with pytest.raises(RuntimeError, match="is no g, but t"):
        tensor.g("value")
    with pytest.raises(NotImplementedError, match="cannot be a type"):
        tensor.ty_("value", add.output().type())
    assert add.matches("aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor")
    assert not add.matches("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")


def test_types_are_changed(graph):
    value = graph.findNode("aten::relu").output()
    kind = value.type().with_dtype(torch.float32).with_device(torch.device("cpu")).with_sizes([2, 3])
    wider = kind.with_sizes([4, None])
    assert wider.sizes() == [4, None] and wider.scalarType() == "Float" and kind.sizes() == [2, 3]
    assert wider.with_dtype(torch.int64).scalarType() == "Long" and kind.with_sizes(None).sizes() is None
    assert kind.with_sizes([2, 3]).contiguous().strides() == [3, 1] and kind.with_device(torch.device("cpu")).device() == torch.device("cpu")
    assert kind.undefined() is False and not kind.is_interface_type()
    symbolic = kind.with_sizes([2, None]).symbolic_sizes()
    assert symbolic[0] == 2 and symbolic[1] < 0
    value.setType(wider)
    assert value.type().sizes() == [4, None]
    value.inferTypeFrom(torch.ones(5, dtype=torch.float64))
    assert value.type().sizes() == [5] and value.type().scalarType() == "Double"
    for name in ("with_sizes", "contiguous"):
        with pytest.raises((AttributeError, RuntimeError)):
            getattr(next(reversed(list(graph.inputs()))).type(), name)(*([[2]] if name == "with_sizes" else []))


def test_a_text_is_read_back(graph):
    assert "test_script_graph.py:" in graph.str() and "# " not in graph.str(print_source_ranges=False)
    for text in (graph.str(), graph.str(False)):
        again = torch._C.parse_ir(text)
        again.lint()
        x = torch.ones(2, 3)
        assert torch.equal(again(x, 2), graph(x, 2)) and again.str(False) == graph.str(False)
    with pytest.raises(RuntimeError, match="expected"):
        torch._C.parse_ir("graph(%x : Tensor")


# As PyTorch 2.13 prints the graph of torch.jit.script(program).
PYTORCHS = """graph(%x.1 : Tensor,
      %n.1 : int):
  %22 : int = prim::Constant[value=-1]() # program.py:4:25
  %7 : bool = prim::Constant[value=1]() # program.py:3:4
  %4 : int = prim::Constant[value=1]() # program.py:2:23
  %9 : int = prim::Constant[value=0]() # program.py:3:14
  %15 : int = prim::Constant[value=2]() # program.py:4:20
  %18 : float = prim::Constant[value=0.5]() # program.py:4:32
  %5 : Tensor = aten::add(%x.1, %4, %4) # program.py:2:19
  %y.1 : Tensor = aten::relu(%5) # program.py:2:8
  %10 : bool = aten::gt(%n.1, %9) # program.py:3:10
  %25 : int = prim::Constant[value=9223372036854775807]() # program.py:3:4
  %y : Tensor, %n : int = prim::Loop(%25, %10, %y.1, %n.1) # program.py:3:4
    block0(%11 : int, %y.11 : Tensor, %n.9 : int):
      %16 : int[] = prim::ListConstruct(%15, %22)
      %17 : Tensor = aten::view(%y.11, %16) # program.py:4:12
      %y.5 : Tensor = aten::mul(%17, %18) # program.py:4:12
      %n.3 : int = aten::sub(%n.9, %4) # program.py:5:8
      %21 : bool = aten::gt(%n.3, %9) # program.py:3:10
      -> (%21, %y.5, %n.3)
  return (%y)
"""


def test_a_text_of_pytorch_is_read():
    read = torch._C.parse_ir(PYTORCHS)
    x = torch.arange(6.0).view(2, 3)
    assert torch.equal(read(x, 2), program(x, 2)) and read.findNode("aten::view").kind() == "aten::view"


class Calls(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x, flag: bool):
        y = self.first(x)
        if flag:
            y = self.second(y)
        return y


def test_calls_and_branches_have_the_lines_of_the_program():
    graph = torch.jit.script(Calls()).graph
    first = Calls.forward.__code__.co_firstlineno
    lines = str(graph).splitlines()
    call = next(line for line in lines if "prim::CallMethod" in line)
    assert call.endswith(f"test_script_graph.py:{first + 1}:12")
    assert next(line for line in lines if "prim::If" in line).endswith(f"test_script_graph.py:{first + 2}:8")
    assert all("#" not in line for line in lines if "prim::GetAttr" in line and "Linear" in line)


def test_modules_on_the_way_have_their_classes():
    text = str(torch.jit.script(Net().eval()).inlined_graph)
    assert "__torch__.torch.nn.modules.conv.Conv2d = prim::GetAttr" in text and "__torch__.Module" not in text
