"""The arguments of a function that is traced symbolically: concrete_args fixes them, or takes lists and dicts apart."""

from __future__ import annotations

import inspect
import warnings
from collections import defaultdict, namedtuple
from collections.abc import Callable, Iterator
from typing import Any

from .. import _C
from .._tree import LEAF, NODES, TreeSpec
from ..functional import _assert
from ._pytree import tree_flatten_spec
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


class Custom:
    """A node of a registered type that is no tuple, list or dict, in a tree of names or of types."""

    def __init__(self, kind: Any, context: Any, parts: list[Any]):
        self.kind, self.context, self.parts = kind, context, parts

    def __call__(self, *children: Any) -> Any:
        """A value of the type that has these children."""
        return NODES[self.kind].unflatten_fn(list(children), self.context)


def is_tree(value: Any) -> bool:
    return isinstance(value, (tuple, list, dict, Custom)) or type(value) in NODES


def custom(value: Any) -> Custom | None:
    """The parts of a value of a registered type; None where it is a tuple, list or dict, or a leaf."""
    node = None if isinstance(value, (tuple, list, dict)) else NODES.get(type(value))
    if node is None:
        return None
    children, context = node.flatten_fn(value)
    return Custom(node.type, context, list(children))


def tree_map(function: Callable[[Any], Any], tree: Any) -> Any:
    """`tree` with function(leaf) in the place of each leaf, in their order."""
    if isinstance(tree, defaultdict):
        return defaultdict(tree.default_factory, ((k, tree_map(function, v)) for k, v in tree.items()))
    if isinstance(tree, dict):
        return type(tree)((k, tree_map(function, v)) for k, v in tree.items())
    if isinstance(tree, (tuple, list)):
        parts = [tree_map(function, v) for v in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    known = custom(tree)
    return function(tree) if known is None else known(*(tree_map(function, v) for v in known.parts))


def names_tree(tree: Any, names: Iterator[str]) -> Any:
    """`tree` with names in the place of its leaves."""
    known = custom(tree)
    if known is not None:
        return Custom(known.kind, known.context, [names_tree(v, names) for v in known.parts])
    if isinstance(tree, dict):
        return {k: names_tree(v, names) for k, v in tree.items()}
    if isinstance(tree, (tuple, list)):
        parts = [names_tree(v, names) for v in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return next(names)


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


def _parts(tree: Any) -> Any:
    return tree.parts if isinstance(tree, Custom) else tree.values() if isinstance(tree, dict) else tree


def _leaf_names(tree: Any) -> list[str]:
    return [tree] if isinstance(tree, str) else [leaf for part in _parts(tree) for leaf in _leaf_names(part)]


def _has_custom(tree: Any) -> bool:
    return isinstance(tree, Custom) or (not isinstance(tree, str) and any(map(_has_custom, _parts(tree))))


def _spec(tree: Any) -> TreeSpec:
    """The tree of names without its leaves."""
    if isinstance(tree, str):
        return LEAF
    children = [_spec(part) for part in _parts(tree)]
    if isinstance(tree, Custom):
        return TreeSpec(tree.kind, tree.context, children)
    if isinstance(tree, dict):
        return TreeSpec(dict, list(tree), children)
    return TreeSpec(namedtuple, type(tree), children) if hasattr(tree, "_fields") else TreeSpec(type(tree), None, children)


def in_spec(graph: Any) -> TreeSpec | None:
    """The arguments of the function as a tree without its leaves, if concrete_args took any apart and they hold values of registered types."""
    output: Node | None = graph._output
    arguments = output.meta.get("arguments") if output is not None else None
    if not arguments or not any(_has_custom(tree) for _, tree, _ in arguments):
        return None
    return TreeSpec(list, None, [_spec(tree) for _, tree, _ in arguments])


def bound_inputs(graph: Any, annotations: dict[str, str]) -> tuple[str, str] | None:
    """Where arguments are lists or dicts that concrete_args took apart: the parameters of the code, and the lines that read the placeholders from them."""
    output: Node | None = graph._output
    arguments = output.meta.get("arguments") if output is not None else None
    if not arguments or [leaf for _, tree, _ in arguments for leaf in _leaf_names(tree)] != [n.name for n in graph.nodes if n.op == "placeholder"]:
        return None  # an edit of the graph made it take other inputs
    parameters: list[str] = []
    lines: list[str] = []
    apart = in_spec(graph) is not None
    for name, tree, default in arguments:
        note = f" : {annotations[tree]}" if isinstance(tree, str) and tree in annotations else ""
        parameters.append(f"{name}{note}" + (f" = {default[0]!r}" if default else ""))
        if not apart:
            _read(name, tree, lines)
    if apart:  # Python has no words for the parts of such a value, so that the code asks the functions that its type was registered with
        leaves, names = ([n for _, tree, _ in arguments for n in _leaf_names(tree)], ", ".join(name for name, _, _ in arguments))
        lines.append(f"    {', '.join(leaves)}, = fx_pytree.tree_flatten_spec([{names}], self._in_spec)\n")
    return ", ".join(parameters), "".join(lines)


def input_leaves(graph: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values of the placeholders for the arguments of the function."""
    output: Node | None = graph._output
    arguments = output.meta.get("arguments") if output is not None else None
    if not arguments or bound_inputs(graph, {}) is None:
        return args
    spec = in_spec(graph)
    if spec is not None:
        return tuple(tree_flatten_spec(list(args), spec))
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
