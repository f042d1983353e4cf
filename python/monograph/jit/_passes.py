"""Passes over graphs that PyTorch's programs call by their names in torch._C."""

from __future__ import annotations

from typing import Any

from ..fx.graph import Graph
from ..fx.node import map_arg

_NUMBERS = (["IntType"], ["FloatType"], ["BoolType"], ["StringType"])


def constant_propagation(graph: Graph) -> None:
    """Puts constants in the place of numbers, bools and strs that are computed from constants alone. What raises stays."""
    for n in list(graph.nodes(recursive=True)):
        schema = n.schema() if n.op == "call_function" else None
        if schema is None or n.all_input_nodes or [r.type.kind() for r in schema.returns] not in _NUMBERS:
            continue
        alone = Graph()
        alone.output(alone.node_copy(n))
        try:
            value = alone()
        except Exception:
            continue
        _put_constant(n, value)
        graph.erase_node(n)


def _put_constant(n: Any, value: Any) -> None:
    def put(a: Any) -> Any:
        return value if a is n else a

    for user in list(n.users):
        user.args, user.kwargs = map_arg(user.args, put), map_arg(user.kwargs, put)
