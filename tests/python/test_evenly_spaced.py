"""Evenly spaced numbers have PyTorch's bits: those of linspace are multiplied and added in one rounding, those of arange are counted from the beginning of a vector."""

from __future__ import annotations

import math

import monograph as torch
import monograph.nn.functional as F
import pytest

LINES = {
    torch.float32: ["-0x1.5555540000000p-1", "-0x1.5555540000000p-2", "-0x1.0000000000000p-25", "0x1.5555540000000p-2", "0x1.5555540000000p-1"],
    torch.float64: ["-0x1.5555555555556p-1", "-0x1.5555555555556p-2", "0x1.0000000000000p-54", "0x1.5555555555556p-2", "0x1.5555555555556p-1"],
    torch.float16: ["-0x1.5580000000000p-1", "-0x1.5580000000000p-2", "0x0.0p+0", "0x1.5580000000000p-2", "0x1.5580000000000p-1"],
    torch.bfloat16: ["-0x1.5400000000000p-1", "-0x1.5400000000000p-2", "0x0.0p+0", "0x1.5400000000000p-2", "0x1.5400000000000p-1"],
}
RANGES = {
    torch.float32: ["0x1.19999a0000000p+0", "0x1.3333340000000p+0", "0x1.a666660000000p+1", "0x1.b333340000000p+1"],
    torch.float64: ["0x1.199999999999ap+0", "0x1.3333333333334p+0", "0x1.a666666666667p+1", "0x1.b333333333334p+1"],
    torch.float16: ["0x1.1980000000000p+0", "0x1.3340000000000p+0", "0x1.a680000000000p+1", "0x1.b340000000000p+1"],
    torch.bfloat16: ["0x1.1a00000000000p+0", "0x1.3400000000000p+0", "0x1.a600000000000p+1", "0x1.b400000000000p+1"],
}
# The bits are those that PyTorch computes on a processor with AVX2.
IDENTITY = [
    "-0x1.b6db6e0000000p-1",
    "-0x1.2492480000000p-1",
    "-0x1.2492480000000p-2",
    "-0x1.b6db6e0000000p-26",
    "0x1.2492480000000p-2",
    "0x1.2492480000000p-1",
    "0x1.b6db6e0000000p-1",
]


def bits(values: torch.Tensor) -> list[str]:
    return [value.hex() for value in values.tolist()]


@pytest.mark.parametrize("dtype", LINES)
def test_numbers_between_two_ends_have_the_bits_of_pytorch(dtype: torch.dtype) -> None:
    line = bits(torch.linspace(-1, 1, 7, dtype=dtype))
    assert line[1:6] == LINES[dtype] and (line[0], line[6]) == ((-1.0).hex(), (1.0).hex())


@pytest.mark.parametrize("dtype", RANGES)
def test_numbers_by_a_step_have_the_bits_of_pytorch(dtype: torch.dtype) -> None:
    numbers = bits(torch.arange(0, 4, 0.1, dtype=dtype))
    assert numbers[11:13] + numbers[33:35] == RANGES[dtype]


def test_the_grid_of_the_identity_has_the_bits_of_pytorch() -> None:
    identity = torch.tensor([[[1.0, 0, 0], [0, 1.0, 0]]])
    assert bits(F.affine_grid(identity, [1, 1, 7, 7], align_corners=False)[0, 0, :, 0]) == IDENTITY


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_powers_are_those_of_exponents_counted_from_the_nearer_end(dtype: torch.dtype) -> None:
    def rounded(value: float) -> float:
        return torch.tensor(value, dtype=dtype).item()

    first, last = rounded(0.1), rounded(0.7)
    step = rounded(last - first) / 8
    exponents = [first + step * i if i < 4 else last - step * (8 - i) for i in range(9)]
    assert bits(torch.logspace(0.1, 0.7, 9, dtype=dtype)) == [rounded(math.pow(10, e)).hex() for e in exponents]


def test_powers_of_other_dtypes_and_arguments() -> None:
    assert torch.logspace(0, 3, 4, dtype=torch.uint8).tolist() == [1, 10, 100, 232] and torch.logspace(3, 0, 4, dtype=torch.int32).tolist() == [1000, 100, 10, 1]
    assert torch.logspace(0, 2, 1, base=0.0).tolist() == [1.0] and torch.logspace(0, 3, 0).tolist() == [] and torch.logspace(-2, 2.5, 7, 0.5, dtype=torch.int64)[3] == 1
    assert torch.equal(torch.logspace(torch.tensor(0.1), torch.tensor(0.7), 5), torch.logspace(0.1, 0.7, 5)) and torch.logspace(0, 1, 3, out=torch.empty(0)).shape == (3,)
    assert torch.logspace(0, 2, 3, dtype=torch.complex64).dtype == torch.complex64
    with pytest.raises(RuntimeError, match="1000.* cannot be converted to type torch.uint8 without overflow"):
        torch.logspace(3, -3, 1, dtype=torch.uint8)


@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_grid_of_symbolic_sizes_has_the_bits_of_one_of_numbers(corners: bool, dtype: torch.dtype) -> None:
    theta = torch.tensor([[[0.9, 0.1, 0.25], [-0.2, 1.1, 0.0]]], dtype=dtype)
    traced = torch.jit.trace(lambda t, x: F.affine_grid(t, [1, 1, x.shape[0], x.shape[1]], align_corners=corners), (theta, torch.ones(7, 3)))
    for n, m in ((7, 3), (1, 5), (6, 1), (33, 2)):
        whole = F.affine_grid(theta, [1, 1, n, m], align_corners=corners)
        assert torch.equal(traced(theta, torch.ones(n, m)).view(torch.uint8), whole.view(torch.uint8))
