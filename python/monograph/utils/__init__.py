"""torch.utils: tools beside the tensors. Its modules are imported when they are first used."""

from __future__ import annotations

import copyreg
import weakref
from typing import Any

__all__ = ["set_module", "swap_tensors"]


def set_module(obj: Any, mod: str) -> None:
    """Says of which module a function or class is: sets its `__module__`.

    >>> def double(x):
    ...     return 2 * x
    >>> torch.utils.set_module(double, "mine")
    >>> double.__module__
    'mine'
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


def swap_tensors(t1: Any, t2: Any) -> None:
    """Lets two tensors change places: what one variable held is what the other holds afterwards, with class, attributes and gradient.

    Args:
        t1: a tensor without weak references to it, that no operator was recorded with
        t2: another one

    >>> a, b = torch.ones(2), torch.zeros(3)
    >>> torch.utils.swap_tensors(a, b)
    >>> a
    tensor([0., 0., 0.])
    """
    from .. import _C

    for name, t in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(t):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    slots = copyreg._slotnames(type(t1))  # type: ignore[attr-defined]
    if set(slots) != set(copyreg._slotnames(type(t2))):  # type: ignore[attr-defined]
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    _C._swap_tensors(t1, t2)
    for name in ("__class__", "__dict__", *slots):
        _swap_attribute(t1, t2, name)


def _swap_attribute(a: Any, b: Any, name: str) -> None:
    missing = object()
    x, y = getattr(a, name, missing), getattr(b, name, missing)
    for obj, value in ((a, y), (b, x)):
        if value is not missing:
            setattr(obj, name, value)
        elif hasattr(obj, name):
            delattr(obj, name)
