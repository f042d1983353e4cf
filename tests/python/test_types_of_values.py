"""What torch._C.Type says of a tensor's value in a graph: dtype, sizes, strides and dims, as far as they are known."""

from __future__ import annotations

import monograph as torch
import pytest


def test_a_traced_value():
    graph, _ = torch.jit._get_trace_graph(lambda x: torch.relu(x).long(), (torch.ones(2, 3),))
    relu, long = (graph.findNode(kind).output() for kind in ("aten::relu", "aten::to"))
    assert relu.isCompleteTensor() and relu.type().dim() == 2 and relu.type().sizes() == relu.type().varyingSizes() == [2, 3]
    assert (relu.type().scalarType(), relu.type().dtype()) == ("Float", torch.float32)
    assert (long.type().scalarType(), long.type().dtype()) == ("Long", torch.int64)
    assert relu.type().containedTypes() == [] and relu.type().isSubtypeOf(relu.type())


def test_a_scripted_value():
    graph = torch.jit.CompilationUnit("def f(x, n: List[int]):\n  return torch.relu(x)\n").f.graph
    x, n = graph.inputs()
    assert x.type().dim() is None and x.type().scalarType() is None and x.type().dtype() is None and x.type().strides() is None
    assert x.type().device() is None and x.type().requires_grad() and x.requires_grad() and not x.isCompleteTensor()
    assert not n.isCompleteTensor() and [str(t) for t in n.type().containedTypes()] == [str(n.type().getElementType())]
    with pytest.raises(AttributeError, match="is of tensor types"):
        n.type().dim()
