"""torch.fx.passes.utils.source_matcher_utils: the nodes that one call of a function or module became, by node.meta["source_fn_stack"],
["torch_fn"] or ["nn_module_stack"]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..._names import spelled_as_torch
from ...graph import Graph
from ...node import Node

__all__ = ["get_source_partitions", "check_subgraphs_connected", "SourcePartition"]


@dataclass
class SourcePartition:
    """The nodes of one call."""

    nodes: list[Node]
    source: Any  # the function, or the class of the module
    input_nodes: list[Node] = field(default_factory=list)  # what they read from outside, without get_attr
    output_nodes: list[Node] = field(default_factory=list)  # those that are read from outside
    params: list[Node] = field(default_factory=list)  # the get_attr nodes among them


def _source(node: Node, wanted: list[Any]) -> tuple[Any, str] | None:
    """Which of the wanted sources the node comes from, and the name of the call."""
    stack = node.meta.get("source_fn_stack")
    if stack is not None:
        name, source = stack[-1]
        return (source, name) if source in wanted else None
    function = node.meta.get("torch_fn")
    if function is not None:
        name, text = function
        short = text.split(".")[1]
        if short in wanted:
            return short, name
    modules = node.meta.get("nn_module_stack")
    if node.op != "call_function" or not modules:
        return None
    name, kind = list(modules.values())[-1]
    return next(((source, name) for source in wanted if _is_of(kind, source)), None)


def _is_of(kind: Any, source: Any) -> bool:
    """Whether a module of class `kind`, given as the class or its name, is a `source`."""
    if not isinstance(source, type):
        return bool(kind == source)
    if isinstance(kind, type):
        return issubclass(kind, source)
    return kind in (f"{source.__module__}.{source.__qualname__}", f"{spelled_as_torch(source.__module__)}.{source.__qualname__}")


def _partition(nodes: list[Node], source: Any) -> SourcePartition:
    inside = set(nodes)
    read = [a for node in nodes for a in node.args if isinstance(a, Node) and a not in inside and a.op != "get_attr"]
    given = [node for node in nodes if node.op != "get_attr" and any(u not in inside for u in node.users)]
    return SourcePartition(nodes, source, list(dict.fromkeys(read)), given, [n for n in nodes if n.op == "get_attr"])


def get_source_partitions(
    graph: Graph, wanted_sources: list[Any], filter_fn: Callable[[Node], bool] | None = None
) -> dict[Any, list[SourcePartition]]:
    """The calls of these functions and classes of modules, by source. filter_fn: a call counts if it is true for all of its nodes."""
    calls: dict[Any, dict[str, list[Node]]] = {}
    for node in graph.nodes(recursive=True):
        found = _source(node, wanted_sources)
        if found is not None:
            calls.setdefault(found[0], {}).setdefault(found[1], []).append(node)
    return {
        source: [_partition(nodes, source) for nodes in named.values() if filter_fn is None or all(map(filter_fn, nodes))]
        for source, named in calls.items()
    }


def check_subgraphs_connected(subgraph1: SourcePartition, subgraph2: SourcePartition) -> bool:
    """Whether the second uses something of the first."""
    return any(user in subgraph2.nodes for node in subgraph1.nodes for user in node.users)
