"""The FunctionSchema of what jit.script, jit.trace and jit.load give: names, types and defaults of the arguments, and the type of the result."""

from __future__ import annotations

from typing import Any

from .. import _C
from ..fx.graph import Graph
from ._marks import ScriptModule


def schema_of(name: str, graph: Graph, owner: ScriptModule | None = None) -> Any:
    """owner: of a method, the module, which is its first argument."""
    name = "_lambda" if name == "<lambda>" else name  # as in PyTorch: a schema has no angle brackets
    arguments = [] if owner is None else [f"{_class_of(owner)} self"]
    for node in graph.nodes:
        if node.op == "placeholder":
            # A schema has no words for a tuple, so an argument with such a default shows none.
            default = f"={_text_of_default(node.args[0])}" if node.args and not isinstance(node.args[0], tuple) else ""
            arguments.append(f"{_text_of_type(_C._type_of(node))} {node.target}{default}")
    results = ", ".join(_text_of_type(value.type()) for value in graph.outputs())
    return _C.parse_schema(f"{name}({', '.join(arguments)}) -> {results if results.count('(') == 0 else f'({results})'}")


def _class_of(module: Any) -> str:
    of_archive: str | None = getattr(module, "_class_of_archive", None)
    if of_archive is not None:
        return of_archive
    of = getattr(module, "_scripted_class", type(module))
    home = "" if of.__module__ == "__main__" else f"{of.__module__}."
    name = f"{home}{of.__qualname__}" if of is not type(module) else module.original_name
    return f"__torch__.{name.replace('<locals>.', '')}".replace("__torch__.monograph.", "__torch__.torch.")


def _text_of_type(kind: Any) -> str:
    """As a schema writes the type. Of a tensor's, that it is one."""
    word = "AnyType" if kind is None else kind.kind()
    if word == "TensorType":
        return "Tensor"
    if word == "ListType":
        return f"{_text_of_type(kind.getElementType())}[]"
    if word == "OptionalType":
        return f"{_text_of_type(kind.getElementType())}?"
    if word in ("TupleType", "DictType"):
        inner = ", ".join(_text_of_type(part) for part in kind.elements())
        return f"({inner})" if word == "TupleType" else f"Dict({inner})"
    text = str(kind)
    try:
        _C.parse_schema(f"f({text} x) -> ()")
    except (RuntimeError, ValueError):
        return "Any"  # a Union, for which schemas have no word
    return text


def _text_of_default(value: Any) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(_text_of_default, value))}]"
    return repr(value)
