"""Trees of tensors: what a trace gets and returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _tree
from .._tensor import Tensor


def _leaves(tree: Any) -> list[Any]:
    return _tree.leaves_of(tree, subclasses=True)


def _tensors(tree: Any) -> list[Tensor]:
    return [leaf for leaf in _leaves(tree) if isinstance(leaf, Tensor)]


def _mapped(tree: Any, f: Callable[[Tensor], Tensor]) -> Any:
    """The tree with f of its tensors; other leaves stay."""
    return _tree.mapped(lambda leaf: f(leaf) if isinstance(leaf, Tensor) else leaf, tree, subclasses=True)


def _copied_tensors(tree: Any) -> Any:
    return _mapped(tree, lambda t: t.detach().clone().requires_grad_(t._requires_grad))


def _is_close(a: Any, b: Any, tolerance: float) -> bool:
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return not isinstance(a, Tensor) and not isinstance(b, Tensor) and bool(a == b or (a != a and b != b))
    if a.shape != b.shape or a.dtype != b.dtype or a.device != b.device:
        return False
    if a.is_meta:  # there are no values to compare
        return True
    if not a.dtype.is_floating_point:
        return bool((a == b).all())
    return bool((((a - b).abs() <= tolerance + tolerance * a.abs()) | (a == b) | ((a != a) & (b != b))).all())


def _mismatch(a: Any, b: Any) -> str:
    if isinstance(a, Tensor) and a.shape == b.shape and a.device == b.device and a.dtype.is_floating_point:
        return f"they differ by up to {float((a - b).abs().max()):.3g}"
    return f"expected {a}, got {b}"
