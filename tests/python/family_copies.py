"""A build may have the operators again under other names (cmake/Copies.cmake): aten::add_copy2.Tensor beside aten::add.Tensor.

The generic tests try copies with what is known of their originals. What compares with a list that was made without them leaves them out."""

from __future__ import annotations

import re

from monograph import _C

MARK = re.compile(r"_copy\d+")


def is_copy(name: str) -> bool:
    return bool(MARK.search(name))


def _copies_by_name() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for space in ("aten", "prim"):
        for name in _C._operator_names(space):
            if is_copy(name):
                found.setdefault(f"{space}::{MARK.sub('', name)}", []).append(f"{space}::{name}")
    return found


_COPIES = _copies_by_name()


def with_copies(name: str) -> list[str]:
    """An operator, perhaps with its overload, and its copies."""
    base, dot, overload = name.partition(".")
    return [name, *(f"{copy}{dot}{overload}" for copy in _COPIES.get(base, ()))]
