"""torch.fx.passes.dialect.common.cse_pass: computes once what a graph computes several times.

result = CSEPass()(gm)
result.graph_module, result.modified
"""

from __future__ import annotations

import copy
from typing import Any

from ..... import _C, _ops
from ....graph import Graph
from ....graph_module import GraphModule
from ....node import Node
from ..._nodes import CALLABLE_NODE_OPS, inner_nodes, writes_in
from ...infra.pass_base import PassBase, PassResult

__all__ = ["CSEPass", "get_CSE_banned_ops"]


def get_CSE_banned_ops() -> set[Any]:
    """The operators, as torch.ops.aten.NAME, that draw random numbers or write to their arguments: those that their records mark so."""
    graph = Graph()
    packets = (getattr(_ops.ops.aten, name) for name in _C._operator_names("aten"))
    return {packet for packet in packets if graph.call_function(packet).is_impure()}


def _key(argument: Any) -> Any:
    """A value by which equal arguments are found: with the types, since 1 == 1.0 == True."""
    kind = type(argument)
    if kind is Node or kind is str or kind is int:
        return argument
    if kind is tuple or isinstance(argument, (tuple, list)):
        return (kind, *[a if type(a) is Node else _key(a) for a in argument])
    if isinstance(argument, dict):
        return ("dict", *((k, _key(v)) for k, v in argument.items()))
    if isinstance(argument, slice):
        return ("slice", _key(argument.start), _key(argument.stop), _key(argument.step))
    if isinstance(argument, float):
        return "float", argument.hex()
    try:
        hash(argument)
    except TypeError:
        return id(argument)
    return kind, argument


class CSEPass(PassBase):
    """Nodes that call the same with the same arguments become one.

    A node stays if it calls something of banned_ops, reads what was written in between, makes memory that is written later, or does something else than
    to compute its result: writes to memory, draws random numbers, calls a module in training. The blocks of If and Loop stay as they are.
    """

    def __init__(self, banned_ops: set[Any] | None = None):
        self.banned_ops = banned_ops or set()
        self._training: dict[str, bool] = {}  # of the modules that the graph calls
        super().__init__()

    def call(self, graph_module: GraphModule) -> PassResult:
        made = copy.deepcopy(graph_module.graph)
        known: dict[Any, Node] = {}
        modified = False
        writes, is_written = writes_in(made)
        self._training.clear()
        for node in made.nodes:
            op = node.op
            if op not in CALLABLE_NODE_OPS:
                continue
            has_blocks = _C._has_structure(node)
            if self._may_change_memory(node, writes, graph_module) or (
                has_blocks and any(self._may_change_memory(n, writes, graph_module) for n in inner_nodes(node))
            ):
                known.clear()  # what is computed behind a write may differ
                continue
            if has_blocks or self._must_stay(node) or is_written(node):
                continue
            key = _C._call_key(node) or (op, node.target, _key(node.args), _key(node.kwargs))
            first = known.setdefault(key, node)
            if first is not node:
                node._replace_all_uses(first)
                made.erase_node(node)
                modified = True
        return PassResult(GraphModule(graph_module, made) if modified else graph_module, modified)

    def _may_change_memory(self, node: Node, writes: set[Node], module: GraphModule) -> bool:
        return node in writes or (node.op == "call_module" and self._trains(node.target, module))

    def _must_stay(self, node: Node) -> bool:
        banned = self.banned_ops and (
            node.target in self.banned_ops or getattr(node.target, "overloadpacket", node.target) in self.banned_ops
        )
        return bool(banned) or node.is_impure()

    def _trains(self, target: str, module: GraphModule) -> bool:
        """Whether a call of the module may change what is computed behind it."""
        if target not in self._training:
            self._training[target] = bool(module.get_submodule(target).training)
        return self._training[target]
