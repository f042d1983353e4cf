"""Attributes by their path from a module: "layers.0.weight"."""

from __future__ import annotations

from typing import Any

_MISSING = object()


def fetch(root: Any, path: str) -> Any:
    for name in path.split("."):
        found = getattr(root, name, _MISSING)
        if found is _MISSING:
            raise RuntimeError(f"the graph refers to {path!r}, but {type(root).__name__} has no attribute {name!r}")
        root = found
    return root
