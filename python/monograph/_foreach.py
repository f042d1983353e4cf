"""torch._foreach_*: one call on lists of tensors, element by element. A capture records the calls on the tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _VF

if TYPE_CHECKING:
    from ._tensor import Tensor

Number = float | complex


def _pairs(self: Sequence[Tensor], others: Sequence[Tensor] | Sequence[Number], scalars: bool) -> list[tuple[Tensor, Any]]:
    if scalars and len(self) != len(others):
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")
    if len(self) != len(others):
        raise RuntimeError(f"Tensor lists must have the same number of tensors, got {len(self)} and {len(others)}")
    return list(zip(self, others, strict=True))


def _beside(self: Sequence[Tensor], other: Number | Sequence[Tensor] | Sequence[Number]) -> list[tuple[Tensor, Any]]:
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
    return tuple(_VF.pow(x, e) for x, e in _beside(self, exponent))


def _foreach_pow_(self: Sequence[Tensor], exponent: Number | Sequence[Tensor] | Sequence[Number]) -> None:
    """_foreach_pow, written into the tensors."""
    for x, e in _beside(self, exponent):
        x.pow_(e)


def _foreach_lerp(
    self: Sequence[Tensor], tensors1: Sequence[Tensor], weight: Number | Sequence[Tensor] | Sequence[Number]
) -> tuple[Tensor, ...]:
    """lerp of each two tensors by the weight of all, or by that of a list."""
    weighted = _beside(self, weight)
    return tuple(_VF.lerp(x, end, w) for (x, end), (_, w) in zip(_pairs(self, tensors1, False), weighted, strict=True))


def _foreach_lerp_(self: Sequence[Tensor], tensors1: Sequence[Tensor], weight: Number | Sequence[Tensor] | Sequence[Number]) -> None:
    """_foreach_lerp, written into the tensors of the first list."""
    weighted = _beside(self, weight)
    for (x, end), (_, w) in zip(_pairs(self, tensors1, False), weighted, strict=True):
        x.lerp_(end, w)
