"""torch.fx.passes.annotate_getitem_nodes: types of the parts of tuples and lists."""

from __future__ import annotations

import operator
import typing

from ..graph import Graph


def annotate_getitem_nodes(graph: Graph) -> None:
    """Gives a type to the nodes that take a part of a value whose type is a tuple, list or namedtuple of types."""
    for node in graph.nodes(recursive=True):
        if node.op != "call_function" or node.target not in (operator.getitem, "operator.getitem") or not hasattr(node.args[0], "type"):
            continue
        whole, index = node.args[0].type, node.args[1]
        origin, parts = typing.get_origin(whole), typing.get_args(whole)
        fields = list(getattr(whole, "__annotations__", {}).values()) if hasattr(whole, "_fields") else []
        if isinstance(index, int) and fields and -len(fields) <= index < len(fields):
            node.type = fields[index]
        elif origin is list and parts:
            node.type = parts[0]
        elif origin is tuple and isinstance(index, int):
            if len(parts) == 2 and parts[1] is ...:
                node.type = parts[0]
            elif -len(parts) <= index < len(parts):
                node.type = parts[index]
