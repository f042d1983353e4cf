"""torch.func's transforms by gradients, and functional_call (test_vmap.py has the others)."""

from __future__ import annotations

import monograph as torch
import pytest
from monograph.func import functional_call, grad, grad_and_value, hessian, jacrev, vjp

X = torch.tensor([1.0, 2.0])


def test_gradients():
    assert grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(X, X + 1)[1].equal(X)
    assert grad(lambda d: (d["a"] * 2).sum())({"a": X})["a"].tolist() == [2.0, 2.0]
    assert grad(lambda x: torch.ones(()))(X).tolist() == [0.0, 0.0]
    found, (value, aux) = grad_and_value(lambda x: ((x * x).sum(), {"k": x * 2}), has_aux=True)(X)
    assert found.tolist() == [2.0, 4.0] and value.item() == 5 and aux["k"].tolist() == [2.0, 4.0]
    assert not any(t.requires_grad for t in (found, value, aux["k"]))
    assert grad(grad(grad(lambda x: x**4)))(torch.tensor(2.0)).item() == 48
    assert torch.allclose(grad(lambda z: (z * z).sum().abs())(X + 1j), torch.tensor([2.6833 + 0.8944j, 3.5777 + 2.6833j]), atol=1e-4)
    with torch.no_grad():
        assert grad(lambda x: (x * x).sum())(X).tolist() == [2.0, 4.0]


def test_what_flows_on():
    w = torch.ones(2, requires_grad=True)
    g = grad(lambda x: (x * x * w).sum())(X)
    assert g.requires_grad
    g.sum().backward()
    assert w.grad.tolist() == [2.0, 4.0]
    w.grad = None
    grad(lambda x: (x**3).sum())(w).sum().backward()
    assert w.grad.tolist() == [6.0, 6.0]
    y, back = vjp(lambda x: x * x, w)
    assert y.requires_grad and back(torch.ones(2))[0].requires_grad and not vjp(torch.sin, X)[0].requires_grad


def test_a_module():
    layer = torch.nn.Linear(2, 1)
    parameters = {name: p.detach() for name, p in layer.named_parameters()}
    found = grad(lambda p, x: functional_call(layer, p, x).pow(2).sum())(parameters, X)
    layer(X).pow(2).sum().backward()
    assert torch.allclose(found["weight"], layer.weight.grad) and torch.allclose(found["bias"], layer.bias.grad)


def test_products_and_jacobians():
    y, back = vjp(lambda x: (x * 2, {"a": x}), X)
    assert back((X, {"a": X}))[0].tolist() == [3.0, 6.0] and y[1]["a"].equal(X)
    assert vjp(lambda x, y: x * y, X, X)[1](X)[1].tolist() == [1.0, 4.0] and vjp(lambda x: (x, x.sum()), X, has_aux=True)[2].item() == 3
    assert jacrev(lambda x: x * x)(X).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    first, second = jacrev(lambda x: (x * x, x.sum()))(X)
    assert first.shape == (2, 2) and second.tolist() == [1.0, 1.0]
    assert jacrev(lambda d: {"o": d["a"] * 2})({"a": X})["o"]["a"].tolist() == [[2.0, 0.0], [0.0, 2.0]]
    assert jacrev(lambda x: torch.ones(2))(X).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert jacrev(lambda x: (x * x, x), has_aux=True)(X)[1].equal(X)
    assert hessian(lambda x: (x**3).sum())(X).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    blocks = hessian(lambda x, y: (x * y).sum(), argnums=(0, 1))(X, X)
    assert blocks[0][1].tolist() == [[1.0, 0.0], [0.0, 1.0]] and blocks[1][1].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_errors():
    for call, kind, words in (
        (lambda: grad(lambda x: x)(X), RuntimeError, r"Expected f\(\*args\) to return a scalar Tensor, got tensor with 1 dims"),
        (lambda: grad(lambda x: 3.0)(X), RuntimeError, r"Expected f\(\*args\) to return a Tensor, got <class 'float'>"),
        (lambda: grad(lambda x: x.sum(), has_aux=True)(X), RuntimeError, "should be a tuple"),
        (lambda: grad(lambda x: x.sum(), argnums=1)(X), RuntimeError, "Got argnum=1, but only 1 positional inputs"),
        (lambda: grad(lambda x: x.sum(), argnums=())(X), RuntimeError, "argnums must be non-empty"),
        (lambda: grad(lambda x: x.sum(), argnums=(0, 0))(X), RuntimeError, "argnums elements must be unique"),
        (lambda: grad(lambda x: x)(3.0), ValueError, "Thing passed to transform API must be Tensor, got <class 'float'>"),
        (lambda: grad(lambda x: x.sum())(torch.arange(3)), RuntimeError, "can require gradients"),
        (lambda: vjp(lambda x: 3, X), RuntimeError, "expected f.* to return only tensors, got unsupported type <class 'int'>"),
        (lambda: vjp(lambda x: (x, {"a": x}), X)[1]((X, X)), RuntimeError, "Expected pytree structure of cotangents"),
        (lambda: vjp(lambda x: x * 2, X)[1](X[:1]), RuntimeError, "Mismatch in shape: grad_output"),
        (
            lambda: jacrev(lambda x: torch.arange(2))(X),
            RuntimeError,
            "must be floating-point or complex Tensors, got Tensor with dtype torch.int64",
        ),
        (lambda: jacrev(lambda x: x, chunk_size=0), ValueError, "chunk_size"),
    ):
        with pytest.raises(kind, match=words):
            call()


def test_the_older_place_of_functional_call():
    layer = torch.nn.Linear(2, 1)
    given = {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}
    with pytest.warns(FutureWarning, match="torch.func.functional_call"):
        y = torch.nn.utils.stateless.functional_call(layer, given, torch.tensor([[1.0, 2.0]]))
    assert y.tolist() == [[3.0]]
    with pytest.warns(FutureWarning), pytest.raises(RuntimeError):
        torch.nn.utils.stateless.functional_call(layer, {"weight": torch.ones(1, 2)}, torch.ones(1, 2), strict=True)
