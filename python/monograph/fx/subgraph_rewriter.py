"""torch.fx.replace_pattern: finds a pattern in a graph and puts another graph in its place. The work is done in C++ (src/passes/subgraph_rewriter.h).

    def pattern(x, y):
        return torch.relu(x + y)

    def replacement(x, y):
        return torch.clamp(x + y, min=0)

    fx.replace_pattern(gm, pattern, replacement)
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .. import _C
from ..nn import Module
from ._attributes import _assign_attr
from ._hooks import told_of_changes
from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule
from .node import Node
from .passes.utils.matcher_utils import InternalMatch, SubgraphMatcher

Filter = Callable[[InternalMatch, Graph, Graph], bool]


class Match(NamedTuple):
    """A place where the pattern was."""

    anchor: Node  # where it was found: the node of its first result
    nodes_map: dict[Node, Any]  # what each node of the pattern stood for


@dataclass
class ReplacedPatterns:
    """A place where the pattern was, and what stands there now."""

    anchor: Node
    nodes_map: dict[Node, Any]
    replacements: list[Node] = field(default_factory=list)  # the nodes that were made


def replace_pattern(
    gm: GraphModule, pattern: Callable[..., Any] | GraphModule, replacement: Callable[..., Any] | GraphModule
) -> list[Match]:
    """Puts `replacement` wherever `pattern` is found in the graph, and compiles the graph anew. Gives the places.

    pattern, replacement: functions or GraphModules of the same inputs and as many results. An input of the pattern stands for any value. What is
    found may be used from outside only through the results. Places that share a node: the first counts. Blocks of an If or Loop are searched too.
    A place is left as it is where memory is written between its nodes. A module that the replacement brings is installed in `gm` at its path. After an
    error the graph is as it was.
    """
    return [Match(m.anchor, m.nodes_map) for m in _replace(gm, pattern, replacement)]


def replace_pattern_with_filters(
    gm: GraphModule,
    pattern: Callable[..., Any] | Graph | GraphModule,
    replacement: Callable[..., Any] | Graph | GraphModule | None = None,
    match_filters: list[Filter] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    """replace_pattern for the places that all filters accept.

    match_filters: called with the place, the graph and the pattern's graph; a place counts if all answer True. ignore_literals: a number in the
    pattern stands for any other. replacement_callback: called with the same, gives the graph to put there. It is called for all places before the first
    is replaced. node_name_match: a node with this in its name matches whatever it calls.
    """
    return _replace(gm, pattern, replacement, match_filters, ignore_literals, replacement_callback, node_name_match)


def _graph_of(function: Any) -> Graph:
    if isinstance(function, GraphModule):
        return function.graph
    if not isinstance(function, Graph) and not callable(function):
        raise TypeError(f"a pattern and its replacement must each be a function, a Module or a Graph, but got {type(function).__name__}")
    return function if isinstance(function, Graph) else symbolic_trace(function).graph


def _check_signature(pattern: Graph, replacement: Graph) -> None:
    returned = replacement.output_node().args[0]
    for result in returned if isinstance(returned, (tuple, list)) else (returned,):
        if not isinstance(result, Node):
            raise AssertionError(
                f"the replacement returns {result!r}, which no node computes; pattern and replacement must return values that nodes give"
            )
    try:
        _C._check_signature(pattern, replacement)
    except ValueError as e:  # PyTorch raises this
        raise AssertionError(str(e)) from None


def _replace(
    gm: GraphModule,
    pattern: Any,
    replacement: Any,
    match_filters: list[Filter] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    if not isinstance(gm, GraphModule):
        raise TypeError(
            f"replace_pattern expects a GraphModule, but got {type(gm).__name__}. For a graph, or that of a trace or a script: "
            "fx.GraphModule(module, module.inlined_graph), which shares the graph, so that its edits count there too"
        )
    graph, pattern_graph = gm.graph, _graph_of(pattern)
    if replacement is None and replacement_callback is None:
        raise AssertionError("Must provide either replacement GraphModule or replacement callback")
    common = None if replacement is None else _graph_of(replacement)
    pattern_graph.output_node()  # raises where there is none
    matcher = SubgraphMatcher(pattern_graph, ignore_literals=ignore_literals)
    if common is not None:
        _check_signature(pattern_graph, common)
    places = [
        m for m in matcher.match(graph, node_name_match) if all(f(m, graph, pattern_graph) for f in match_filters or ())
    ]
    if replacement_callback is not None:
        wanted = [_graph_of(replacement_callback(m, graph, pattern_graph)) for m in places]
        for g in wanted:
            _check_signature(pattern_graph, g)
    else:
        assert common is not None
        wanted = [common] * len(places)
    sources = {id(g): _source(gm, g, replacement if g is common else None) for g in wanted}
    found = [(m.nodes_map, m.placeholder_nodes, g) for m, g in zip(places, wanted, strict=True)]
    done = told_of_changes(graph, lambda: _C._replace_matches(graph, gm, pattern_graph, found))
    made = []
    for number, nodes_map, replacements in done:
        made.append(ReplacedPatterns(places[number].anchors[0], nodes_map, replacements))
        source = sources[id(wanted[number])]
        if source is not None:
            _bring_attributes(gm, source, [n for n in replacements if n.op in ("call_module", "get_attr")])
    if made and (any(sources.values()) or any(n.op in ("call_module", "get_attr") for n in pattern_graph.nodes)):
        gm.delete_all_unused_submodules()
    gm.recompile()
    return made


def _source(gm: GraphModule, graph: Graph, given: Any) -> Module | None:
    """The module that has what the graph of a replacement reads. Raises, before anything is changed, where neither this one nor `gm` has it."""
    module = given if isinstance(given, Module) else graph.owning_module
    source = module if isinstance(module, Module) else None
    for node in graph.nodes(recursive=True):
        if node.op not in ("call_module", "get_attr") or _found(gm, node.target) is not None:
            continue
        if source is None or _found(source, node.target) is None:
            raise RuntimeError(
                f'Attempted to create a "{node.op}" node during subgraph rewriting with target {node.target}, but the referenced attribute does not exist in the replacement GraphModule'
            )
    return source


def _bring_attributes(gm: GraphModule, source: Module, nodes: list[Node]) -> None:
    """Installs in `gm` what these nodes name and the module of the replacement has."""
    for node in nodes:
        if _found(gm, node.target) is not None:
            continue
        given = _found(source, node.target)
        if isinstance(given, Module):
            gm.add_submodule(node.target, copy.deepcopy(given))
        else:
            _assign_attr(given, gm, node.target)


def _found(root: Module, path: str) -> Any:
    at: Any = root
    for name in path.split("."):
        if not hasattr(at, name):
            return None
        at = getattr(at, name)
    return at


for _thing in (Match, ReplacedPatterns, replace_pattern, replace_pattern_with_filters):
    _thing.__module__ = "monograph.fx.subgraph_rewriter"
