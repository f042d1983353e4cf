"""Functions of torch that are several operators, or one under another calling convention."""

from __future__ import annotations

import math
from typing import Any

from . import _C

__all__ = ["allclose", "broadcast_shapes", "equal", "isclose", "split"]


def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Views of `tensor` cut along `dim`, into pieces of one size or of the sizes given."""
    return tensor.split(split_size_or_sections, dim)


def equal(input: Any, other: Any) -> bool:
    """Whether both have the same size and the same elements."""
    return input.shape == other.shape and bool((input == other).all())


def isclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Where |input - other| <= atol + rtol |other|; equal infinities are close."""
    if input.dtype != other.dtype:
        raise RuntimeError(f"isclose: {input.dtype} did not match {other.dtype}; convert one of them")
    if rtol < 0 or atol < 0:
        raise RuntimeError(f"isclose: rtol and atol must not be negative, but got {rtol} and {atol}")
    close = input == other
    exact = not (input.dtype.is_floating_point or input.dtype.is_complex)
    if equal_nan and not exact:
        close = close | (input != input) & (other != other)
    if rtol == 0 and atol == 0:
        return close
    wide = other.to(_C._get_default_dtype()) if exact else other
    error = (input - wide).abs()
    return close | (error <= atol + (rtol * wide).abs()) & (error != math.inf)


def allclose(input: Any, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


def broadcast_shapes(*shapes: Any) -> Any:
    """The shape to which all of them broadcast."""
    from ._C import Size

    sizes = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    n = max(map(len, sizes), default=0)
    result = [1] * n
    for size in sizes:
        for i, s in enumerate(size, n - len(size)):
            if s != 1 and result[i] not in (1, s):
                raise RuntimeError(f"Shape mismatch: objects cannot be broadcast to a single shape: {sizes}")
            result[i] = s if result[i] == 1 else result[i]
    return Size(result)
