"""What passes ask of nodes: what they read, their blocks (of If and Loop) included, who reads them, what must stay behind them, and copies of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ... import _C
from .._blocks import copied_with_blocks, inner_nodes, inputs_of  # noqa: F401 (passes import inner_nodes from here)
from .._writes import _may_be_its_argument
from .._written import may_write, written
from ..graph import Graph
from ..node import Node
from ..proxy import Proxy

CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


def users_in(graph: Graph) -> dict[Node, list[Node]]:
    """The nodes that read each node, in the order of node.users. A read inside of a block counts for the If or Loop."""
    outer = set(graph.nodes)
    users = {node: [u for u in node.users if u in outer] for node in graph.nodes}
    for node in graph.nodes:
        if _C._has_structure(node):
            for used in inputs_of(node):
                if node not in users[used]:
                    users[used].append(node)
    return users


def is_projection(node: Node) -> bool:
    """Whether it takes one of the results of an If or Loop. Nothing else reads these, so it stays with the If or Loop."""
    return node.op == "call_function" and bool(node.args) and isinstance(node.args[0], Node) and _C._has_structure(node.args[0])


def part_of(call: Node, i: int) -> Node:
    """A new node behind the insertion point: result i of a call that gives a tuple. It has the place of the call."""
    proxy: Any = Proxy(call)
    made: Node = proxy[i].node
    _C._copy_place(made, call)
    return made


def copied(graph: Graph, node: Node, known: Mapping[Node, Any]) -> Node:
    """A copy of the node at the insertion point of `graph`, its inputs as `known` gives them. It has the blocks, meta and place of the old one."""
    if _C._has_structure(node):
        return copied_with_blocks(graph, node, dict(known))
    return graph.node_copy(node, lambda n: known[n])


def stands_for(made: Node, old: Node) -> Node:
    """Gives a new node the place in the program and the meta of the old one."""
    _C._copy_place(made, old)
    made.meta = dict(old.meta)
    return made


def _memory(node: Node) -> Any:
    """What stands for the memory that a node may show: the node that made it, or the path of an attribute."""
    seen: set[Node] = set()  # a graph that a pass broke may have a circle
    while node.op not in ("placeholder", "get_attr") and node.args and isinstance(node.args[0], Node) and node not in seen and _may_be_its_argument(node):
        seen.add(node)
        node = node.args[0]
    return node.target if node.op == "get_attr" else node


def _writes(nodes: Iterable[Node]) -> dict[Node, list[Any]]:
    """The nodes that write, with the values that they write to."""
    found = {}
    may: dict[Any, bool] = {}
    for n in nodes:
        op = n.op
        if op != "call_function" and op != "call_method":
            continue
        call = op, n.target
        known = may.get(call)
        if known is None:
            known = may[call] = may_write(*call)
        if known and (values := list(written(op, n.target, n.args, n.kwargs))):
            found[n] = values
    return found


def _memory_of(writes: dict[Node, list[Any]]) -> set[Any]:
    return {_memory(value) for values in writes.values() for value in values if isinstance(value, Node)}


def draws(module: Any) -> bool:
    """Whether a layer draws random numbers by itself: it drops values, in training. In a module of the user, `p` may be anything, such as a parameter."""
    return module.training and any(isinstance(rate := getattr(module, name, 0), (int, float)) and rate > 0 for name in ("p", "dropout"))


def _is_random_module(node: Node) -> bool:
    root = node.graph.owning_module
    return node.op == "call_module" and root is not None and any(map(draws, root.get_submodule(node.target).modules()))


class _Effects:
    """Which nodes must stay behind which, though no value passes between them: what reads memory and what writes it, and random draws."""

    def __init__(self, graph: Graph):
        self.behind: dict[Node, list[Node]] = {}
        self._writer: dict[Any, Node] = {}
        self._readers: dict[Any, list[Node]] = {}
        self._drawn: Node | None = None
        self._random: dict[Any, bool] = {}
        for node in graph.nodes:
            self._visit(node)

    def _follows(self, later: Node, earlier: Node | None) -> None:
        if earlier is not None and earlier is not later:
            self.behind.setdefault(earlier, []).append(later)

    def _visit(self, node: Node) -> None:
        inside = [node, *(inner_nodes(node) if _C._has_structure(node) else ())]
        targets = _memory_of(_writes(inside))
        for memory in {_memory(n) for n in inputs_of(node)} | {node.target for node in inside if node.op == "get_attr"}:
            if memory not in targets:
                self._follows(node, self._writer.get(memory))
                self._readers.setdefault(memory, []).append(node)
        for memory in targets:
            self._follows(node, self._writer.get(memory))
            for reader in self._readers.pop(memory, ()):
                self._follows(node, reader)
            self._writer[memory] = node
        if not targets and any(self._draws(n) for n in inside):
            self._follows(node, self._drawn)
            self._drawn = node

    def _draws(self, node: Node) -> bool:
        if node.op == "call_module":
            if node.target not in self._random:
                self._random[node.target] = _is_random_module(node)
            return self._random[node.target]
        return node.op in ("call_function", "call_method") and bool(node.is_impure())


def writes_in(graph: Graph) -> tuple[set[Node], Callable[[Node], bool]]:
    """The nodes that write, and what tells of a node whether the graph writes to memory that it may show."""
    writes = _writes(graph.nodes(recursive=True))
    memory = _memory_of(writes)
    return set(writes), lambda node: bool(memory) and _memory(node) in memory


def effects_in(graph: Graph) -> dict[Node, list[Node]]:
    """The nodes that must stay behind each node though they read nothing of it: a read behind the write of its memory, a random draw behind another."""
    return _Effects(graph).behind


def followers_in(graph: Graph) -> dict[Node, list[Node]]:
    """The nodes that must stay behind each node: those that read it, and those that its effects are for."""
    behind = effects_in(graph)
    return {node: [*users, *(n for n in behind.get(node, ()) if n not in users)] for node, users in users_in(graph).items()}
