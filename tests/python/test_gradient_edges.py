"""torch.autograd.grad by edges of the tape and by dicts, keywords of autograd.Function, and gradients that backward may not return."""

from __future__ import annotations

import monograph as torch
import pytest

edge_of = torch.autograd.graph.get_gradient_edge


def made():
    x = torch.ones(2, requires_grad=True)
    z = x * 3
    return x, z, (z * z).sum()


def test_edges_stand_for_tensors():
    x, z, y = made()
    by_edges = torch.autograd.grad(edge_of(y), [edge_of(z), edge_of(x), x], retain_graph=True)
    assert [g.tolist() for g in by_edges] == [[6.0, 6.0], [18.0, 18.0], [18.0, 18.0]]
    assert torch.autograd.grad(y, edge_of(x), retain_graph=True)[0].tolist() == [18.0, 18.0]
    torch.autograd.backward(edge_of(y), inputs=edge_of(x))
    assert x.grad.tolist() == [18.0, 18.0]
    x, z, _ = made()
    edge = edge_of(z)
    z.mul_(2)  # the edge stays where it was
    assert torch.autograd.grad(z.sum(), edge)[0].tolist() == [2.0, 2.0]
    x, z, y = made()
    assert torch.autograd.grad(y, torch.autograd.graph.GradientEdge(z.grad_fn, 0))[0].tolist() == [6.0, 6.0]
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        torch.autograd.grad(made()[2], torch.autograd.graph.GradientEdge(z.grad_fn, 0))


def test_a_dict_of_inputs_gives_a_dict():
    x, z, y = made()
    found = torch.autograd.grad(y, inputs={"x": x, "z": edge_of(z)}, retain_graph=True)
    assert {k: g.tolist() for k, g in found.items()} == {"x": [18.0, 18.0], "z": [6.0, 6.0]}
    y.backward(inputs={"x": x})
    assert x.grad.tolist() == [18.0, 18.0]


@pytest.mark.parametrize("inputs", [(), [], {}])
def test_gradients_by_nothing_are_refused(inputs):
    with pytest.raises(RuntimeError, match=r"`inputs` argument to `grad\(\)` cannot be empty"):
        torch.autograd.grad(made()[2], inputs)


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k=1, w=None):
        ctx.k = k
        ctx.seen = ctx.needs_input_grad
        return x * k if w is None else x * k * w

    @staticmethod
    def backward(ctx, g):
        return (g * ctx.k, None) if len(ctx.seen) == 2 else (g * ctx.k, None, g * 7)


def test_keywords_of_a_function():
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    Scaled.apply(x=x, k=3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    Scaled.apply(x, w=w, k=3).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0] and w.grad.tolist() == [7.0, 7.0]
    for given, words in (({"z": 1}, "unexpected keyword argument 'z'"), ({"w": w}, "missing required argument: 'k'"), ({"x": x}, "multiple values")):
        with pytest.raises(TypeError, match=words):
            Scaled.apply(x, **given)


class Turned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * (1 + 1j)


def test_a_complex_gradient_of_a_real_input_is_refused():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="invalid gradient at index 0 - got a complex one, but the input is real"):
        Turned.apply(x).sum().backward()
    z = torch.ones(2, dtype=torch.complex64, requires_grad=True)
    Turned.apply(z).abs().sum().backward()
    assert z.grad.tolist() == [1 + 1j, 1 + 1j]
