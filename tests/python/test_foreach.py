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
