"""The blocks of If and Loop, as nodes: what stands in them, what they read, and copies of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import _C
from .node import Node, map_arg


def used_by(node: Node) -> Iterator[Node]:
    """What the node reads, and what its blocks read or return."""
    yield from node.all_input_nodes
    for _, nodes, results in _C._blocks(node):
        for inner in nodes:
            yield from used_by(inner)
        yield from (r for r in results if isinstance(r, Node))


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


def copied_with_blocks(graph: Any, node: Node, known: dict[Node, Any]) -> Node:
    """A copy of an If or Loop at the insertion point of `graph`, its inputs as `known` gives them, with the blocks, meta and place of the old one."""
    both = {n: known[n] for n in inputs_of(node)}
    outside = set(both)
    made: Node = _C._copy_with_blocks(graph, node, both)
    for old, new in both.items():
        if old not in outside:
            new.meta = dict(old.meta)
    made.meta = dict(node.meta)
    return made


def alone(node: Node) -> tuple[Any, dict[Node, Node]]:
    """A graph of this node only, and the placeholders that stand for what it reads."""
    graph = type(node.graph)()
    given = {used: graph.placeholder(f"x{k}") for k, used in enumerate(node.all_input_nodes)}
    args, kwargs = map_arg((node.args, dict(node.kwargs)), lambda n: given[n])
    graph.output(graph.create_node(node.op, node.target, args, kwargs))
    return graph, given
