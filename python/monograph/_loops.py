"""What loops of a captured program run over where the graph counts: range() of a symbolic size, the rows of a tensor, enumerate() and zip() of these. The
capture machine makes such a loop the graph's Loop. Other code that takes the elements one by one gets them under guards."""

from __future__ import annotations

import builtins
import functools
import itertools
from collections.abc import Iterator
from typing import Any

from monograph import _C, _numpy_numbers
from monograph._lists import CarriedList, SymbolicIterator
from monograph._tensor import Tensor


class SymbolicRange:
    """range() of numbers that the graph computes. What is no iteration asks for these numbers."""

    def __init__(self, start: Any, stop: Any, step: int):
        self.start, self.stop, self.step = start, stop, step

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return range

    def count(self) -> Any:
        if self.step == 1:
            return self.stop - self.start if _is_not_zero(self.start) else self.stop
        distance = self.stop - self.start if self.step > 0 else self.start - self.stop
        return (distance + abs(self.step) - 1) // abs(self.step)

    def element(self, k: Any) -> Any:
        k = k * self.step if self.step != 1 else k
        return self.start + k if _is_not_zero(self.start) else k

    def plain(self) -> range:
        return range(int(self.start), int(self.stop), self.step)

    def __iter__(self) -> SymbolicIterator:
        return SymbolicIterator(self.element, self.count())

    def __len__(self) -> int:
        return len(self.plain())

    def __getitem__(self, k: Any) -> Any:
        return self.plain()[k]

    def __contains__(self, k: object) -> bool:
        return k in self.plain()

    def __reversed__(self) -> Any:
        return reversed(self.plain())

    def __eq__(self, other: object) -> bool:
        return self.plain() == (other.plain() if isinstance(other, SymbolicRange) else other)

    def __hash__(self) -> int:
        return hash(self.plain())

    def __repr__(self) -> str:
        return repr(self.plain())

    def index(self, k: Any) -> int:
        return self.plain().index(k)


def elements(values: Any, backwards: bool = False) -> Any:
    """What has the elements of `for e in values` under the numbers 0, 1, ...: the keys of a dict become a list. A tensor, list, tuple or str is given as it is.

    backwards: for reversed(values), which does not take a set. Raises TypeError for an iterator or generator, which can be read only once.
    """
    kind = type(values)  # isinstance() would ask a proxy for the type of its value
    if issubclass(kind, (Tensor, list, tuple, str)):
        return values
    if hasattr(kind, "__torch_function__"):  # a proxy: the code of a symbolic trace is traced again
        return kind.__torch_function__(elements, (kind,), (values, True) if backwards else (values,))
    if isinstance(values, Iterator):
        raise TypeError(
            f"the loop of a symbolic trace takes its elements by their numbers, but got a {type(values).__name__}, which has none. Pass list(...) of it, "
            "or use torch.compile"
        )
    if backwards:
        reversed(values)  # raises for what has no order
    return list(values)


def _is_not_zero(start: Any) -> bool:
    return type(start) is not int or start != 0


def _is_number(value: Any) -> bool:
    return type(value) in (int, _C.SymInt)


def _iterator(value: Any) -> SymbolicIterator | None:
    """The iterator over what has a length that the graph computes."""
    if type(value) in (SymbolicRange, SymbolicIterator):
        return iter(value)
    if type(value) is CarriedList:
        parts = iter(value)
        return parts if type(parts) is SymbolicIterator else None
    if _C._is_captured(value) and value.dim() > 0:
        length = value.shape[0]
        if type(length) is _C.SymInt:
            return SymbolicIterator(lambda k: value.select(0, k), length)
    return None


def counted(range_iterator: Any) -> SymbolicIterator:
    """The iterator of the graph over what is left of a range's."""
    _, (whole,), position = range_iterator.__reduce__()
    left = whole[position:]
    return SymbolicIterator(
        lambda k: (k * left.step if left.step != 1 else k) + left.start if left.start or left.step != 1 else k, len(left)
    )


def strict_zip(*iterables: Any) -> Any:
    """zip(..., strict=True)."""
    return zip(*iterables, strict=True)


def _of_numpy(function: Any) -> bool:
    home = getattr(function, "__module__", "numpy" if hasattr(function, "nin") else "")  # a ufunc has none in older versions
    return isinstance(home, str) and home.partition(".")[0] == "numpy"


_KINDS: dict[type, type] = {_C.SymInt: int, _C.SymFloat: float, _C.SymBool: bool, _C.SymbolicText: str, CarriedList: list}


def call(function: Any, args: tuple[Any, ...]) -> Any:
    """function(*args) for range, enumerate, zip, reversed, len and iter of what the graph counts, and for max, min and functions of math of its numbers;
    NotImplemented for anything else."""
    if function is range:
        if not all(map(_is_number, args)) or all(type(a) is int for a in args) or len(args) > 3:
            return NotImplemented
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        return SymbolicRange(start, stop, step) if type(step) is int and step != 0 else NotImplemented
    if function in (type, builtins.isinstance):
        # A number that the graph computes is what the program computes there.
        kind = _KINDS.get(type(args[0])) if len(args) == (1 if function is type else 2) else None
        if kind is None and len(args) == (1 if function is type else 2) and type(args[0]) in (_C.NumpyInt, _C.NumpyFloat):
            kind = args[0].__class__
        return NotImplemented if kind is None else kind if function is type else isinstance(kind(), args[1])
    if function in (int, float):
        return _C._captured_number(function is float, _C._of_python(args[0])) if len(args) == 1 else NotImplemented
    if function in (max, min):
        if len(args) < 2 or not all(map(_is_number, args)) or all(type(a) is int for a in args):
            return NotImplemented
        return functools.reduce(_C._larger if function is max else _C._smaller, args)
    if getattr(function, "__module__", "") == "math":
        of_real = getattr(args[0], function.__name__, None) if len(args) == 1 and type(args[0]) in (_C.SymInt, _C.SymFloat) else None
        return NotImplemented if of_real is None else of_real()
    if function is len:
        value = args[0]
        if len(args) == 1 and type(value) is _C.SymbolicText:
            return _C._text_node("aten::len.str", (value,))
        if len(args) == 1 and type(value) is CarriedList:
            return value.length()
        if len(args) == 1 and _C._is_captured(value) and value.dim() > 0:
            return value.shape[0]
        return NotImplemented
    if function is builtins.iter or (function is enumerate and len(args) <= 2):
        parts = _iterator(args[0])
        if parts is None or parts.position:
            return NotImplemented
        if function is builtins.iter:
            return parts
        first, element_at = args[1] if len(args) == 2 else 0, parts.element_at
        return SymbolicIterator(lambda k: (k + first if first else k, element_at(k)), parts.count) if type(first) is int else NotImplemented
    if function is reversed and len(args) == 1:
        if type(args[0]) is CarriedList:
            parts = reversed(args[0])
            return parts if type(parts) is SymbolicIterator else NotImplemented
        if type(args[0]) is not SymbolicRange:
            return NotImplemented
        forwards = iter(args[0])
        return SymbolicIterator(lambda k: forwards.element_at(forwards.count - 1 - k), forwards.count)
    if function in (zip, strict_zip) and args:
        iterators = [i for i in map(_iterator, args) if i is not None and not i.position]
        if len(iterators) < len(args):
            return NotImplemented
        count = iterators[0].count
        for i in iterators[1:]:
            if function is strict_zip:
                if i.count is not count and not count == i.count:
                    return NotImplemented
            elif i.count is not count:
                count = _C._smaller(count, i.count)
        return SymbolicIterator(lambda k: tuple(map(SymbolicIterator.element, iterators, itertools.repeat(k))), count)
    if _of_numpy(function):
        return _numpy_numbers.call(function, args)
    return NotImplemented
