"""torch.fx.passes.tools_common: names of targets, orders of nodes, groups of nodes that pass non-tensors."""

from __future__ import annotations

import collections
import heapq
import operator
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..._tensor import Tensor
from ...nn import Module
from .._names import qualified_name, spelled_as_torch
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node
from ._nodes import CALLABLE_NODE_OPS, copied, followers_in, inputs_of

__all__ = ["get_acc_ops_name", "get_node_target", "is_node_output_tensor", "FxNetAccFusionsFinder", "legalize_graph", "stable_topological_sort"]

NodeList = list[Node]
NodeSet = set[Node]
Names = list[str]
Tensors = tuple[Tensor, ...] | list[Tensor]
TensorOrTensors = Tensor | Tensors


def get_acc_ops_name(k: str | type) -> str:
    """The name of a class with its module."""
    if isinstance(k, str):
        return k
    if k.__module__ and "acc_ops" in k.__module__:
        return f"acc_ops.{k.__name__}"
    module = spelled_as_torch(k.__module__ or "").replace("torch._ops", "torch.ops")
    return f"{module}.{k.__name__}"


def get_node_target(submodules: Mapping[str, Module], node: Node) -> str:
    """The name of what a node calls: of a method its name, of a function its qualified name, of a module the name of its class."""
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError("Expect op types of " + ", ".join(CALLABLE_NODE_OPS) + f", but found {node.op}")
    if node.op == "call_method":
        return str(node.target)
    if node.op == "call_module":
        called = submodules[node.target]
        return get_acc_ops_name(getattr(called, "_base_class_origin", type(called)))
    module = getattr(node.target, "__module__", None)
    if module is not None and "acc_ops" in module:
        return f"acc_ops.{node.target.__name__}"
    return qualified_name(node.target)


def is_node_output_tensor(node: Node) -> bool:
    """Whether the node gives a tensor. ShapeProp has to run before."""
    found = node.meta.get("type")
    return found is not None and issubclass(found, Tensor)


class FxNetAccFusionsFinder:
    """Finds groups of nodes that pass non-tensors to each other, and so must stay together. `finder()` gives the group of each node that has one."""

    def __init__(self, module: GraphModule, acc_nodes: NodeSet):
        self.module = module
        self.nodes = list(module.graph.nodes)
        self.acc_nodes = acc_nodes
        self.node_index = {node: i for i, node in enumerate(self.nodes)}

    @dataclass
    class FusionGroup:
        """A group while it grows."""

        top_node_idx: int  # the place of its first node
        nodes: NodeSet
        inputs: NodeSet  # the calls that it reads from outside
        nodes_need_process: NodeSet  # whose neighbours were not looked at yet

        def add_node(self, node: Node) -> None:
            if node in self.nodes:
                return
            self.nodes_need_process.add(node)
            self.nodes.add(node)
            self.inputs.discard(node)
            self.inputs.update(n for n in inputs_of(node) if n.op in CALLABLE_NODE_OPS and n not in self.nodes)

    def recursive_add_node(self, fusion_group: FusionGroup, inputs: Iterable[Node], visited: NodeSet | None = None) -> bool:
        """Adds what lies between the group and these inputs: a node of which one input, at any distance, is in the group.

        Answers whether the first of them that decides is such a node.
        """
        # Without Python's recursion, which deep graphs would exhaust: a frame is a node and what is left of its inputs.
        seen: NodeSet = set() if visited is None else visited
        frames: list[tuple[Node | None, Any]] = [(None, iter(list(inputs)))]
        while True:
            node, left = frames[-1]
            reached = False
            for arg in left:
                if arg in seen:
                    continue
                seen.add(arg)
                if arg.op not in CALLABLE_NODE_OPS or self.node_index[arg] < fusion_group.top_node_idx:
                    continue
                if arg in fusion_group.nodes:
                    reached = True
                    break
                frames.append((arg, iter(inputs_of(arg))))
                break
            else:
                frames.pop()
                if not frames:
                    return False
                continue
            while reached:  # every node on the way belongs to the group
                node, _ = frames.pop()
                if node is None:
                    return True
                fusion_group.add_node(node)

    def _grow(self, group: FusionGroup, node: Node) -> None:
        """Adds the neighbours that get a non-tensor from this node, or give it one."""
        self.recursive_add_node(group, group.inputs, visited=set())
        if "tensor_meta" not in node.meta:
            for user in node.users:
                if user.op in CALLABLE_NODE_OPS and user not in group.nodes:
                    group.add_node(user)
                    self.recursive_add_node(group, group.inputs, visited=set())
        for arg in inputs_of(node):
            if arg.op in CALLABLE_NODE_OPS and "tensor_meta" not in arg.meta and arg not in group.nodes:
                group.add_node(arg)
                group.top_node_idx = min(group.top_node_idx, self.node_index[arg])
                self.recursive_add_node(group, group.inputs, visited=set())

    def __call__(self) -> dict[Node, NodeSet]:
        result: dict[Node, NodeSet] = {}
        for node in sorted(self.acc_nodes, key=self.node_index.__getitem__):
            if node in result or node not in self.acc_nodes or node.op not in CALLABLE_NODE_OPS or "tensor_meta" in node.meta:
                continue
            group = self.FusionGroup(self.node_index[node], {node}, set(inputs_of(node)), {node})
            while group.nodes_need_process:
                self._grow(group, group.nodes_need_process.pop())
            if group.nodes <= self.acc_nodes:
                result.update(dict.fromkeys(group.nodes, group.nodes))
            else:
                self.acc_nodes -= group.nodes
        return result


# Sizes and checks of them go first, so that they stand before what depends on values.
_EARLY = {
    operator.add, operator.mul, operator.sub, operator.floordiv, operator.truediv, operator.mod, operator.le, operator.lt, operator.ge, operator.gt,
    operator.eq, operator.ne,
}  # fmt: skip


def _sorted_copy(gm: GraphModule, pick: Any, put: Any) -> tuple[Graph, list[Node]]:
    """A copy of the graph, and the nodes that have no place in it. `put(node)` is told of each node whose inputs are copied, `pick()` gives the next."""
    users = followers_in(gm.graph)
    waiting = Counter(user for node in gm.graph.nodes for user in users[node])
    made = Graph(tracer_cls=getattr(gm.graph, "_tracer_cls", None))
    env: dict[Node, Node] = {}
    for node in gm.graph.nodes:
        if not waiting[node]:
            put(node, False)
    while (node := pick()) is not None:
        env[node] = copied(made, node, env)
        for user in users[node]:
            waiting[user] -= 1
            if waiting[user] == 0:
                put(user, True)
    return made, [node for node in gm.graph.nodes if node not in env]


def legalize_graph(gm: GraphModule) -> GraphModule:
    """Gives the module a copy of its graph in which every node stands behind its inputs. The order of the nodes may change otherwise too.

    Reads and writes of one memory keep their order, and so do random draws.
    """
    queue: collections.deque[Node] = collections.deque()

    def put(node: Node, is_user: bool) -> None:
        early = is_user and node.op == "call_function" and node.target in _EARLY
        (queue.appendleft if early else queue.append)(node)

    made, left = _sorted_copy(gm, lambda: queue.popleft() if queue else None, put)
    if left:
        raise RuntimeError(f"Input graph has cycles, unable to add {left}")
    return _with_graph(gm, made)


def stable_topological_sort(gm: GraphModule) -> GraphModule:
    """legalize_graph that keeps the order of the nodes as far as it can."""
    place = {node: i for i, node in enumerate(gm.graph.nodes)}
    ready: list[tuple[int, Node]] = []
    made, left = _sorted_copy(
        gm, lambda: heapq.heappop(ready)[1] if ready else None, lambda node, _: heapq.heappush(ready, (place[node], node))
    )
    if left:
        raise AssertionError(f"Input graph has cycles, unable to add {left}")
    return _with_graph(gm, made)


def _with_graph(gm: GraphModule, made: Graph) -> GraphModule:
    made._codegen = gm.graph._codegen
    gm.graph = made
    return gm
