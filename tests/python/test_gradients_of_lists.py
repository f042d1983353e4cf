"""Gradients through lists of tensors that a branch or loop takes or gives: those of a call, and those that the captured function computes itself.

Another way of a branch makes another list, so the example's list says nothing of its gradient: a trace has a guard there, and torch.compile another capture.
"""

from __future__ import annotations

import monograph as torch
import pytest


def stack_emptied_by_a_loop(x):
    parts = [x * 2]
    if x.sum() > 0:
        parts.append(x * 3)
    total = x.new_zeros(())
    while parts:
        total = total + (parts.pop() ** 2).sum()
    return total


def stack_refilled_in_its_loop(x):
    todo = [x]
    total = x.new_zeros(())
    while todo:
        y = todo.pop()
        total = total + y.sum()
        if y.sum() < 50:
            todo.append(y * 2)
    return total


def list_read_in_its_loop(x):
    parts = [x]
    total = (x * 0.5).sum()
    while total < 100:
        parts.append(parts[-1] * 2)
        total = total + parts[-1].sum() + 1
    return total


def list_of_a_branch_read_in_another(x):
    parts = [x * 3]
    y = x * 2
    if y.sum() > 1:
        parts.append(y)
    z = y * y
    if z.sum() > 3:
        z = z + parts[-1] * 2
    return z.sum()


def item_of_the_list_of_a_branch(x):
    parts = [x * 3]
    y = x * 2
    if y.sum() > 1:
        parts.append(y)
    return (parts[-1] ** 2).sum()


def stacked_list_of_a_branch(x):
    parts = [x * 3]
    y = x * 2
    if y.sum() > 1:
        parts.append(y)
    return (torch.stack(parts) ** 2).sum()


def growing_list(x):
    parts = []
    while x.sum() < 100:
        x = x * 2
        parts.append(x)
    total = x.new_zeros(())
    for part in parts:
        total = total + (part * part).sum()
    return total


PROGRAMS = [
    stack_emptied_by_a_loop, stack_refilled_in_its_loop, list_read_in_its_loop, list_of_a_branch_read_in_another, item_of_the_list_of_a_branch,
    stacked_list_of_a_branch, growing_list,
]  # fmt: skip
INPUTS = [torch.arange(6.0).reshape(2, 3) + 1, torch.arange(6.0).reshape(2, 3) * 0.1 + 0.1, torch.arange(9.0).reshape(3, 3) - 3.5, torch.arange(6.0).reshape(2, 3) * 3]


def gradient_of_call(f, x):
    x = x.clone().requires_grad_()
    f(x).backward()
    return x.grad


def with_inner_gradient(f):
    def gradient(x):
        leaf = x.detach().clone().requires_grad_()
        return torch.autograd.grad(f(leaf), leaf)[0] + x * 0

    return gradient


CAPTURES = {"trace": lambda f, x: torch.jit.trace(f, (x,)), "compile": lambda f, x: torch.compile(f)}


@pytest.mark.parametrize("way", CAPTURES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_gradient_of_a_call(program, way):
    captured = CAPTURES[way](program, INPUTS[0].clone().requires_grad_())
    for x in (*INPUTS, INPUTS[0]):  # the first call of torch.compile captures
        assert torch.equal(gradient_of_call(captured, x), gradient_of_call(program, x)), x


@pytest.mark.parametrize("way", CAPTURES)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_gradient_that_the_function_computes(program, way):
    f = with_inner_gradient(program)
    captured = CAPTURES[way](f, INPUTS[0])
    equal = 0
    for x in (*INPUTS, INPUTS[0]):
        try:
            found = captured(x)
        except RuntimeError as error:
            assert way == "trace" and "test_gradients_of_lists.py" in str(error)  # a guard names the line of the branch
            continue
        assert torch.equal(found, f(x)), x
        equal += 1
    assert equal >= 2 and (way == "trace" or equal == 5)
