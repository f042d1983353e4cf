"""torch.utils.weak: dictionaries that compare keys by identity and do not keep them alive. A WeakKeyDictionary cannot have tensors as keys, because == of
tensors compares elements."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any

from .._tensor import Tensor

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """A weak reference that is hashed and compared by the identity of its object.

    >>> x = torch.ones(2)
    >>> WeakIdRef(x) == WeakIdRef(x), WeakIdRef(x) == WeakIdRef(torch.ones(2))
    (True, False)
    """

    __slots__ = ["_id"]

    def __init__(self, key: Any, callback: Callable[[weakref.ref], Any] | None = None) -> None:
        super().__init__(key, callback)  # type: ignore[call-arg]
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        mine = self()
        return mine is not None and isinstance(other, WeakIdRef) and mine is other()

    def __ne__(self, other: object) -> bool:
        return not self == other


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary whose keys are told apart by identity. An entry goes when its key is freed.

    dict: the first entries. ref_type: the kind of weak reference to a key.

        >>> notes = WeakIdKeyDictionary()
        >>> x = torch.ones(2)
        >>> notes[x] = "ones"
        >>> notes[x], torch.ones(2) in notes
        ('ones', False)
    """

    def __init__(self, dict: Mapping[Any, Any] | None = None, ref_type: Callable[..., Any] = WeakIdRef) -> None:
        self.data: Any = {}
        self.ref_type = ref_type
        mine = weakref.ref(self)

        def forget(freed: Any) -> None:
            holder = mine()
            if holder is not None:
                holder.data.pop(freed, None)

        self._forget = forget
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:  # no weak reference to it
            return False

    def __iter__(self) -> Iterator[Any]:
        for reference in list(self.data):  # an entry may go meanwhile
            key = reference()
            if key is not None:
                yield key

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def keyrefs(self) -> list[Any]:
        """The weak references to the keys. The object of one may be freed when it is asked for."""
        return list(self.data)

    def copy(self) -> WeakIdKeyDictionary:
        """A dictionary with the same keys and values."""
        return WeakIdKeyDictionary(self, self.ref_type)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> WeakIdKeyDictionary:
        from copy import deepcopy

        made = type(self)(ref_type=self.ref_type)
        for key, value in self.items():
            made[key] = deepcopy(value, memo)
        return made

    def __or__(self, other: Any) -> Any:
        if not isinstance(other, Mapping):
            return NotImplemented
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: Any) -> Any:
        if not isinstance(other, Mapping):
            return NotImplemented
        made = type(self)(other, self.ref_type)
        made.update(self)
        return made

    def __ior__(self, other: Any) -> WeakIdKeyDictionary:
        self.update(other)
        return self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return {id(k): v for k, v in self.items()} == {id(k): v for k, v in other.items()}

    __hash__ = None  # type: ignore[assignment]


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor. A call gives the tensor, or None if it was freed.

    >>> x = torch.ones(2)
    >>> TensorWeakRef(x)() is x
    True
    """

    __slots__ = ["ref"]

    def __init__(self, tensor: Tensor) -> None:
        self.ref = weakref.ref(tensor)

    def __call__(self) -> Tensor | None:
        return self.ref()
