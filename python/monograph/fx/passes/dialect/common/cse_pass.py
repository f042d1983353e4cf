"""torch.fx.passes.dialect.common.cse_pass: computes once what a graph computes several times.

    result = CSEPass()(gm)
    result.graph_module, result.modified
"""

from __future__ import annotations

from typing import Any

from ..... import _C, _ops
from ...._writes import written
from ....graph import Graph
from ....graph_module import GraphModule
from ....node import Node, map_arg
from ..._nodes import CALLABLE_NODE_OPS, copied, written_memory
from ...infra.pass_base import PassBase, PassResult

__all__ = ["CSEPass", "get_CSE_banned_ops"]


def get_CSE_banned_ops() -> set[Any]:
    """The operators, as torch.ops.aten.NAME, that draw random numbers or write to their arguments: those that their records mark so."""
    graph = Graph()
    packets = (getattr(_ops.ops.aten, name) for name in _C._operator_names("aten"))
    return {packet for packet in packets if graph.call_function(packet).is_impure()}


def _key(argument: Any) -> Any:
    """A value by which equal arguments are found: with the types, since 1 == 1.0 == True."""
    if isinstance(argument, (tuple, list)):
        return (type(argument).__name__, *map(_key, argument))
    if isinstance(argument, dict):
        return ("dict", *((k, _key(v)) for k, v in argument.items()))
    if isinstance(argument, slice):
        return ("slice", _key(argument.start), _key(argument.stop), _key(argument.step))
    if isinstance(argument, Node):
        return argument
    if isinstance(argument, float):
        return "float", argument.hex()
    try:
        hash(argument)
    except TypeError:
        return id(argument)
    return type(argument), argument


class CSEPass(PassBase):
    """Nodes that call the same with the same arguments become one.

    A node stays if it calls something of banned_ops, reads what was written in between, makes memory that is written later, or does something else than
    to compute its result: writes to memory, draws random numbers, calls a module in training. The blocks of If and Loop stay as they are.
    """

    def __init__(self, banned_ops: set[Any] | None = None):
        self.banned_ops = banned_ops or set()
        super().__init__()

    def call(self, graph_module: GraphModule) -> PassResult:
        graph = graph_module.graph
        made = Graph(tracer_cls=getattr(graph, "_tracer_cls", None))
        env: dict[Node, Node] = {}
        known: dict[Any, Node] = {}
        modified = False
        is_written = written_memory(graph)
        for node in graph.nodes:
            if node.op not in CALLABLE_NODE_OPS or _C._has_structure(node) or self._must_stay(node, graph) or is_written(node):
                env[node] = copied(made, node, env)
                if node.op in CALLABLE_NODE_OPS and self._writes(node, graph):
                    known.clear()  # what is computed behind a write may differ
                continue
            args, kwargs = (map_arg(a, lambda n: env[n]) for a in (node.args, node.kwargs))
            key = node.op, node.target, _key(args), _key(dict(kwargs))
            if key in known:
                env[node] = known[key]
                modified = True
            else:
                env[node] = known[key] = copied(made, node, env)
        if not modified:
            return PassResult(graph_module, False)
        made._codegen = graph._codegen
        return PassResult(GraphModule(graph_module, made), True)

    def _must_stay(self, node: Node, graph: Graph) -> bool:
        banned = node.target in self.banned_ops or getattr(node.target, "overloadpacket", node.target) in self.banned_ops
        return banned or node.is_impure() or self._writes(node, graph)

    def _writes(self, node: Node, graph: Graph) -> bool:
        """Whether what was computed before may be another value afterwards."""
        if node.op == "call_module":
            return bool(graph.owning_module.get_submodule(node.target).training)
        return any(True for _ in written(node.op, node.target, node.args, dict(node.kwargs)))
