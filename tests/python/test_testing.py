"""torch.testing live beside PyTorch and frozen: assert_close with PyTorch's messages, make_tensor with PyTorch's draws."""

from __future__ import annotations

import doctest

import monograph as torch
import pytest
from beside import TRY, both
from monograph.testing import _comparison, _creation

CLOSE = [
    "t([1.0]), t([1.0])", "t([1.0, 2.0]), t([1.0, 2.1])", "t([[1, 2], [3, 4]]), t([[1, 2], [3, 9]])", "t([1.0]), t([1.0 + 1e-6])", "t([1.0]), t([1])", "t([1.0]), t([1]), check_dtype=False",
    "t([1.0]), t([1.0, 2.0])", "t([float('nan')]), t([float('nan')])", "t([float('nan')]), t([float('nan')]), equal_nan=True", "t([float('inf')]), t([float('inf')])", "1, 1", "1.0, 1.1", "1, 1.0",
    "1, 2", "True, False", "None, None", "None, 1", "[1, 2], [1, 3]", "[1, [2, t([3.0])]], [1, [2, t([4.0])]]", "[1], [1, 2]", "{'a': 1}, {'a': 2}", "{'a': 1}, {'b': 1}", "{'a': t([1.0])}, {'a': t([1.0])}",
    "t([1.0]), t([2.0]), rtol=0.1", "t([1.0]), t([2.0]), rtol=0.1, atol=5.0", "t([1.0]), t([2.0]), msg='mine'", "t([1.0]), t([2.0]), msg=lambda m: 'mine: ' + m", "t([1.0]), 1.0", "'a', 'a'", "t(1.0), t(2.0)",
    "np.ones(2), np.ones(2)", "np.ones(2), np.zeros(2)", "t([True, False]), t([True, True])", "t([1 + 1j]), t([1 + 2j])", "0.0, 1e-8", "1.0, 0.0", "t([0.0]), t([1e-9])",
    "t([[1.0, 2.0]]).T, t([[1.0], [2.0]]), check_stride=True", "t([1.0]).half(), t([1.001]).half()", "t([1.0]).bfloat16(), t([1.5]).bfloat16()", "(1, 2), [1, 2]", "t([]), t([])", "t([1.0]), t([0.0])",
    "[{'x': 1.0}, None], [{'x': 2.0}, None]", "1 + 1j, 1 + 2j", "torch.nn.Parameter(t([1.0])), t([1.0])", "torch.nn.Parameter(t([1.0])), t([1.0]), allow_subclasses=False", "np.float32(1), 1.0",
]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("args", CLOSE)
def test_assert_close_says_what_pytorch_says(oracle, args):
    both(oracle, TRY + f"t = torch.tensor\nresult = [str(v).replace('monograph', 'torch') for v in attempt(lambda: torch.testing.assert_close({args}))]")


MADE = [
    "2, 3, dtype=torch.float32", "(2, 3), dtype=torch.float64", "5, dtype=torch.int64", "5, dtype=torch.uint8", "5, dtype=torch.bool", "7, dtype=torch.float16", "7, dtype=torch.bfloat16", "3, dtype=torch.complex64",
    "4, dtype=torch.complex128, low=0", "2, 3, dtype=torch.float32, noncontiguous=True", "50, dtype=torch.int8, exclude_zero=True, low=-1, high=2", "4, dtype=torch.float32, low=-1e38, high=3e38", "4, dtype=torch.float32, low=-3e38, high=3e38",
    "2, 3, 4, 5, dtype=torch.float32, memory_format=torch.channels_last", "3, dtype=torch.float32, low=2, high=1", "3, dtype=torch.float32, low=1.0, high=1.0", "3, dtype=torch.int64, requires_grad=True", "3, dtype=torch.float32, requires_grad=True",
    "3, dtype=torch.uint8, low=300, high=400", "3, dtype=torch.float32, low=float('nan')", "3, dtype=torch.float32, noncontiguous=True, memory_format=torch.contiguous_format", "(), dtype=torch.float32", "0, 3, dtype=torch.int32",
    "6, dtype=torch.int64, low=-2.5, high=2.5",
]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("args", MADE)
def test_make_tensor_draws_pytorchs_values(oracle, args):
    both(
        oracle,
        TRY
        + f"""
torch.manual_seed(2)
result = attempt(lambda: torch.testing.make_tensor({args}, device="cpu"))
if isinstance(result[0], torch.Tensor): result = [result[0], result[0].stride(), result[0].requires_grad, torch.rand(1)]
""",
        rtol=0,
    )


def test_assert_close_and_make_tensor():
    torch.manual_seed(0)
    made = torch.testing.make_tensor(3, dtype=torch.int64, device="cpu")
    assert made.tolist() == [6, -5, -9]
    with pytest.raises(AssertionError, match="Greatest absolute difference: 1.0 at index"):
        torch.testing.assert_close({"a": [torch.zeros(2)]}, {"a": [torch.ones(2)]})


@pytest.mark.parametrize("module", [_comparison, _creation])
def test_the_examples_in_docstrings_run(module):
    result = doctest.testmod(module, extraglobs={"torch": torch})
    assert result.attempted and not result.failed
