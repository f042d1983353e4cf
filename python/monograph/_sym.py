"""torch.sym_max and its relatives: arithmetic on sizes. Numbers give numbers; what is symbolic while a function is captured stays symbolic."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from . import _C
from ._ops import ops
from ._overridable import as_given

__all__ = ["sym_float", "sym_int", "sym_ite", "sym_max", "sym_min", "sym_not", "sym_sum"]

T = TypeVar("T")
_NUMBERS = (_C.SymInt, _C.SymFloat)


@as_given
def sym_not(a: bool) -> bool:
    """Whether a condition is False.

        >>> torch.sym_not(2 > 1)
        False
    """
    return cast(bool, ops.aten.__not__(a)) if isinstance(a, _C.SymBool) else not a


@as_given
def sym_float(a: float) -> float:
    """A number as a float.

        >>> torch.sym_float(3)
        3.0
    """
    if isinstance(a, _C.SymFloat):
        return a
    if isinstance(a, _C.SymInt):
        return cast(float, a * 1.0)
    return cast(float, a.__sym_float__()) if hasattr(a, "__sym_float__") else builtins.float(a)


@as_given
def sym_int(a: float) -> int:
    """A number as an int, rounded to zero.

        >>> torch.sym_int(-2.5)
        -2
    """
    return cast(int, a) if isinstance(a, _C.SymInt) else math.trunc(a) if isinstance(a, _C.SymFloat) else builtins.int(a)


def _extreme(plain: Callable[..., Any], symbolic: Any, a: Any, b: Any) -> Any:
    """The larger or smaller of two numbers: a float if one of them is."""
    if isinstance(a, _NUMBERS) or isinstance(b, _NUMBERS):
        return symbolic(a, b)
    for x in (a, b):
        if not isinstance(x, (int, float)):
            raise AssertionError(f"sym_{plain.__name__}(): expected an int, a float or a symbolic number, but got {type(x).__name__}")
    found = plain(a, b)
    return float(found) if isinstance(a, float) or isinstance(b, float) else found


@as_given
def sym_max(a: float, b: float) -> float:
    """The larger of two numbers. It is a float if one of them is, where Python's max gives one of its arguments.

        >>> torch.sym_max(3, 2.5)
        3.0
    """
    return cast(float, _extreme(builtins.max, ops.prim.max, a, b))


@as_given
def sym_min(a: float, b: float) -> float:
    """The smaller of two numbers. It is a float if one of them is, where Python's min gives one of its arguments.

        >>> torch.sym_min(2, 2.5)
        2.0
    """
    return cast(float, _extreme(builtins.min, ops.prim.min, a, b))


@as_given
def sym_sum(*args: float | Sequence[float]) -> float:
    """The sum of numbers, given one by one or as one list.

        >>> torch.sym_sum([1, 2, 3])
        6
    """
    terms: Any = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    return cast(float, builtins.sum(terms))


@as_given
def sym_ite(b: bool, t: T, f: T) -> T:
    """`t` if the condition `b` is True, else `f`, which must be of the same type.

        >>> torch.sym_ite(2 > 1, 10, 20)
        10
    """
    if not isinstance(b, (_C.SymBool, bool)):
        raise AssertionError(f"sym_ite(): expected a bool for b, but got {type(b).__name__}")
    if type(t) is not type(f):
        raise AssertionError(f"sym_ite(): expected t and f to be of one type, but got {type(t).__name__} and {type(f).__name__}")
    return t if b else f


for _name in __all__:  # graphs and errors name them by their home in PyTorch
    globals()[_name].__module__ = _C.__name__.partition(".")[0]
