"""torch.jit._get_trace_graph, which packages such as fvcore read to count what a model computes: PyTorch's operators, sizes as numbers, scopes that a program pushes."""

from __future__ import annotations

from typing import Any

import monograph as torch
import monograph.nn as nn
import pytest
from monograph.jit._trace_graph import _get_tracing_state


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1, stride=(2, 1)), nn.ReLU(), nn.ConvTranspose2d(4, 2, 2, 2))
        self.last = nn.Linear(2, 3)

    def forward(self, x: Any) -> Any:
        return self.last(self.layers(x).mean((2, 3)))


def kinds(graph: Any) -> list[str]:
    return [n.kind() for n in graph.nodes() if n.kind().startswith("aten::")]


def test_convolutions_are_what_pytorch_records():
    torch.manual_seed(0)
    net, x = Net().eval(), torch.randn(2, 1, 8, 6)
    graph, results = torch.jit._get_trace_graph(net, (x,))
    assert kinds(graph) == ["aten::_convolution", "aten::relu", "aten::_convolution", "aten::mean", "aten::linear"]
    first, second = graph.findAllNodes("aten::_convolution")
    assert [v.toIValue() for v in list(first.inputs())[6:]] == [False, [0, 0], 1, False, False, True, True]
    assert [v.toIValue() for v in first.inputsAt(3).node().inputs()] == [2, 1] or first.inputsAt(3).toIValue() == [2, 1]
    assert second.inputsAt(6).toIValue() is True
    assert torch.equal(graph(x), results) and torch.equal(results, net(x))


def test_sizes_are_the_numbers_of_the_example():
    graph, _ = torch.jit._get_trace_graph(Net().eval(), (torch.randn(2, 1, 8, 6),))
    first, second = graph.findAllNodes("aten::_convolution")
    assert first.inputsAt(0).type().sizes() == [2, 1, 8, 6] and first.inputsAt(0).isCompleteTensor()
    assert first.output().type().sizes() == [2, 4, 4, 6] and second.output().type().sizes() == [2, 2, 8, 12]
    assert graph.findNode("aten::linear").output().type().sizes() == [2, 3]


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_every_number_of_axes(axes: int):
    torch.manual_seed(1)
    conv = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[axes - 1](4, 6, 3, stride=2, padding=1, dilation=1, groups=2)
    back = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)[axes - 1](6, 4, 3, stride=2, output_padding=1, bias=False)
    x = torch.randn(1, 4, *[7] * axes)
    net = nn.Sequential(conv, back)
    graph, results = torch.jit._get_trace_graph(net, (x,))
    assert kinds(graph) == ["aten::_convolution"] * 2
    assert torch.allclose(graph(x), results, atol=1e-5)


def test_a_program_pushes_scopes():
    net = Net().eval()
    handles = []
    for name, module in net.named_modules():

        def push(module: Any, inputs: Any, name: str = name) -> None:
            if state := _get_tracing_state():
                state.push_scope(name)

        def pop(module: Any, inputs: Any, outputs: Any) -> None:
            if state := _get_tracing_state():
                state.pop_scope()

        handles += [module.register_forward_pre_hook(push), module.register_forward_hook(pop)]
    graph, _ = torch.jit._get_trace_graph(net, (torch.randn(2, 1, 8, 6),))
    scopes = {n.kind(): n.scopeName() for n in graph.nodes()}
    assert scopes["aten::relu"] == "/layers/layers.1" and scopes["aten::linear"] == "/last" and scopes["aten::mean"] == ""
    assert graph.findNode("aten::_convolution").scopeName() == "/layers/layers.0"
    assert _get_tracing_state() is None


def test_without_pushed_scopes_they_are_the_modules():
    graph, _ = torch.jit._get_trace_graph(Net().eval(), (torch.randn(2, 1, 8, 6),))
    assert graph.findNode("aten::relu").scopeName() == "__module.layers.1"


def test_sparse_products_of_dense_matrices():
    x, y = torch.randn(2, 3), torch.randn(3, 4)
    assert torch.equal(torch.sparse.mm(x, y), x @ y)
    scripted = torch.jit.script(sparse_product)
    assert torch.equal(scripted(x, y), x @ y) and scripted.graph.findNode("aten::_sparse_mm") is not None
    with pytest.raises(AttributeError, match="addmm"):
        torch.sparse.addmm(y, x, y)


def sparse_product(x, y):
    return torch.sparse.mm(x, y)
