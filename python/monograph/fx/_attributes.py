"""Attributes by their path from a module: "layers.0.weight"."""

from __future__ import annotations

from typing import Any


def fetch(root: Any, path: str) -> Any:
    for name in path.split("."):
        if not hasattr(root, name):
            raise RuntimeError(f"the graph refers to {path!r}, but {type(root).__name__} has no attribute {name!r}")
        root = getattr(root, name)
    return root
