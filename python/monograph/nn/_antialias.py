"""F.interpolate(antialias=True): each pixel of the result is a mean of the input's pixels under a triangle or a cubic curve, which is stretched where the
image becomes smaller, as in PIL. A pass over the rows and one over the columns are products with a matrix of weights."""

from __future__ import annotations

from .. import _VF, _dtypes
from .._tensor import Tensor


def _weights_at(x: Tensor, cubic: bool) -> Tensor:
    """The weights at these distances from the middle."""
    d = x.abs()
    if not cubic:
        return (1.0 - d).clamp(min=0.0)
    near = (1.5 * d - 2.5) * d * d + 1.0
    far = ((-0.5 * d + 2.5) * d - 4.0) * d + 2.0
    return _VF.where(d < 1.0, near, _VF.where(d < 2.0, far, _VF.zeros_like(d)))


def _weights(n: int, m: int, factor: float | None, cubic: bool, corners: bool, like: Tensor) -> Tensor:
    """A matrix of m rows: how much each of n pixels counts in each of the result's."""
    step = n / m
    if corners:
        step = (n - 1) / (m - 1) if m > 1 else 0.0
    elif factor is not None and factor > 0.0:
        step = 1.0 / factor
    stretch = step if step > 1.0 else 1.0
    reach = (2.0 if cubic else 1.0) * stretch
    middle = ((_VF.arange(m, device=like.device).double() + 0.5) * step).unsqueeze(1)
    place = _VF.arange(n, device=like.device).double()
    first, end = (middle - reach + 0.5).trunc().clamp(min=0.0), (middle + reach + 0.5).trunc()
    inside = _VF.logical_and(place >= first, place < end)
    weights = _VF.where(inside, _weights_at((place - middle + 0.5) / stretch, cubic), 0.0)
    return weights / weights.sum(1, keepdim=True)


def _bytes(input: Tensor, weights: Tensor) -> Tensor:
    """A pass over bytes, in integers as in PyTorch and PIL: weights of 16 bits, as precise as the largest of them allows, and a rounded result."""
    largest = float(weights.max())
    bits = 0  # 1 << bits, not 2**bits: an archive cannot hold the power of ints, which is a float in PyTorch's scripts
    while bits < 22 and int(0.5 + largest * (1 << (bits + 1))) < 1 << 15:
        bits += 1
    scaled = weights * (1 << bits)
    whole = (scaled.abs() + 0.5).floor() * scaled.sign()
    return ((_VF.matmul(whole, input) + (1 << (bits - 1))) / (1 << bits)).floor().clamp(0.0, 255.0)


def antialiased(input: Tensor, size: list[int] | None, factors: list[float] | None, cubic: bool, corners: bool) -> Tensor:
    """An image, or a batch of them, in another size."""
    rows, columns = input.size(2), input.size(3)
    if size is not None:
        height, width = size[0], size[1]
    else:
        assert factors is not None
        height, width = int(rows * factors[0]), int(columns * factors[1])
    of_bytes = input.dtype == _dtypes.uint8
    if not input.is_floating_point() and not of_bytes:
        raise NotImplementedError(f"interpolate(antialias=True) takes floating-point images and those of uint8, but got {input.dtype}")
    tall = _weights(rows, height, factors[0] if factors is not None else None, cubic, corners, input)
    wide = _weights(columns, width, factors[1] if factors is not None else None, cubic, corners, input)
    if of_bytes:
        across = _bytes(input.double().transpose(-1, -2), wide) if columns != width else input.double().transpose(-1, -2)
        across = across.transpose(-1, -2)
        return (_bytes(across, tall) if rows != height else across).to(_dtypes.uint8)  # a script has no byte()
    kind = _dtypes.float64 if input.dtype == _dtypes.float64 else _dtypes.float32
    return _VF.matmul(tall.to(kind), _VF.matmul(input.to(kind), wide.to(kind).t())).to(input.dtype)
