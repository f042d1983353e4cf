"""Evenly spaced numbers have PyTorch's bits: those of linspace are multiplied and added in one rounding, those of arange are counted from the beginning of a vector."""

from __future__ import annotations

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
