"""Gradients for tensors that a branch or a list chooses: a graph has another value for the chosen one than for those that it may be."""

from __future__ import annotations

import monograph as torch
import pytest


def one_of_two(x):
    a, b = x.detach().requires_grad_(), (x * 2).detach().requires_grad_()
    y = torch.sigmoid(a) + b * b
    return torch.autograd.grad(y.sum(), [a if x.sum() > 0 else b], allow_unused=True)


def list_of_a_comprehension(x):
    a = x.detach().requires_grad_()
    y = torch.sigmoid(a)
    found = torch.autograd.grad(y.sum(), [t for t in [a] if t.sum() > -9], allow_unused=True)
    return tuple(g for g in found if g is not None)


def list_that_a_branch_fills(x):
    a = x.detach().requires_grad_()
    y, asked = torch.sigmoid(a), []
    if a.requires_grad:
        asked.append(a)
    found = torch.autograd.grad(y.sum(), asked, allow_unused=True)
    return tuple(g for g in found if g is not None)


def list_that_is_shorter(x):
    a, b = x.detach().requires_grad_(), (x * 2).detach().requires_grad_()
    y, asked = torch.sigmoid(a) + b * b, [a, b]
    if x.sum() > 0:
        asked.pop()
    return torch.autograd.grad(y.sum(), asked, allow_unused=True)


@pytest.mark.parametrize("function", [one_of_two, list_of_a_comprehension, list_that_a_branch_fills, list_that_is_shorter])
def test_a_chosen_tensor_has_its_gradient_or_is_refused(function):
    traced = torch.jit.trace(function, (torch.ones(3),), check_trace=False)
    for x in (torch.ones(3), torch.full((3,), 0.3), -torch.ones(3)):
        expected = function(x)
        try:
            found = traced(x)
        except RuntimeError as error:
            assert "was captured where" in str(error)
            assert x.sum() < 0
            continue
        assert len(found) == len(expected)
        assert all(torch.allclose(a, b) for a, b in zip(found, expected, strict=True))
