"""torch._foreach_*: the calls on the tensors of a list, one after another."""

from __future__ import annotations

import monograph as torch
import pytest
from beside import both

PROGRAM = """
x = [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([[4.0, 0.5]])]
y = [torch.tensor([2.0, -1.0, 0.0]), torch.tensor([[1.0, 2.0]])]
ints = [torch.tensor([1, 2]), torch.tensor([3])]
written, weighted = [t.clone() for t in x], [t.clone() for t in x]
torch._foreach_lerp_(written, y, 0.25)
torch._foreach_lerp_(weighted, y, [t * 0.1 for t in x])
powers = [t.clone() for t in x]
torch._foreach_pow_(powers, 2)
result = [
    list(torch._foreach_pow(x, 2.5)), list(torch._foreach_pow(x, y)), list(torch._foreach_pow(x, [2, 0.5])), list(torch._foreach_pow(2.0, x)),
    list(torch._foreach_pow(ints, 2)), list(torch._foreach_lerp(x, y, 0.5)), list(torch._foreach_lerp(x, y, [0.25, 0.75])), written, weighted, powers,
]
"""


@pytest.mark.oracle
def test_they_equal_pytorchs(oracle):
    both(oracle, PROGRAM)


MORE = """
x = [torch.tensor([1.0, 2.0]), torch.tensor([[3.0]])]
y = [torch.tensor([2.0, 0.5]), torch.tensor([[-1.0]])]
f = torch
made = [f._foreach_abs(y), f._foreach_sqrt(x), f._foreach_neg(x), f._foreach_sign(y), f._foreach_add(x, y, alpha=2), f._foreach_add(x, 1.5), f._foreach_add(x, [1, 2])]
made += [f._foreach_sub(x, y), f._foreach_mul(x, torch.tensor(3.0)), f._foreach_div(x, y), f._foreach_maximum(x, 1.5), f._foreach_maximum(x, y)]
made += [f._foreach_minimum(x, [1.0, 5.0]), f._foreach_clamp_max(x, 2), f._foreach_addcmul(x, y, y, 2.0), f._foreach_addcmul(x, y, y, value=2.0)]
made += [f._foreach_addcdiv(x, y, y, [1.0, 2.0]), f._foreach_norm(x), f._foreach_norm(x, 1), f._foreach_max(x)]
result = [list(m) for m in made]
for write in (lambda t: f._foreach_add_(t, y), lambda t: f._foreach_mul_(t, 2.0), lambda t: f._foreach_maximum_(t, 0.0), lambda t: f._foreach_sqrt_(t), lambda t: f._foreach_copy_(t, y),
              lambda t: f._foreach_addcdiv_(t, y, y, value=-1), lambda t: f._foreach_zero_(t), lambda t: f._foreach_lerp_(t, y, 0.5), lambda t: f._foreach_neg_(t)):
    t = [v.clone() for v in x]
    returned = write(t)
    result.append([t, all(a is b for a, b in zip(returned, t))])
"""


@pytest.mark.oracle
def test_names_that_are_made_at_their_first_use_equal_pytorchs(oracle):
    both(oracle, MORE)


def test_a_name_without_a_function_is_missing():
    assert not hasattr(torch, "_foreach_nope") and not hasattr(torch, "_foreach_matmul_")


def test_each_tensor_is_taken_with_its_own():
    x = [torch.tensor([1.0, 2.0]), torch.tensor([3.0])]
    assert [t.tolist() for t in torch._foreach_pow(x, [2, 3])] == [[1, 4], [27]]
    assert [t.tolist() for t in torch._foreach_pow(2, x)] == [[2, 4], [8]]
    torch._foreach_lerp_(x, [torch.tensor([3.0, 2.0]), torch.tensor([5.0])], 0.5)
    assert [t.tolist() for t in x] == [[2, 2], [4]]


def test_lists_of_other_lengths_raise():
    x = [torch.ones(2)]
    with pytest.raises(RuntimeError, match="must have the same number of tensors, got 1 and 2"):
        torch._foreach_lerp_(x, [torch.ones(2), torch.ones(2)], 0.5)
    with pytest.raises(RuntimeError, match="same number of elements as scalar list"):
        torch._foreach_pow(x, [1, 2])
    with pytest.raises(RuntimeError, match="at least one tensor"):
        torch._foreach_pow([], 2)


def test_a_capture_records_the_calls():
    def step(a, b):
        moved = [a.clone(), b.clone()]
        torch._foreach_lerp_(moved, [b, a], 0.5)
        return torch._foreach_pow(moved, 2)

    a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 0.0])
    for captured in (torch.jit.trace(step, (a, b)), torch.fx.symbolic_trace(step)):
        assert [t.tolist() for t in captured(b, a)] == [t.tolist() for t in step(b, a)]
