"""torch.fx.passes.utils.fuser_utils: makes modules of groups of nodes."""

from __future__ import annotations

import heapq
import operator
from collections import Counter

from .... import _C
from ...graph import Graph
from ...graph_module import GraphModule
from ...node import Node
from .._nodes import copied, effects_in, followers_in, inputs_of, part_of, stands_for, users_in
from ..tools_common import NodeList, NodeSet, legalize_graph, stable_topological_sort  # noqa: F401
from .common import lift_subgraph_as_module


def topo_sort(nodes: NodeList) -> NodeList:
    """The nodes, each behind those of them that it needs, else in the order that they have."""
    if not nodes:
        return []
    place = {node: i for i, node in enumerate(nodes)}
    followers = followers_in(nodes[0].graph)
    users = {node: [n for n in followers[node] if n in place] for node in nodes}
    waiting = Counter(n for node in nodes for n in users[node])
    ready = [place[node] for node in nodes if waiting[node] == 0]
    found: NodeList = []
    while ready:
        found.append(nodes[heapq.heappop(ready)])
        for user in users[found[-1]]:
            waiting[user] -= 1
            if waiting[user] == 0:
                heapq.heappush(ready, place[user])
    if len(found) != len(nodes):
        raise AssertionError("topological sorted nodes doesn't have same length as input nodes")
    return found


def validate_partition(partition: NodeList) -> bool:
    """Whether the nodes can run as one: nothing outside of them must run both behind and before them."""
    if not partition:
        return True
    inside, users = set(partition), followers_in(partition[0].graph)
    left = [u for node in inside for u in users[node] if u not in inside]
    seen: NodeSet = set()
    while left:
        node = left.pop()
        if node in inside:
            return False
        if node not in seen:
            seen.add(node)
            left.extend(users[node])
    return True


def fuse_as_graphmodule(
    gm: GraphModule,
    nodes: NodeList,
    module_name: str,
    partition_lookup_table: dict[Node, int | None] | None = None,
    *,
    always_return_tuple: bool = False,
) -> tuple[GraphModule, tuple[Node, ...], tuple[Node, ...]]:
    """A GraphModule of copies of these nodes, which stand in order; what it takes of the graph, and which of the nodes it gives back.

    module_name: the name of its class. partition_lookup_table: a dict with the nodes as keys, if there is one already.
    """
    in_graph = set(gm.graph.nodes)
    for node in nodes:
        if node.graph.owning_module is not gm:
            raise AssertionError(f"{node} doesn't belong to passed in graph module {gm._get_name()}")
        if node._erased:
            raise AssertionError(f"{node} has been removed from owning graph")
        if node not in in_graph:
            raise AssertionError(f"{node} is not found in graph module {gm._get_name()}")
    if not validate_partition(nodes):
        raise AssertionError("Invalid partition, found dependency cycles")
    return _as_graph_module(gm, nodes, module_name, partition_lookup_table, always_return_tuple)


def _as_graph_module(
    gm: GraphModule, nodes: NodeList, module_name: str, partition_lookup_table: dict[Node, int | None] | None, always_return_tuple: bool
) -> tuple[GraphModule, tuple[Node, ...], tuple[Node, ...]]:
    inside = dict.fromkeys(nodes) if partition_lookup_table is None else partition_lookup_table
    users = users_in(gm.graph)
    made = Graph()
    known: dict[Node, Node] = {}
    inputs: NodeList = []
    for node in nodes:
        for used in inputs_of(node):
            if used not in known:
                last = made._insert_point()
                first = next((n for n in made.nodes if n.op != "placeholder"), None)
                if first is not None:  # placeholders stand first
                    made._insert_before(first)
                known[used] = stands_for(made.placeholder(used.name, type_expr=used.type), used)
                made._insert_before(last)
                inputs.append(used)
        known[node] = copied(made, node, known)
    outputs = tuple(node for node in nodes if any(u not in inside for u in users[node]))
    results = tuple(known[node] for node in outputs)
    made.output(results[0] if len(results) == 1 and not always_return_tuple else results)
    made.lint()
    return lift_subgraph_as_module(gm, made, comp_name="", class_name=module_name)[0], tuple(inputs), outputs


def insert_subgm(
    gm: GraphModule,
    sub_gm: GraphModule,
    orig_inputs: tuple[Node, ...],
    orig_outputs: tuple[Node, ...],
    insertion_point: Node | None = None,
) -> GraphModule:
    """Installs the module under the name of its class, calls it behind `insertion_point`, and uses its results instead of orig_outputs."""
    name = type(sub_gm).__name__
    gm.add_submodule(name, sub_gm)
    if insertion_point is None:
        insertion_point = next((node for node in reversed(gm.graph.nodes) if node in orig_outputs), None)
    if insertion_point is None:
        raise AssertionError(
            "Cannot determine insertion point: no insertion_point provided and orig_outputs is empty. Pass the last partition node as insertion_point."
        )
    with gm.graph.inserting_after(insertion_point):
        call = gm.graph.call_module(name, args=orig_inputs)
    _C._copy_place(call, insertion_point)
    if not orig_outputs:
        return gm
    if len(orig_outputs) == 1 and not isinstance(sub_gm.graph.output_node().args[0], tuple):
        orig_outputs[0].replace_all_uses_with(call, propagate_meta=True)
        return gm
    with gm.graph.inserting_before(call.next):
        for i, old in enumerate(orig_outputs):
            part = part_of(call, i)
            _C._copy_place(part, old)
            old.replace_all_uses_with(part, propagate_meta=True)
    call.meta["val"] = tuple(old.meta.get("val") for old in orig_outputs)
    return gm


def erase_nodes(gm: GraphModule, nodes: NodeList) -> None:
    """Erases nodes that stand in order."""
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def _order(gm: GraphModule, partitions: list[dict[Node, int | None]]) -> list[Node | int]:
    """The nodes that stay and the numbers of the groups, in an order that keeps values and effects: each as early as it stood, a group where its last
    node stood."""
    number_of = {node: k for k, partition in enumerate(partitions) for node in partition}
    place: dict[Node | int, int] = {number_of.get(node, node): i for i, node in enumerate(gm.graph.nodes)}
    after: dict[Node | int, set[Node | int]] = {item: set() for item in place}
    for node, followers in followers_in(gm.graph).items():
        item = number_of.get(node, node)
        after[item].update(other for n in followers if (other := number_of.get(n, n)) != item)
    waiting = Counter(item for items in after.values() for item in items)
    items = sorted(place, key=place.__getitem__)
    ready = [place[item] for item in items if not waiting[item]]
    by_place = {place[item]: item for item in items}
    found: list[Node | int] = []
    while ready:
        found.append(by_place[heapq.heappop(ready)])
        for item in after[found[-1]]:
            waiting[item] -= 1
            if not waiting[item]:
                heapq.heappush(ready, place[item])
    if len(found) != len(items):
        left = ", ".join(str(item) if isinstance(item, Node) else f"group {item}" for item in items if waiting[item])
        raise ValueError(f"these must run both after and before each other, because of values or of writes to the same memory: {left}; make smaller groups")
    return found


def fuse_by_partitions(
    gm: GraphModule, partitions: list[dict[Node, int | None]], prefix: str = "fused_", always_return_tuple: bool = False
) -> GraphModule:
    """Makes a module of each group of nodes, named `prefix` and its number, and calls it instead of them.

    Reads and writes of one memory keep their order, and so do random draws.
    """
    order = _order(gm, partitions) if effects_in(gm.graph) else None
    calls: list[Node] = []
    for number, partition in enumerate(partitions):
        nodes = topo_sort(list(partition))
        if order is None:
            made, inputs, outputs = fuse_as_graphmodule(gm, nodes, prefix + str(number), partition, always_return_tuple=always_return_tuple)
        else:  # which is possible; calls of the groups that are there already would count as writes to anything
            made, inputs, outputs = _as_graph_module(gm, nodes, prefix + str(number), partition, always_return_tuple)
        insert_subgm(gm, made, inputs, outputs, nodes[-1])
        calls.append(nodes[-1].next)
        erase_nodes(gm, nodes)
    if order is None:
        stable_topological_sort(gm)
    else:
        _arrange(gm, order, calls)
    gm.graph.lint()
    return gm


def _arrange(gm: GraphModule, order: list[Node | int], calls: list[Node]) -> None:
    """Moves the nodes into this order, the calls of groups with the parts of their results."""
    last: Node | None = None
    for item in order:
        call = item if isinstance(item, Node) else calls[item]
        parts = [] if isinstance(item, Node) else [u for u in call.users if u.op == "call_function" and u.target is operator.getitem and len(u.args) == 2]
        for node in (call, *parts):
            if node.op == "output":
                continue
            if last is not None and node.op != "placeholder":
                last.append(node)
            last = node
    gm.recompile()
