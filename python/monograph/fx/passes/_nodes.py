"""Nodes with blocks (If and Loop) in passes: what they read, who reads them, and how they are copied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ... import _C
from ..graph import Graph
from ..interpreter import used_by
from ..node import Node

CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}


def inner_nodes(node: Node) -> Iterator[Node]:
    """The nodes inside of its blocks, at any depth."""
    for placeholders, nodes, _ in _C._blocks(node):
        yield from placeholders
        for inner in nodes:
            yield inner
            yield from inner_nodes(inner)


def inputs_of(node: Node) -> list[Node]:
    """What the node and its blocks read from outside, each once, in order."""
    if not _C._has_structure(node):
        return list(node.all_input_nodes)
    inside = set(inner_nodes(node))
    return [n for n in dict.fromkeys(used_by(node)) if n not in inside]


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


def copied(graph: Graph, node: Node, known: Mapping[Node, Any]) -> Node:
    """A copy of the node at the insertion point of `graph`, its inputs as `known` gives them. It has the blocks, meta and place of the old one."""
    if _C._has_structure(node):
        return graph._copied_with_blocks(node, {n: known[n] for n in inputs_of(node)})
    return graph.node_copy(node, lambda n: known[n])


def stands_for(made: Node, old: Node) -> Node:
    """Gives a new node the place in the program and the meta of the old one."""
    _C._copy_place(made, old)
    made.meta = dict(old.meta)
    return made
