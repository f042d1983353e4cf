"""torch.einsum: its forms, its gradient and its graphs. tests/data/ops/einsum.jsonl has PyTorch's results."""

from __future__ import annotations

import monograph as torch
import numpy as np
import pytest
from monograph import fx

A, B = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(3, 4)
BATCH = torch.arange(12.0).reshape(2, 2, 3)


def test_operands_and_lists():
    product = torch.einsum("ij,jk->ik", A, B)
    assert product.equal(A @ B)
    assert torch.einsum("ij,jk->ik", [A, B]).equal(product) and torch.einsum("ij,jk", (A, B)).equal(product)
    assert torch.einsum(A, [0, 1], B, [1, 51], [0, 51]).equal(product) and torch.einsum(A, [0, 1], B, [1, 2]).equal(product)
    assert torch.einsum(BATCH, [..., 0, 1], B, [1, 2], [..., 0, 2]).equal(BATCH @ B)


def test_wrong_calls():
    for args, error, words in (
        (("ij",), ValueError, "must specify the equation string and at least one operand"),
        ((A, [0, 52]), ValueError, r"not within the valid range \[0, 52\)"),
        (("ij,jk", A), RuntimeError, "more operands were provided|fewer operands were provided"),
        (("ij,jk->ik", A, A), RuntimeError, "operands do not broadcast"),
        (("ijk,jk->ik", A, A), RuntimeError, "does not match the number of dimensions"),
        (("i1", A), RuntimeError, "subscripts must be in"),
        (("ij->ii", A), RuntimeError, "appears more than once in the output"),
        (("ij->k", A), RuntimeError, "does not appear in the equation"),
    ):
        with pytest.raises(error, match=words):
            torch.einsum(*args)


def test_gradients():
    a, b = A.clone().requires_grad_(), B.clone().requires_grad_()
    (torch.einsum("ij,jk->ki", a, b) * torch.arange(8.0).reshape(4, 2)).sum().backward()
    weights = torch.arange(8.0).reshape(4, 2).t()
    assert a.grad is not None and b.grad is not None and a.grad.equal(weights @ B.t()) and b.grad.equal(A.t() @ weights)


def attention(q, k):
    return torch.einsum("...id,...jd->...ij", q, k)


def test_captures_keep_it_and_run_at_other_sizes():
    traced = torch.jit.trace(attention, (BATCH, BATCH))
    assert "aten::einsum" in str(traced.graph)
    symbolic = fx.symbolic_trace(attention)
    assert "torch.functional.einsum" in symbolic.code
    other = torch.arange(30.0).reshape(3, 2, 5)
    for captured in (traced, symbolic, torch.capture(attention, BATCH, BATCH)):
        assert captured(BATCH, BATCH).equal(attention(BATCH, BATCH))
        assert captured(other, other).equal(attention(other, other))


EQUATIONS = (
    "bij,bjk->bik",
    "bij,bkj->bki",
    "...ij,...kj",
    "bij,bij->b",
    "bij,bij->ij",
    "bij,kjl->bkil",
    "bii->bi",
    "bij,jk,kl->bl",
    "i...,...->...i",
)


@pytest.mark.oracle
@pytest.mark.parametrize("equation", EQUATIONS)
def test_as_in_pytorch(oracle, equation, sample_seed):
    random = np.random.default_rng(sample_seed)
    sizes = {"b": 3, "i": 4, "j": 4, "k": 4, "l": 5}
    shapes = [
        [sizes.get(c, 4) for c in part.replace("...", "bk" if len(part) < 5 and part.startswith("...") else "b")]
        for part in equation.split("->")[0].split(",")
    ]
    arrays = {f"x{n}": random.standard_normal(s).astype(np.float32) for n, s in enumerate(shapes)}
    call = f"torch.einsum({equation!r}, {', '.join(arrays)})"
    try:
        expected = oracle.eval(call, **arrays)
    except Exception as refused:  # noqa: BLE001 - PyTorch's own refusal is the expectation
        with pytest.raises(RuntimeError):
            eval(call, {"torch": torch, **{n: torch.from_numpy(x) for n, x in arrays.items()}})
        assert "einsum" in str(refused)
        return
    ours = eval(call, {"torch": torch, **{n: torch.from_numpy(x) for n, x in arrays.items()}})
    assert ours.shape == expected.shape and np.allclose(ours.numpy(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("capture", [lambda f, *x: torch.jit.trace(f, x, check_trace=False), torch.capture], ids=["trace", "capture"])
def test_a_captured_gradient_holds_for_other_sizes(capture):
    def step(q, k):
        k = k.detach().requires_grad_()
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k)
        return torch.autograd.grad(scores.pow(2).sum(), k)[0]

    def inputs(batch, queries, keys):
        return torch.randn(batch, 2, queries, 4), torch.randn(batch, 2, keys, 4)

    captured = capture(step, *inputs(2, 3, 5))
    for sizes in ((2, 3, 5), (1, 3, 5), (4, 1, 2), (1, 1, 1)):
        x = inputs(*sizes)
        assert torch.allclose(captured(*x), step(*x))
