"""Functions of torch that are several operators, or one under another calling convention."""

from __future__ import annotations

import math
from typing import Any

from . import _C
from ._overridable import as_given

__all__ = ["allclose", "broadcast_shapes", "conv1d", "conv2d", "equal", "isclose", "split"]
_conv2d = _C._functions()[""]["conv2d"]


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


# Convolutions: the record is conv2d with numbers for its padding.


def _pair(a: Any) -> tuple[Any, Any]:
    parts = tuple(a) if isinstance(a, (tuple, list, _C.Size)) else (a,)
    return parts if len(parts) == 2 else parts * 2


def _same(input: Any, weight: Any, bias: Any, stride: tuple[Any, Any], dilation: tuple[Any, Any], groups: Any) -> Any:
    """As many outputs as inputs. Where the padding is odd PyTorch pads more at the end; here both ends have the more, and the output at the front goes."""
    if stride != (1, 1):
        raise RuntimeError(f"padding='same' is not supported for strided convolutions, but got stride={stride}")
    total = [d * (weight.size(k - 2) - 1) for k, d in enumerate(dilation)]
    result = _conv2d(input, weight, bias, stride, [(t + 1) // 2 for t in total], dilation, groups)
    for k, t in enumerate(total):
        if not isinstance(t, int) or t % 2:  # of a size that is symbolic, whichever it is
            result = result.narrow(k - 2, t % 2, result.size(k - 2) - t % 2)
    return result


@as_given
def conv2d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Any:
    """2-d convolution. padding: a number, two of them, "valid" (none) or "same" (as many outputs as inputs)."""
    if padding == "same":
        return _same(input, weight, bias, _pair(stride), _pair(dilation), groups)
    if isinstance(padding, str) and padding != "valid":
        raise RuntimeError(f"conv2d: padding must be numbers, 'valid' or 'same', but got {padding!r}")
    return _conv2d(input, weight, bias, stride, 0 if padding == "valid" else padding, dilation, groups)


def _one(name: str, a: Any) -> Any:
    """The number of an argument of conv1d, which may be a list of one."""
    if not isinstance(a, (tuple, list, _C.Size)):
        return a
    if len(a) != 1:
        raise RuntimeError(f"conv1d: {name} must be a number or a list of one number, but got {list(a)}")
    return a[0]


@as_given
def conv1d(input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1) -> Any:
    """1-d convolution of input [N, C, L] or [C, L] with weight [out, C / groups, K]: a conv2d of one row."""
    if not input._is_symbolic and input.dim() not in (2, 3):
        raise RuntimeError(f"Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: {list(input.shape)}")
    if not weight._is_symbolic and weight.dim() != 3:
        raise RuntimeError(f"conv1d: weight must have 3 dims (out, in / groups, kernel), but got one of size: {list(weight.shape)}")
    numbers = padding if isinstance(padding, str) else (0, _one("padding", padding))
    row, kernel = input.unsqueeze(-2), weight.unsqueeze(-2)
    return conv2d(row, kernel, bias, (1, _one("stride", stride)), numbers, (1, _one("dilation", dilation)), groups).squeeze(-2)


conv1d.__module__ = conv2d.__module__ = "monograph"


@as_given
def _assert(condition: Any, message: str) -> None:
    """`assert condition, message` as a call, which a symbolic trace records."""
    assert condition, message


# What PyTorch has in `torch` itself; generated code names functions by their modules.
for _function in (allclose, equal, isclose, _assert):
    _function.__module__ = "monograph"
