"""torch._foreach_*: one call on lists of tensors, element by element. A capture records the calls on the tensors.

torch._foreach_NAME calls torch.NAME on each tensor, and torch._foreach_NAME_ calls x.NAME_(); both are made at their first use (`of_name`). Written out are those
whose arguments differ from torch.NAME's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from . import _C, _VF

if TYPE_CHECKING:
    from ._tensor import Tensor

Number = float | complex


def _pairs(self: Sequence[Tensor], others: Sequence[Tensor] | Sequence[Number], scalars: bool) -> list[tuple[Tensor, Any]]:
    if scalars and len(self) != len(others):
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")
    if len(self) != len(others):
        raise RuntimeError(f"Tensor lists must have the same number of tensors, got {len(self)} and {len(others)}")
    return list(zip(self, others, strict=True))


def _paired_with(self: Sequence[Tensor], other: Number | Sequence[Tensor] | Sequence[Number]) -> list[tuple[Tensor, Any]]:
    """Each tensor and what stands beside it: its own tensor or number, or the one number of all."""
    if not len(self):
        raise RuntimeError("Tensor list must have at least one tensor.")
    if not isinstance(other, (list, tuple)):
        return [(x, other) for x in self]
    return _pairs(self, other, bool(other) and isinstance(other[0], (bool, int, float, complex)))


def _foreach_pow(self: Number | Sequence[Tensor], exponent: Number | Sequence[Tensor] | Sequence[Number]) -> tuple[Tensor, ...]:
    """Each tensor raised to its exponent: one number, or one of a list. A number may stand first, beside a list of tensors."""
    if not isinstance(self, (list, tuple)):
        if not isinstance(exponent, (list, tuple)) or not exponent:
            raise RuntimeError("Tensor list must have at least one tensor.")
        number: Any = self
        return tuple(_VF.pow(number, x) for x in exponent)
    return tuple(_VF.pow(x, e) for x, e in _paired_with(self, exponent))


def _foreach_pow_(self: Sequence[Tensor], exponent: Number | Sequence[Tensor] | Sequence[Number]) -> list[Tensor]:
    """_foreach_pow, written into the tensors."""
    return [x.pow_(e) for x, e in _paired_with(self, exponent)]


def _foreach_lerp(
    self: Sequence[Tensor], tensors1: Sequence[Tensor], weight: Number | Sequence[Tensor] | Sequence[Number]
) -> tuple[Tensor, ...]:
    """lerp of each two tensors by the weight of all, or by that of a list."""
    weighted = _paired_with(self, weight)
    return tuple(_VF.lerp(x, end, w) for (x, end), (_, w) in zip(_pairs(self, tensors1, False), weighted, strict=True))


def _foreach_lerp_(
    self: Sequence[Tensor], tensors1: Sequence[Tensor], weight: Number | Sequence[Tensor] | Sequence[Number]
) -> list[Tensor]:
    """_foreach_lerp, written into the tensors of the first list."""
    weighted = _paired_with(self, weight)
    return [x.lerp_(end, w) for (x, end), (_, w) in zip(_pairs(self, tensors1, False), weighted, strict=True)]


def _foreach_norm(self: Sequence[Tensor], ord: Number = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    """The vector norm of each tensor, over all its elements."""
    return tuple(_VF.linalg_vector_norm(x, ord, dtype=dtype) for x in self)


def _foreach_zero_(self: Sequence[Tensor]) -> list[Tensor]:
    """Writes zeros into the tensors."""
    return [x.zero_() for x in self]


def _foreach_copy_(self: Sequence[Tensor], src: Sequence[Tensor], non_blocking: bool = False) -> list[Tensor]:
    """Copies each tensor of the second list into that of the first."""
    return [x.copy_(y, non_blocking) for x, y in _pairs(self, src, False)]


def _write_results(self: Sequence[Tensor], results: Sequence[Tensor]) -> list[Tensor]:
    return [x.copy_(y) for x, y in zip(self, results, strict=True)]


def _as_tensors(self: Sequence[Tensor], other: Number | Sequence[Tensor] | Sequence[Number]) -> list[tuple[Tensor, Any]]:
    """Numbers beside tensors as tensors of their dtype."""
    return [(x, y if hasattr(y, "dtype") else _VF.scalar_tensor(y, dtype=x.dtype)) for x, y in _paired_with(self, other)]


def _foreach_maximum(self: Sequence[Tensor], other: Number | Sequence[Tensor] | Sequence[Number]) -> tuple[Tensor, ...]:
    """The larger element of each tensor and of what stands beside it, which may be a number."""
    return tuple(_VF.maximum(x, y) for x, y in _as_tensors(self, other))


def _foreach_maximum_(self: Sequence[Tensor], other: Number | Sequence[Tensor] | Sequence[Number]) -> list[Tensor]:
    """_foreach_maximum, written into the tensors."""
    return _write_results(self, _foreach_maximum(self, other))


def _foreach_minimum(self: Sequence[Tensor], other: Number | Sequence[Tensor] | Sequence[Number]) -> tuple[Tensor, ...]:
    """The smaller element of each tensor and of what stands beside it, which may be a number."""
    return tuple(_VF.minimum(x, y) for x, y in _as_tensors(self, other))


def _foreach_minimum_(self: Sequence[Tensor], other: Number | Sequence[Tensor] | Sequence[Number]) -> list[Tensor]:
    """_foreach_minimum, written into the tensors."""
    return _write_results(self, _foreach_minimum(self, other))


def _foreach_addcmul(self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], value: Any = 1) -> tuple[Tensor, ...]:
    """x + value * a * b of each three tensors. `value` is a number, or one for each."""
    parts = zip(_pairs(self, tensor1, False), _pairs(self, tensor2, False), _paired_with(self, value), strict=True)
    return tuple(_VF.addcmul(x, a, b, value=v) for (x, a), (_, b), (_, v) in parts)


def _foreach_addcmul_(self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], value: Any = 1) -> list[Tensor]:
    """_foreach_addcmul, written into the tensors of the first list."""
    return _write_results(self, _foreach_addcmul(self, tensor1, tensor2, value))


def _foreach_addcdiv(self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], value: Any = 1) -> tuple[Tensor, ...]:
    """x + value * a / b of each three tensors. `value` is a number, or one for each."""
    parts = zip(_pairs(self, tensor1, False), _pairs(self, tensor2, False), _paired_with(self, value), strict=True)
    return tuple(_VF.addcdiv(x, a, b, value=v) for (x, a), (_, b), (_, v) in parts)


def _foreach_addcdiv_(self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor], value: Any = 1) -> list[Tensor]:
    """_foreach_addcdiv, written into the tensors of the first list."""
    return _write_results(self, _foreach_addcdiv(self, tensor1, tensor2, value))


def of_name(name: str) -> Callable[..., Any] | None:
    """The function torch._foreach_... of this name. None if there is no torch.NAME, or no x.NAME_() for a name that ends with `_`."""
    if name in globals():
        return globals()[name]
    base = name.removeprefix("_foreach_")
    writes, base = base.endswith("_"), base.removesuffix("_")
    one: Any = getattr(_C.TensorBase, base + "_", None) if writes else getattr(_VF, base, None)
    if one is None:
        return None

    def foreach(self: Sequence[Tensor], *others: Any, **options: Any) -> Sequence[Tensor]:
        lists = {key: value for key, value in options.items() if isinstance(value, (list, tuple))}
        beside = [[other for _, other in _paired_with(self, o)] for o in (*others, *lists.values())]
        if not self:
            raise RuntimeError("Tensor list must have at least one tensor.")
        results = []
        for k, x in enumerate(self):
            values = [column[k] for column in beside]
            result = one(x, *values[: len(others)], **{**options, **dict(zip(lists, values[len(others) :], strict=True))})
            results.append(result)
        return list(self) if writes else tuple(results)

    foreach.__name__ = foreach.__qualname__ = name
    foreach.__doc__ = f"torch.{base} of each tensor in a list" + (", written into the tensor." if writes else ".")
    return foreach
