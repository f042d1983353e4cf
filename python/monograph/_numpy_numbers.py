"""Calls of NumPy's functions with numbers that a graph computes, in a function that is captured. The program sees numpy.float64 and numpy.int64, as it does outside of
a capture. Functions that are no operators of the graph get the example's numbers, and guards check these."""

from __future__ import annotations

import functools
import math
import operator
import sys
from collections.abc import Callable
from typing import Any

from . import _C

_NUMBERS = (_C.SymInt, _C.SymFloat, _C.NumpyInt, _C.NumpyFloat)
# Exact for all floats: also the sign of a zero is that of numpy.ceil.
_ROUNDED: dict[str, Callable[[Any], Any]] = {"floor": lambda x: x // 1.0, "ceil": lambda x: -(-x // 1.0)}
_OF_TWO: dict[str, Callable[[Any, Any], Any]] = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul}
_OF_LIST: dict[str, Callable[[Any, Any], Any]] = {"prod": operator.mul, "sum": operator.add}


def call(function: Any, args: tuple[Any, ...]) -> Any:
    """What a function of NumPy returns; NotImplemented where no argument is a number of the graph."""
    if not any(map(_has_number, args)):
        return NotImplemented
    result = _in_graph(getattr(function, "__name__", ""), isinstance(function, sys.modules["numpy"].ufunc), args)
    return function(*map(_plain, args)) if result is NotImplemented else _C._as_numpy(result)


def _in_graph(name: str, of_elements: bool, args: tuple[Any, ...]) -> Any:
    if of_elements and all(_is_number(a) for a in args):
        first = _C._of_python(args[0])
        if len(args) == 2:
            return _OF_TWO[name](first, _C._of_python(args[1])) if name in _OF_TWO else NotImplemented
        if len(args) == 1 and name in _ROUNDED:
            return _ROUNDED[name](first) if type(first) is _C.SymFloat else NotImplemented
        of_real = getattr(first, name, None) if len(args) == 1 and hasattr(math, name) and name != "trunc" else None
        return NotImplemented if of_real is None else of_real()
    if name in _OF_LIST and len(args) == 1 and isinstance(args[0], (tuple, list)) and args[0] and all(map(_is_number, args[0])):
        return functools.reduce(_OF_LIST[name], map(_C._of_python, args[0]))
    return NotImplemented


def _is_number(value: Any) -> bool:
    return type(value) in (int, float, *_NUMBERS)


def _has_number(value: Any) -> bool:
    return type(value) in _NUMBERS or (isinstance(value, (tuple, list)) and any(map(_has_number, value)))


def _plain(value: Any) -> Any:
    """The value with the example's numbers. Asking for one makes a guard."""
    if isinstance(value, (tuple, list)):
        return [_plain(v) for v in value] if isinstance(value, list) else tuple(map(_plain, value))
    if type(value) not in _NUMBERS:
        return value
    number = float(value) if type(value) in (_C.SymFloat, _C.NumpyFloat) else int(value)
    return value.__class__(number)
