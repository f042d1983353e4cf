"""Functions of torch that are several operators, or one under another calling convention."""

from __future__ import annotations

from typing import Any

__all__ = ["split"]


def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Views of `tensor` cut along `dim`, into pieces of one size or of the sizes given."""
    return tensor.split(split_size_or_sections, dim)
