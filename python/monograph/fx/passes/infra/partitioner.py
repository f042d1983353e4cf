"""torch.fx.passes.infra.partitioner: groups the nodes that a backend takes, and makes a module of each group.

    partitioner = CapabilityBasedPartitioner(gm, support)
    fused = partitioner.fuse_partitions(partitioner.propose_partitions())
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence

from ..._names import qualified_name
from ...graph_module import GraphModule
from ...node import Node
from .._nodes import followers_in, users_in
from ..operator_support import OperatorSupportBase
from ..utils.fuser_utils import fuse_by_partitions


class Partition:
    """A group of nodes. `nodes` has them as keys; the values are their places, counted from the end of the graph."""

    def __init__(self, id: int | None = None, nodes: Iterable[Node] | None = None, node_orders: Iterable[int] | None = None):
        self.id = id
        given = list(nodes or ())
        orders: list[int | None] = [None] * len(given) if node_orders is None else list(node_orders)
        if len(given) != len(orders):
            raise AssertionError("nodes and node_orders must have the same length")
        self.nodes: dict[Node, int | None] = dict(zip(given, orders, strict=True))

    def __repr__(self) -> str:
        return str(self.nodes)

    def add_node(self, node: Node, node_order: int | None = None) -> None:
        self.nodes[node] = node_order

    def remove_node(self, node: Node) -> None:
        del self.nodes[node]

    def size(self) -> int:
        return len(self.nodes)


class _Groups:
    """The partitions while they grow. No two of them may need each other, on whatever way."""

    def __init__(self, users: dict[Node, list[Node]]):
        self.users = users
        self.of: dict[Node, int] = {}
        self.partitions: dict[int, Partition] = {}
        self.first: dict[int, int] = {}  # the lowest number among the nodes of a partition, which orders them
        self.outside: dict[int, set[Node]] = {}  # what must run behind a partition

    def begin(self, number: int, node: Node, place: int) -> None:
        self.of[node] = number
        self.partitions[number] = Partition(number, [node], [place])
        self.first[number] = number
        self.outside[number] = set(self.users[node])

    def move(self, node: Node, number: int | None) -> None:
        if node in self.of:
            self.partitions[self.of.pop(node)].remove_node(node)
        if number is not None:
            self.of[node] = number
            self.partitions[number].add_node(node)

    def in_order(self) -> list[int]:
        return sorted(self.first, key=self.first.__getitem__)

    def merged(self, one: int, other: int) -> int | None:
        """The number of the partition of both; None where a way leads out of them and back, so they stay apart."""
        if self._leads_back(one, other):
            return None
        keep, gone = (one, other) if self.partitions[one].size() >= self.partitions[other].size() else (other, one)
        moved = self.partitions.pop(gone).nodes
        self.partitions[keep].nodes.update(moved)
        self.of.update(dict.fromkeys(moved, keep))
        self.first[keep] = min(self.first[keep], self.first.pop(gone))
        self.outside[keep] = {u for u in (*self.outside[keep], *self.outside.pop(gone)) if self.of.get(u) != keep}
        return keep

    def _leads_back(self, one: int, other: int) -> bool:
        """Whether what uses the two, by way of nodes and whole partitions, is used by them in its turn."""
        inside = {one, other}
        left = [u for number in inside for u in self.outside[number] if self.of.get(u) not in inside]
        seen: set[Node] = set()
        while left:
            node = left.pop()
            if node in seen:
                continue
            number = self.of.get(node)
            if number in inside:
                return True
            if number is None:
                seen.add(node)
                left.extend(self.users[node])
            else:  # which runs as one
                seen.update(self.partitions[number].nodes)
                left.extend(self.outside[number])
        return False


class CapabilityBasedPartitioner:
    """Proposes groups of nodes that operator_support takes, as large as can be without two groups that need each other.

    allows_single_node_partition: whether one computing node makes a group. non_compute_ops: names of functions that do not count as computing.
    allowed_single_node_partition_ops: names of functions of which one suffices. skip_horizontal_fusion: only nodes that use each other are put together.
    """

    def __init__(
        self,
        graph_module: GraphModule,
        operator_support: OperatorSupportBase,
        allows_single_node_partition: bool = False,
        non_compute_ops: Sequence[str] | None = None,
        allowed_single_node_partition_ops: Sequence[str] | None = None,
        skip_horizontal_fusion: bool = False,
    ):
        self.graph_module = graph_module
        self.operator_support = operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops: Sequence[str] = non_compute_ops or []
        self.allowed_single_node_partition_ops: Sequence[str] = allowed_single_node_partition_ops or []
        self.skip_horizontal_fusion = skip_horizontal_fusion
        self._submodules = dict(graph_module.named_modules())

    def _is_node_supported(self, node: Node) -> bool:
        return self.operator_support.is_node_supported(self._submodules, node)

    def propose_partitions(self) -> list[Partition]:
        """The groups, each with its nodes in order."""
        self._submodules = dict(self.graph_module.named_modules())
        groups = _Groups(followers_in(self.graph_module.graph))
        users = users_in(self.graph_module.graph)
        numbers = itertools.count()
        settled = True  # whether another attempt to put the same groups together would do nothing
        for place, node in enumerate(reversed(list(self.graph_module.graph.nodes))):
            made = None
            if self._is_node_supported(node):
                made = next(numbers)
                groups.begin(made, node, place)
                settled = False
            if self.skip_horizontal_fusion:
                of_users = [groups.of[u] for u in users[node] if u in groups.of] if made is not None else []
                self._merge(groups, [] if made is None else [made, *dict.fromkeys(of_users)])
            elif not settled:
                changed = self._merge(groups, list(dict.fromkeys([*([] if made is None else [made]), *groups.in_order()])))
                settled = made is None and not changed
        for partition in groups.partitions.values():
            partition.nodes = dict(sorted(partition.nodes.items(), key=lambda item: item[1] or 0, reverse=True))
        self._keep_projections(groups)
        if not self.allows_single_node_partition:
            for number in [n for n, p in groups.partitions.items() if self._computing(p) <= 1]:
                del groups.partitions[number]
        return [p for p in groups.partitions.values() if p.size() > 0]

    def _merge(self, groups: _Groups, candidates: list[int]) -> bool:
        """Puts the candidates one after the other into the first. Answers whether one went."""
        changed = False
        for k, other in enumerate(candidates):
            if k == 0:
                one = other
            elif (together := groups.merged(one, other)) is not None:
                one, changed = together, True
        return changed

    def _keep_projections(self, groups: _Groups) -> None:
        """A node of which the users all take a part of its tuple stays with these."""
        readers = users_in(self.graph_module.graph)
        while True:
            moves: dict[Node, int | None] = {}
            for node, users in readers.items():
                if all(u.op == "call_function" and qualified_name(u.target) == "_operator.getitem" and u.all_input_nodes == [node] for u in users):
                    moves.update({u: groups.of.get(node) for u in users if groups.of.get(u) != groups.of.get(node)})
            if not moves:
                return
            for node, number in moves.items():
                groups.move(node, number)

    def _computing(self, partition: Partition) -> int:
        """How many nodes of it compute; one that suffices counts twice."""
        names = [qualified_name(n.target) for n in partition.nodes if n.op == "call_function"]
        idle = {"torch.ops.aten.view", "_operator.getitem", *self.non_compute_ops}
        return sum((name not in idle) + (name in self.allowed_single_node_partition_ops) for name in names)

    def fuse_partitions(self, partitions: list[Partition], prefix: str = "fused_") -> GraphModule:
        """Makes a module of each group, `prefix` and its number, and calls it instead of the nodes."""
        return fuse_by_partitions(self.graph_module, [p.nodes for p in partitions], prefix=prefix)

    def remove_bookend_non_compute_ops(self, partitions: list[Partition]) -> None:
        """Takes out of the groups the nodes at their borders that compute nothing."""
        users = users_in(self.graph_module.graph)
        for partition in partitions:
            inside = set(partition.nodes)
            removed: set[Node] = set()
            for node in partition.nodes:
                before = self._only_idle(node, lambda n: n.all_input_nodes, inside, removed)
                if before or self._only_idle(node, lambda n: users[n], inside, removed):
                    removed.add(node)
            for node in removed:
                partition.nodes.pop(node)

    def _only_idle(self, node: Node, neighbours: Callable[[Node], list[Node]], inside: set[Node], removed: set[Node]) -> bool:
        """Whether from this node to the border of the group, on every way, nothing computes."""
        left, seen = [node], set()
        while left:
            n = left.pop()
            if n in seen or n.op == "placeholder" or n not in inside or n in removed:
                continue
            seen.add(n)
            if n.op != "call_function" or qualified_name(n.target) not in self.non_compute_ops:
                return False
            left.extend(neighbours(n))
        return True

    def partition_and_fuse(self, prefix: str = "fused_") -> GraphModule:
        return self.fuse_partitions(self.propose_partitions(), prefix=prefix)
