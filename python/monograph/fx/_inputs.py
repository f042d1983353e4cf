"""The arguments of a function that is traced symbolically: concrete_args fixes them, or the leaves of lists and dicts."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

from .. import _C
from .._tree import mapped
from ..functional import _assert
from .node import Node, _assert_is_none


class PHBase:
    """Stands in concrete_args for what stays an input of the graph."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


class PHWithMeta(PHBase):
    """A PH whose attributes the placeholder gets, also in its `meta`."""

    def __init__(self, ph_key: str | None = None) -> None:
        super().__init__()
        self.ph_key = ph_key


def concrete_argument(tracer: Any, parameter: inspect.Parameter, value: Any) -> Any:
    """What the function is given for an argument that concrete_args names. Each leaf is a placeholder, which is checked to be what it was fixed to."""
    name, count = parameter.name, 0
    default = () if parameter.default is parameter.empty else (parameter.default,)
    checked = (bool, int, float, complex, str, _C.dtype, _C.device, _C.layout, _C.memory_format)

    def leaf(x: Any) -> Any:
        nonlocal count
        count += 1
        proxy = tracer.create_proxy("placeholder", f"{name}_{count}", default, {})
        if isinstance(x, PHBase):
            _noted(proxy.node, x)
            return proxy
        proxy.node.meta["concrete"] = x
        if isinstance(x, checked):
            _assert(proxy == x, f"{name} has been specialized to have value {x} but got another value")
        elif x is None:
            message = f"{name} has been specialized to have value None but got another value"
            tracer.create_proxy("call_function", _assert_is_none, (proxy, message), {})
        else:
            warnings.warn(
                f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to the user to make sure that your "
                "inputs match the inputs you specialized the function with.",
                stacklevel=2,
            )
        return x

    return mapped(leaf, value)


def flat_argument(tracer: Any, k: int, value: Any) -> Any:
    """What a function of *args is given for item k of a tuple of concrete_args: an input of its own, as in torch.fx."""
    proxy = tracer.create_proxy("placeholder", f"input_{k}", (), {})
    if isinstance(value, PHBase):
        _noted(proxy.node, value)
    return proxy


def _noted(node: Node, placeholder: PHBase) -> None:
    """The node gets the attributes of a PHWithMeta, in its meta and as its own."""
    node.meta.update(vars(placeholder))
    for name, value in vars(placeholder).items():
        setattr(node, name, value)


def with_namedtuples(result: Any, types: Any) -> Any:
    """The result with its tuples as these types; where an edit of the graph made it another tree, as it is."""
    kind, parts = types or (None, None)
    if isinstance(parts, dict) and isinstance(result, dict) and parts.keys() == result.keys():
        return type(result)((k, with_namedtuples(v, parts[k])) for k, v in result.items())
    if not isinstance(parts, list) or type(result) not in (tuple, list) or len(parts) != len(result):
        return result
    items = [with_namedtuples(v, t) for v, t in zip(result, parts, strict=True)]
    return kind(*items) if kind and type(result) is tuple else type(result)(items)
