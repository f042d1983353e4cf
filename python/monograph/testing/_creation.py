"""torch.testing.make_tensor."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

from .. import _C, _VF
from .._tensor import Tensor
from .._type_info import finfo, iinfo

_dtypes = _C._dtypes


def _range(low: Any, high: Any, least: Any, end: Any, defaults: tuple[int, int], dtype: Any) -> tuple[Any, Any]:
    """The bounds of the values, limited to what the dtype can represent."""
    low, high = defaults[0] if low is None else low, defaults[1] if high is None else high
    floating = dtype.is_floating_point or dtype.is_complex
    if any(isinstance(v, float) and math.isnan(v) for v in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and floating:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=4,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= end:
        raise ValueError(f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports [{least}, {end})")
    low, high = min(max(low, least), end), min(max(high, least), end)
    return (low, high) if floating else (math.ceil(low), math.ceil(high))


def _drawn(shape: list[int], dtype: Any, device: Any, low: Any, high: Any) -> Tensor:
    if not (dtype.is_floating_point or dtype.is_complex):
        if dtype == _dtypes["bool"]:
            least, end, defaults = 0, 2, (0, 2)
        else:
            limits = iinfo(dtype)
            least, end, defaults = limits.min, limits.max + (dtype != _dtypes["int64"]), (-9, 10)
        low, high = _range(low, high, least, end, defaults, dtype)
        return _VF.randint(low, high, shape, dtype=dtype, device=device)
    floats = finfo(dtype)
    low, high = _range(low, high, floats.min, floats.max, (-9, 9), dtype)
    part = dtype.to_real() if dtype.is_complex else dtype
    made = _VF.empty([*shape, 2] if dtype.is_complex else shape, dtype=part, device=device)
    if high - low >= finfo(part).max:  # more than uniform_ takes at once
        made.uniform_(low / 2, high / 2).mul_(2)
    else:
        made.uniform_(low, high)
    if not dtype.is_complex:
        return made
    whole = _VF.empty(shape, dtype=dtype, device=device)
    _C._tensor_over(_C._storage_of(whole)[1], part, 0, [*shape, 2], [*(2 * s for s in whole.stride()), 1]).copy_(made)
    return whole


def make_tensor(
    *shape: int | Sequence[int],
    dtype: _C.dtype,
    device: _C.device | str,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: _C.memory_format | None = None,
) -> Tensor:
    """A tensor of values drawn evenly from [low, high), PyTorch's from the same seed.

    shape: sizes. low, high: -9 and 9 of floats, -9 and 10 of integers where they are None. noncontiguous: every second element of a longer tensor.
    exclude_zero: ones, or the least positive floats, in the place of zeros. memory_format: of the result.
    Raises ValueError for a range without values of the dtype, for both of noncontiguous and memory_format, and for requires_grad of integers.

    Args:
        shape: the sizes
        dtype: the dtype of the result
        device: the device of the result
        low: the lower bound; None: by the dtype
        high: the upper bound, not included for integers; None: by the dtype
        requires_grad: whether operations on the result are recorded for gradients
        noncontiguous: whether the elements lie apart in memory
        exclude_zero: whether zeros are replaced by a small number
        memory_format: the layout

        >>> torch.testing.make_tensor(2, 3, dtype=torch.int64, device="cpu", low=0, high=1)
        tensor([[0, 0, 0],
                [0, 0, 0]])
    """
    sizes: Any = shape[0] if len(shape) == 1 and isinstance(shape[0], Sequence) else shape
    sizes = list(sizes)
    if noncontiguous and memory_format is not None:
        raise ValueError(f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got {noncontiguous=} and {memory_format=}")
    floating = dtype.is_floating_point or dtype.is_complex
    if requires_grad and not floating:
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}")
    noncontiguous = noncontiguous and math.prod(sizes) > 1
    if noncontiguous:
        sizes = [*sizes[:-1], 2 * sizes[-1]]
    made = _drawn(sizes, dtype, device, low, high)
    if noncontiguous:
        made = made[..., 1::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = finfo(dtype).tiny if floating else 1
    return made.requires_grad_(requires_grad) if floating else made
