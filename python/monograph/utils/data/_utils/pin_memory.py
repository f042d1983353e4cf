"""Pinned memory of batches: memory that a GPU reads. There is none, and each tensor says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["pin_memory"]


def pin_memory(data: Any, device: Any = None) -> Any:
    """The same structure with its tensors in pinned memory: pin_memory() of a tensor raises. What holds no tensor is given back.

    Examples:
        >>> pin_memory({"name": ["a", "b"]})
        {'name': ['a', 'b']}
    """
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, Mapping):
        return type(data)({key: pin_memory(value, device) for key, value in data.items()})  # type: ignore[call-arg]
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(pin_memory(part, device) for part in data))
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes, range)):
        return type(data)([pin_memory(part, device) for part in data])  # type: ignore[call-arg]
    return data
