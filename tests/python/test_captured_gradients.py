"""Gradients that a captured function computes itself: sizes stay symbols in them, so that one capture holds for every batch size, 1 among them. A guard says
what it compares, and one that every size keeps is not recorded."""

from __future__ import annotations

import monograph as torch
import monograph.nn.functional as F
import pytest


def step(function):
    def gradient(w, x):
        w = w.detach().requires_grad_()
        return torch.autograd.grad(function(w, x).pow(2).sum(), w)[0]

    return gradient


def weight(n):
    return torch.linspace(-1, 1, 4).reshape(1, 1, 4)


def batch(n):
    return torch.linspace(-2, 3, n * 3 * 4).reshape(n, 3, 4)


OF_EVERY_BATCH = {
    "class token": lambda w, x: torch.cat([w.repeat(x.shape[0], 1, 1), x], 1),
    "tile": lambda w, x: w.tile((x.shape[0], 3, 1)) * x,
    "tile of fewer dims": lambda w, x: w.reshape(4).tile(x.shape[0] * 3) * x.reshape(-1),
    "repeat_interleave": lambda w, x: w.repeat_interleave(x.shape[0], 0) * x,
    "repeat_interleave of all": lambda w, x: w.repeat_interleave(x.shape[0] * 3) * x.reshape(-1),
    "broadcast_to": lambda w, x: w.broadcast_to(x.shape) * x,
    "narrow": lambda w, x: (w * x).narrow(0, 0, x.shape[0]),
    "narrow from a size": lambda w, x: (w * x).narrow(0, x.shape[0] - 1, 1),
    "unflatten": lambda w, x: (w * x).flatten(0, 1).unflatten(0, (x.shape[0], 3)).sin(),
    "unflatten of the rest": lambda w, x: (w * x).flatten(0, 1).unflatten(0, (-1, 3)).sin(),
    "split_with_sizes": lambda w, x: (w * x).split([x.shape[0] - 1, 1])[0] * 2,
    "tensor_split": lambda w, x: (w * x).tensor_split(2)[0].sin(),
    "tensor_split at a size": lambda w, x: (w * x).tensor_split([x.shape[0] - 1])[1].sin(),
    "vsplit": lambda w, x: (w * x).vsplit(1)[0].sin(),
    "diff": lambda w, x: torch.cat([w * x, x]).diff(dim=0),
    "roll": lambda w, x: (w * x).roll(x.shape[0] // 2, 0) * x,
    "glu": lambda w, x: F.glu(torch.cat([w * x, w * x, w * x, w * x]), 0),
    "instance_norm": lambda w, x: F.instance_norm(w * x) * x,
    "pad": lambda w, x: F.pad(w * x, (0, 0, 0, x.shape[0])),
}


@pytest.mark.parametrize("name", OF_EVERY_BATCH)
def test_a_captured_gradient_holds_for_every_batch(name):
    gradient = step(OF_EVERY_BATCH[name])
    traced = torch.jit.trace(gradient, (weight(3), batch(3)), check_trace=False)
    assert not [guard for guard in traced.graph.guards if "0" in guard[0]], traced.graph.guards
    for n in (1, 2, 3, 6):
        assert torch.allclose(traced(weight(n), batch(n)), gradient(weight(n), batch(n)), rtol=1e-5, atol=1e-5), n


def test_only_the_number_of_pieces_is_guarded():
    gradient = step(lambda w, x: (w * x).chunk(2)[0].sin())
    traced = torch.jit.trace(gradient, (weight(4), batch(4)), check_trace=False)
    assert all(guard[0].startswith("len(") for guard in traced.graph.guards), traced.graph.guards
    for n in (2, 3, 5):
        assert torch.allclose(traced(weight(n), batch(n)), gradient(weight(n), batch(n)), rtol=1e-5, atol=1e-6), n
    with pytest.raises(RuntimeError, match="len"):
        traced(weight(1), batch(1))


SPREADS = {
    "var": lambda x: x.var(0),
    "std": lambda x: x.std(0),
    "var of everything": lambda x: x.var(),
    "std of everything": lambda x: x.std(),
    "a larger correction": lambda x: x.var(0, correction=2),
    "a larger correction of everything": lambda x: x.var(correction=6),
    "var_mean": lambda x: torch.var_mean(x, 0)[0],
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", SPREADS)
def test_the_gradient_of_a_spread_over_too_few_elements(name, dtype):
    """A division by 0 is one of floats, as in eager mode and in PyTorch: inf or NaN."""

    def gradient(x):
        x = x.detach().requires_grad_()
        return torch.autograd.grad(SPREADS[name](x).sum(), x)[0]

    x = torch.arange(12.0).reshape(3, 4).sin().to(dtype)
    traced = torch.jit.trace(gradient, x, check_trace=False)
    assert traced.graph.guards == []
    for rows in (x, x[:1], x[:2], x[:1, :1], torch.cat([x, x])):
        expected, found = gradient(rows), traced(rows)
        assert torch.equal(expected.isnan(), found.isnan()) and torch.equal(expected.nan_to_num(), found.nan_to_num())


def test_a_guard_that_every_size_keeps_is_not_recorded():
    def loss(x):
        return torch.autograd.grad((x.requires_grad_() * 2).sum(), x)[0]

    def weighted(x):
        x.requires_grad_()
        return torch.autograd.grad(x * 2, x, torch.ones_like(x))[0]

    def same(x):
        return x * 2 if x.shape == x.sin().shape and x.shape[0] + 1 > x.shape[0] and x.shape[0] >= 0 else x

    for function in (loss, weighted, same):
        assert torch.jit.trace(function, torch.ones(3), check_trace=False).graph.guards == []


def guards(function, *example):
    return [guard[:2] for guard in torch.jit.trace(function, example, check_trace=False).graph.guards]


def test_a_guard_says_what_a_call_compares():
    x = torch.ones(3, 4)
    assert guards(lambda x: x[: min(x.shape)], x) == [("x.shape[1] < x.shape[0] in min(x.shape)", "False")]
    assert guards(lambda x: x[: max(x.shape[0] * 2, 5)], x) == [("2*x.shape[0] < 5 in max(x.shape[0] * 2, 5)", "False")]
    assert guards(lambda x: x * 2 if x.shape[0] > 2 else x, x) == [("x.shape[0] > 2", "True")]

    traced = torch.jit.trace(lambda x: x[: min(x.shape)], x)
    with pytest.raises(RuntimeError, match=r"captured where `x.shape\[1\] < x.shape\[0\] in min\(x.shape\)` is False, but here it is True"):
        traced(torch.ones(4, 3))
