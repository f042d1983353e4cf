"""torch.fx.tensor_type: types of tensors with sizes: TensorType((1, 2, Dyn))."""

from __future__ import annotations

from typing import Any


class TensorType:
    """The sizes of a tensor; Dyn is one that is not known."""

    def __init__(self, dim: tuple[Any, ...]):
        self.__origin__, self.__args__ = TensorType, dim

    @property
    def dims(self) -> Any:
        return self.__args__

    def __class_getitem__(cls, dims: Any) -> TensorType:
        return TensorType(tuple(dims) if isinstance(dims, tuple) else (dims,))

    def __repr__(self) -> str:
        return f"TensorType[{self.__args__}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and list(self.__args__) == list(other.__args__)

    def __hash__(self) -> int:
        return hash(tuple(map(str, self.__args__)))


class _DynType:
    """The type of Dyn: anything."""

    __name__ = "_DynType"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _DynType)

    def __hash__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "Dyn"


Dyn = _DynType()


def is_consistent(t1: Any, t2: Any) -> bool:
    """Whether one value may be of both types."""
    if t1 == t2 or t1 == Dyn or t2 == Dyn:
        return True
    if not (isinstance(t1, TensorType) and isinstance(t2, TensorType)):
        return False
    return len(t1.__args__) == len(t2.__args__) and all(map(is_consistent, t1.__args__, t2.__args__))


def is_more_precise(t1: Any, t2: Any) -> bool:
    """Whether the first type says at least what the second says."""
    if t1 == t2 or isinstance(t2, _DynType):
        return True
    if not (isinstance(t1, TensorType) and isinstance(t2, TensorType)):
        return False
    return len(t1.__args__) == len(t2.__args__) and all(map(is_more_precise, t1.__args__, t2.__args__))
