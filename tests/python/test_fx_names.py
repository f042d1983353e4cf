"""Names of torch.fx that few programs use: what they do is what they do in PyTorch 2.13."""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import types

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
