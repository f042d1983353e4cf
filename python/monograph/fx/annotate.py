"""torch.fx.annotate: gives a type to a value while a function is traced."""

from __future__ import annotations

from typing import Any

from .proxy import Proxy


def annotate(val: Any, type: Any) -> Any:
    """The value. If it is a proxy, its node has this type from now on; raises where it has one already."""
    if isinstance(val, Proxy):
        if val.node.type:
            raise RuntimeError(
                f"Tried to annotate a value that already had a type on it! Existing type is {val.node.type} and new type is {type}. Annotate a parameter in the "
                "signature of the function, and a value once"
            )
        val.node.type = type
    return val
