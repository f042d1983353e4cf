"""The arguments of a function that is traced symbolically: concrete_args fixes them, or takes lists and dicts apart."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

from .. import _C
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


def is_tree(value: Any) -> bool:
    return isinstance(value, (tuple, list, dict))


def tree_map(function: Callable[[Any], Any], tree: Any) -> Any:
    """`tree` with function(leaf) in the place of each leaf of its tuples, lists and dicts, in their order."""
    if isinstance(tree, dict):
        return type(tree)((k, tree_map(function, v)) for k, v in tree.items())
    if isinstance(tree, (tuple, list)):
        parts = [tree_map(function, v) for v in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return function(tree)


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

    return tree_map(leaf, value)


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


def _read(access: str, tree: Any, lines: list[str]) -> None:
    """Lines that read the leaves of an argument into the names of their placeholders."""
    if isinstance(tree, str):
        if tree != access:
            lines.append(f"    {tree} = {access}\n")
    else:
        for key, part in tree.items() if isinstance(tree, dict) else enumerate(tree):
            _read(f"{access}[{key!r}]", part, lines)


def _leaf_names(tree: Any) -> list[str]:
    return [tree] if isinstance(tree, str) else [leaf for part in (tree.values() if isinstance(tree, dict) else tree) for leaf in _leaf_names(part)]


def bound_inputs(graph: Any, annotations: dict[str, str]) -> tuple[str, str] | None:
    """Where arguments are lists or dicts that concrete_args took apart: the parameters of the code, and the lines that read the placeholders from them."""
    output: Node | None = graph._output
    arguments = output.meta.get("arguments") if output is not None else None
    if not arguments or [leaf for _, tree, _ in arguments for leaf in _leaf_names(tree)] != [n.name for n in graph.nodes if n.op == "placeholder"]:
        return None  # an edit of the graph made it take other inputs
    parameters: list[str] = []
    lines: list[str] = []
    for name, tree, default in arguments:
        note = f" : {annotations[tree]}" if isinstance(tree, str) and tree in annotations else ""
        parameters.append(f"{name}{note}" + (f" = {default[0]!r}" if default else ""))
        _read(name, tree, lines)
    return ", ".join(parameters), "".join(lines)


def input_leaves(graph: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values of the placeholders for the arguments of the function."""
    output: Node | None = graph._output
    arguments = output.meta.get("arguments") if output is not None else None
    if not arguments or bound_inputs(graph, {}) is None:
        return args
    values: list[Any] = []

    def read(tree: Any, value: Any) -> None:
        if isinstance(tree, str):
            values.append(value)
        else:
            for key, part in tree.items() if isinstance(tree, dict) else enumerate(tree):
                read(part, value[key])

    for (_, tree, _), value in zip(arguments, args):
        read(tree, value)
    return tuple(values)


def with_namedtuples(result: Any, types: Any) -> Any:
    """The result with its tuples as these types; where an edit of the graph made it another tree, as it is."""
    kind, parts = types or (None, None)
    if isinstance(parts, dict) and isinstance(result, dict) and parts.keys() == result.keys():
        return type(result)((k, with_namedtuples(v, parts[k])) for k, v in result.items())
    if not isinstance(parts, list) or type(result) not in (tuple, list) or len(parts) != len(result):
        return result
    items = [with_namedtuples(v, t) for v, t in zip(result, parts, strict=True)]
    return kind(*items) if kind and type(result) is tuple else type(result)(items)
