"""Names of torch.fx that few programs use: what they do is what they do in PyTorch 2.13."""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
import types
import typing

import monograph as torch
import pytest
from monograph import fx, nn
from monograph.fx.graph_module import reduce_package_graph_module
from monograph.fx.proxy import MetaProxy, assert_fn
from monograph.fx.tensor_type import TensorType


def test_a_tracer_traces_another_method():
    class Net(nn.Module):
        def other(self, x):
            return x + 1

    class Tracer(fx.Tracer):
        traced_func_name = "other"

    graph = Tracer().trace(Net())
    assert [n.name for n in graph.nodes] == ["x", "add", "output"]
    with pytest.raises(AssertionError, match="traced_func_name=other doesn't exist in ReLU"):
        Tracer().trace(nn.ReLU())
    assert fx.proxy.TracerBase.traced_func_name == "forward"
    assert fx.proxy.TracerBase.record_stack_traces is False


def test_a_meta_proxy_computes_on_the_side():
    graph = fx.Graph()
    node = graph.placeholder("x")
    node.meta["val"] = torch.empty(2, 3, device="meta")
    proxy = MetaProxy(node)
    assert repr(proxy) == "MetaProxy(x)"
    found = torch.sum(torch.relu(proxy), 1)
    assert type(found) is MetaProxy
    assert found.node.meta["val"].shape == (2,)
    assert [n.name for n in graph.nodes] == ["x", "relu", "sum_1"]


def test_facts_of_tensors_become_nodes():
    graph = fx.Graph()
    x = graph.placeholder("x")
    x.meta["val"] = torch.empty(2, 3, device="meta").t()
    made = graph.create_size_node(x, 1), graph.create_stride_node(x, 1), graph.create_storage_offset_node(x)
    graph.output(made)
    assert [n.meta["val"] for n in made] == [2, 3, 0]
    assert fx.GraphModule({}, graph)(torch.ones(4, 3)[1:].t()) == (3, 3, 3)
    assert graph.materialize_symints([3, True]) == [3, True]
    assert graph.materialize_symint(4) == 4
    with pytest.raises(TypeError, match="materialize_symints"):
        graph.materialize_symint("4")


def test_small_names(caplog):
    assert TensorType((1, 2)).dims == (1, 2)
    assert_fn(True)
    with pytest.raises(AssertionError):
        assert_fn(False)
    with caplog.at_level(logging.WARNING):
        fx._symbolic_trace.is_fx_tracing_warning()
    assert "is_fx_tracing" in caplog.text


def test_code_of_a_package_becomes_a_graph_module():
    module = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 3), nn.ReLU()))
    code = types.SimpleNamespace(forward=type(module).__dict__["forward"].__get__(None, type(module)))
    importer = types.SimpleNamespace(import_module=lambda name: code)
    made = reduce_package_graph_module(importer, dict(module.__dict__), "any")
    assert made.code == module.code
    x = torch.randn(4, 2)
    assert torch.equal(made(x), module(x))
    assert pickle.loads(pickle.dumps(made)).code == module.code


SAVE = """
import sys, torch
from torch import nn, fx

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.rest = nn.Linear(3, 4), nn.Sequential(nn.ReLU(), nn.Linear(4, 2))
        self.register_buffer("shift", torch.ones(2))

    def forward(self, x, y=2):
        return torch.add(self.rest(self.layer(x)), self.shift) * y

module, x = fx.symbolic_trace(Net()), torch.randn(5, 3)
module.meta["note"] = 1
torch.save(module, sys.argv[1])
torch.save((x, module(x)), sys.argv[2])
print(module.code)
"""


@pytest.mark.oracle
def test_a_graph_module_that_pytorch_saved(tmp_path):
    paths = [str(tmp_path / name) for name in ("module.pt", "values.pt")]
    done = subprocess.run([os.environ["MONOGRAPH_ORACLE"], "-c", SAVE, *paths], check=True, capture_output=True, text=True)
    module, (x, expected) = torch.load(paths[0], weights_only=False), torch.load(paths[1])
    assert module.code.strip() == done.stdout.strip()
    assert module.meta["note"] == 1
    assert torch.allclose(module(x), expected, atol=1e-6)


def test_a_placeholder_moves_among_placeholders():
    def inputs(graph):
        return [n.name for n in graph.nodes]

    graph = fx.symbolic_trace(lambda x, y: torch.relu(x) + y).graph
    x, y, relu, add, _ = graph.nodes
    x.prepend(y)
    assert inputs(graph) == ["y", "x", "relu", "add", "output"]
    added = graph.placeholder("z")
    relu.prepend(added)  # behind another node a placeholder is the last of them
    assert inputs(graph)[:3] == ["y", "x", "z"]
    add.append(y)
    assert inputs(graph) == ["x", "z", "y", "relu", "add", "output"]
    graph.lint()
    module = fx.GraphModule({}, graph)
    assert module(torch.tensor(-1.0), None, torch.tensor(2.0)).item() == 2
    with pytest.raises(ValueError, match="the output node cannot move"):
        relu.prepend(graph.output_node())
    assert relu._args == (x,)
    assert relu._kwargs == {}


def test_a_tuple_of_a_class_takes_calls_over():
    class Pair(typing.NamedTuple):
        value: torch.Tensor
        scale: float

    class Scaled(Pair):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func(*[a.value * a.scale if isinstance(a, Scaled) else a for a in args], **(kwargs or {}))

    two = Scaled(torch.ones(2), 2.0)
    assert torch.relu(two).tolist() == [2, 2]
    assert torch.add(torch.ones(2), two).tolist() == [3, 3]


def test_layers_are_of_torch_nn_where_monograph_stands_in():
    program = """
import torch
class Tracer(torch.fx.Tracer):
    def is_leaf_module(self, m, name):
        return m.__module__.startswith("torch.nn")
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.BatchNorm2d(3), torch.nn.ReLU())
    def forward(self, x):
        return self.layers(x)
graph = Tracer().trace(Net().eval())
print([n.op for n in graph.nodes], torch.fx.symbolic_trace(Net().eval())(torch.ones(1, 3, 2, 2)).shape, torch.jit.trace(Net().eval(), torch.ones(1, 3, 2, 2))(torch.ones(1, 3, 2, 2)).shape)
"""
    done = subprocess.run([sys.executable, "-m", "monograph", "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "['placeholder', 'call_module', 'output'] torch.Size([1, 3, 2, 2]) torch.Size([1, 3, 2, 2])"


def test_the_forms_of_operators_in_code():
    from monograph.fx.graph import inplace_methods, magic_methods, reflectable_magic_methods

    binary = "add + sub - mul * floordiv // truediv / div / mod % pow ** lshift << rshift >> and_ & or_ | xor ^ matmul @".split()
    reflectable = {name: f"{{}} {symbol} {{}}" for name, symbol in zip(binary[::2], binary[1::2], strict=True)} | {"getitem": "{}[{}]"}
    comparisons = {name: f"{{}} {symbol} {{}}" for name, symbol in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("gt", ">"), ("le", "<="), ("ge", ">="))}
    assert reflectable_magic_methods == reflectable
    assert magic_methods == reflectable | comparisons | {"pos": "+{}", "neg": "-{}", "invert": "~{}"}
    assert len(inplace_methods) == 14
    assert (inplace_methods["iadd"], inplace_methods["setitem"]) == ("{} += {}", "{}[{}] = {}")


def test_a_package_marks_what_it_keeps():
    from monograph.fx import _compatibility

    def old():
        """Does it."""

    def new():
        pass

    assert _compatibility.compatibility(is_backward_compatible=True)(old) is old
    assert _compatibility.compatibility(is_backward_compatible=False)(new) is new
    assert old.__doc__.startswith("Does it.\n") and ".. note::" in old.__doc__
    assert ".. warning::" in new.__doc__
    assert old in _compatibility._BACK_COMPAT_OBJECTS and new not in _compatibility._BACK_COMPAT_OBJECTS
    assert {old, new} <= set(_compatibility._MARKED_WITH_COMPATIBILITY)


def test_a_tracer_asks_what_kind_of_proxy_it_has():
    class Sized(fx.Proxy):
        pass

    class Other(fx.Proxy):
        pass

    answers = []

    class Tracer(fx.Tracer):
        def proxy(self, node):
            return Sized(node, self)

        def create_proxy(self, kind, target, args, kwargs, *rest, **options):
            result = super().create_proxy(kind, target, args, kwargs, *rest, **options)
            answers.extend(isinstance(v, Other) for v in (*args, result) if isinstance(v, fx.Proxy))
            return result

    class Net(nn.Module):
        def forward(self, x):
            y = torch.relu(x.unknown)
            return y if isinstance(x.shape, tuple) else -y

    Tracer().trace(Net())
    assert answers and not any(answers)


ROW = torch.arange(1.0, 4.0)


@pytest.mark.parametrize(
    ("function", "target", "name"),
    [
        (lambda x: ROW + x, "add", "add"),
        (lambda x: ROW - x, "sub", "sub"),
        (lambda x: ROW * x, "mul", "mul"),
        (lambda x: ROW / x, "div", "div"),
        (lambda x: ROW // x, None, "floordiv"),
        (lambda x: ROW % x, "remainder", "remainder"),
        (lambda x: ROW**x, "pow", "pow_1"),
        (lambda x: ROW @ x, "matmul", "matmul"),
        (lambda x: (ROW > 1) & x, None, "and_"),
        (lambda x: (ROW > 1) | x, None, "or_"),
        (lambda x: (ROW > 1) ^ x, None, "xor"),
        (lambda x: ROW.int() << x, "__lshift__", "lshift"),
        (lambda x: ROW.int() >> x, "__rshift__", "rshift"),
        (lambda x: x > ROW, None, "gt"),
        (lambda x: ROW > x, "gt", "gt"),
        (lambda x: ROW <= x, "le", "le"),
        (lambda x: ROW < x, "lt", "lt"),
        (lambda x: ROW[x], "__getitem__", "getitem"),
    ],
)
def test_an_operator_of_a_constant_is_a_method_of_it(function, target, name):
    """As in torch.fx: the left operand is a tensor, so the call is one of its methods."""
    gm = fx.symbolic_trace(function)
    node = list(gm.graph.nodes)[-2]
    assert node.name == name
    if target is not None:
        assert (node.op, node.target, str(node.args[0])) == ("call_method", target, "_tensor_constant0")
    integers = name in ("and_", "or_", "xor", "lshift", "rshift", "getitem")
    x = torch.tensor([1, 0, 1]) if integers else torch.tensor([3.0, 2.0, 1.0])
    x = x.bool() if name in ("and_", "or_", "xor") else x
    for run in (gm, fx.Transformer(gm).transform(), pickle.loads(pickle.dumps(gm)), fx.symbolic_trace(gm)):
        assert torch.equal(run(x), function(x))
    assert torch.equal(torch.jit.trace(gm, x)(x), function(x))
    if name != "getitem":  # a script has no x.__getitem__(y), here as in PyTorch
        assert torch.equal(torch.jit.script(gm)(x), function(x))
