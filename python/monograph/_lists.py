"""Lists whose length a captured program computes: one that a loop appends to, or that has other lengths in the two ways of a branch. In the captured
function a CarriedList takes the place of such a list. Its items are one value of the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from monograph import _C


def _index(key: Any) -> Any:
    """The number that a tensor is as an index of a list, which stays a value of the graph."""
    if isinstance(key, _C.TensorBase) and not (key.is_floating_point() or key.is_complex()):
        return key.item() + 0  # of a bool, a number
    return key


class CarriedList:
    """`_carried_items` is a value of the graph, and a plain list once somebody has asked for the length, which is then guarded."""

    # What a way of a branch writes to an attribute is undone; `asked` may be forgotten by then, but never be wrong.
    __slots__ = ("__dict__", "asked")

    def __init__(self, items: Any):
        self._carried_items = items
        self.asked: Any = None  # the value of the graph that a plain list still equals

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return list

    def plain(self) -> list[Any]:
        if type(self._carried_items) is not list:
            count = int(_C._list_length(self._carried_items))
            self.asked, self._carried_items = self._carried_items, [self._carried_items[k] for k in range(count)]
        return self._carried_items

    def _written(self) -> list[Any]:
        """The plain list, which changes now."""
        items = self.plain()
        self.asked = None
        return items

    def _value(self, other: Any) -> Any:
        """The items of another list, where they are a value of the graph or can be put into one."""
        return other._carried_items if type(other) is CarriedList else other

    def _grow(self, more: Any) -> bool:
        """Puts a plain list of items, or a value of the graph, behind these if that gives one value of the graph."""
        if type(self._carried_items) is list:
            return False
        grown = _C._list_joined(self._carried_items, more)
        if grown is not None:
            self._carried_items, self.asked = grown, None
        return grown is not None

    def append(self, item: Any) -> None:
        if not self._grow([item]):
            self._written().append(item)

    def extend(self, other: Iterable[Any]) -> None:
        more = self._value(other)
        if type(more) is not _C.SymbolicList:
            more = list(more)
        if not self._grow(more):
            self._written().extend(list(other) if other is self else other)

    def insert(self, index: Any, item: Any) -> None:
        self._written().insert(index, item)

    def pop(self, index: Any = -1) -> Any:
        if type(self._carried_items) is list or type(index) is not int or index not in (0, -1):
            return self._written().pop(index)
        item = self._carried_items[index]
        self._carried_items, self.asked = _C._list_slice(self._carried_items, slice(1, None) if index == 0 else slice(None, -1)), None
        return item

    def remove(self, item: Any) -> None:
        self._written().remove(item)

    def clear(self) -> None:
        self._written().clear()

    def reverse(self) -> None:
        self._written().reverse()

    def sort(self, **kwargs: Any) -> None:
        self._written().sort(**kwargs)

    def index(self, *args: Any) -> int:
        return self.plain().index(*args)

    def count(self, item: Any) -> int:
        return self.plain().count(item)

    def copy(self) -> Any:
        return CarriedList(self._carried_items) if type(self._carried_items) is not list else list(self._carried_items)

    __copy__ = copy

    def length(self) -> Any:
        return len(self._carried_items) if type(self._carried_items) is list else _C._list_length(self._carried_items)

    def __len__(self) -> int:
        return int(self.length())

    def __bool__(self) -> bool:
        return bool(self.length() > 0)

    def __getitem__(self, key: Any) -> Any:
        if type(self._carried_items) is list:
            return self._carried_items[key]
        if isinstance(key, slice):
            key = slice(_index(key.start), _index(key.stop), _index(key.step))
            part = _C._list_slice(self._carried_items, key)
            return self.plain()[key] if part is None else CarriedList(part)
        return self._carried_items[_index(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._written()[key] = value

    def __delitem__(self, key: Any) -> None:
        del self._written()[key]

    def __iter__(self) -> Any:
        if type(self._carried_items) is list:
            return iter(self._carried_items)
        return _elements(self, lambda k, count: k, self)

    def __reversed__(self) -> Any:
        if type(self._carried_items) is list:
            return reversed(self._carried_items)
        return _elements(self, lambda k, count: count - 1 - k)

    def __contains__(self, item: Any) -> bool:
        return item in self.plain()

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        made = CarriedList(self._carried_items)
        return made if made._grow(self._value(other)) else self.plain() + list(other)

    def __radd__(self, other: Any) -> Any:
        if not isinstance(other, list):
            return NotImplemented
        joined = _C._list_joined(other, self._carried_items) if type(self._carried_items) is not list else None
        return other + self.plain() if joined is None else CarriedList(joined)

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self

    def __mul__(self, n: Any) -> Any:
        return self.plain() * n

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return self.plain() == (other.plain() if type(other) is CarriedList else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self.plain())


class SymbolicIterator:
    """element(k), for k from 0 to count - 1. None of this is a part of the program, whose reads are guarded."""

    @_C._natively
    def __init__(self, element_at: Callable[[Any], Any], count: Any, position: int = 0, over: CarriedList | None = None):
        self.element_at, self.count, self.position = _C._natively(element_at), count, position
        self.over = over  # the list whose elements it gives as they are

    @_C._natively
    def element(self, k: Any) -> Any:
        return self.element_at(k + self.position if self.position else k)

    @_C._natively
    def remaining(self) -> Any:
        return self.count - self.position if self.position else self.count

    @_C._natively
    def at_same_place(self) -> SymbolicIterator:
        return SymbolicIterator(self.element_at, self.count, self.position, self.over)

    @_C._natively
    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SymbolicIterator)
            and (self.element_at is other.element_at and self.count is other.count)
            and self.position == other.position
        )

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> SymbolicIterator:
        return self

    def __next__(self) -> Any:
        if hasattr(type(self.count), "_refuse_elements"):  # a proxy has no value that could be guarded
            self.count._refuse_elements()
        if self.over is not None:  # as Python's iterator, which sees what is appended meanwhile
            items = self.over.plain()
            if self.position >= len(items):
                raise StopIteration
            self.position += 1
            return items[self.position - 1]
        # The first element alone asks whether there is one; a second one asks how many there are.
        if self.position:
            self.count = int(self.count)
        if not self.count > self.position:
            raise StopIteration
        self.position += 1
        return self.element_at(self.position - 1)


def _elements(values: CarriedList, place: Callable[[Any, Any], Any], over: CarriedList | None = None) -> Any:
    """The iterator over such a list. Python's goes over what is appended meanwhile too; a loop of the graph does not."""
    items, count = values._carried_items, values.length()

    def element_at(k: Any) -> Any:
        if values._carried_items is not items and values.asked is not items:
            raise RuntimeError("a list is changed while a loop goes over it; go over a copy of the list")
        return items[place(k, count)]

    return SymbolicIterator(element_at, count, 0, over)


_C._set_carried_list(CarriedList)
