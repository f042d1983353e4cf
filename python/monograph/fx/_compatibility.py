"""torch.fx._compatibility: the decorator by which packages mark what they promise to keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T")

_BACK_COMPAT_OBJECTS: dict[Any, None] = {}
_MARKED_WITH_COMPATIBILITY: dict[Any, None] = {}

_KEPT = "\n\n.. note::\n    Later versions keep this name and what it does.\n"
_MAY_CHANGE = "\n\n.. warning::\n    This name is experimental: a later version may change or remove it.\n"


def compatibility(is_backward_compatible: bool) -> Callable[[_T], _T]:
    """A decorator that notes whether later versions keep a function or class, and adds a sentence about it to its docstring."""

    def mark(marked: _T) -> _T:
        marked.__doc__ = (getattr(marked, "__doc__", None) or "") + (_KEPT if is_backward_compatible else _MAY_CHANGE)
        if is_backward_compatible:
            _BACK_COMPAT_OBJECTS.setdefault(marked)
        _MARKED_WITH_COMPATIBILITY.setdefault(marked)
        return marked

    return mark
