"""torch.fx.replace_pattern: finds a pattern in a graph and puts another graph in its place.

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
from .._tensor import Tensor
from ..nn import Module
from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule
from .interpreter import used_by
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
    A module that the replacement brings is installed in `gm` at its path.
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
    pattern stands for any other. replacement_callback: called with the same, gives the graph to put there. node_name_match: a node with this in its
    name matches whatever it calls.
    """
    return _replace(gm, pattern, replacement, match_filters, ignore_literals, replacement_callback, node_name_match)


def _graph_of(function: Any) -> Graph:
    if isinstance(function, GraphModule):
        return function.graph
    return function if isinstance(function, Graph) else symbolic_trace(function).graph


def _check_signature(pattern: Graph, replacement: Graph) -> None:
    """Raises where the two do not take as many inputs or give as many results: before anything is changed."""
    for what, counts in {
        "Placeholder": [sum(n.op == "placeholder" for n in g.nodes) for g in (pattern, replacement)],
        "Returning nodes": [len(_results(g)) for g in (pattern, replacement)],
    }.items():
        if counts[0] != counts[1]:
            raise AssertionError(
                f"{what} count mismatch: {counts[0]} vs {counts[1]}\nThe pattern and its replacement must take the same inputs and give as many results"
            )


def _results(graph: Graph) -> list[Any]:
    value = graph.output_node().args[0]
    return list(value) if isinstance(value, (tuple, list)) else [value]


def _replace(
    gm: GraphModule,
    pattern: Any,
    replacement: Any,
    match_filters: list[Filter] | None = None,
    ignore_literals: bool = False,
    replacement_callback: Callable[[InternalMatch, Graph, Graph], Graph] | None = None,
    node_name_match: str = "",
) -> list[ReplacedPatterns]:
    graph, pattern_graph = gm.graph, _graph_of(pattern)
    if replacement is None and replacement_callback is None:
        raise AssertionError("Must provide either replacement GraphModule or replacement callback")
    common = None if replacement is None else _graph_of(replacement)
    if common is not None:
        _check_signature(pattern_graph, common)
    if all(n.op in ("placeholder", "output") for n in pattern_graph.nodes):
        raise AssertionError("the pattern only returns its inputs, so every value of the graph would match")
    matcher = SubgraphMatcher(pattern_graph, ignore_literals=ignore_literals)
    places = [
        m for m in matcher.match(graph, node_name_match) if all(f(m, graph, pattern_graph) for f in match_filters or ())
    ]
    changed: dict[Node, Any] = {}  # what stands in the place of a node that an earlier replacement took away
    made: list[ReplacedPatterns] = []
    for match in places:
        if replacement_callback is not None:
            wanted = replacement_callback(match, graph, pattern_graph)
            _check_signature(pattern_graph, wanted)
        else:
            assert common is not None
            wanted = common
        done = _replace_one(graph, pattern_graph, match, wanted, changed)
        made += [done] if done is not None else []
    for source in (replacement, common):
        module = source.owning_module if isinstance(source, Graph) else source
        if made and isinstance(module, Module):
            _bring_attributes(gm, module, [n for m in made for n in m.replacements if n.op in ("call_module", "get_attr")])
            break
    if made:
        gm.delete_all_unused_submodules()
    gm.recompile()
    return made


def _place(match: InternalMatch, inputs: list[Any]) -> tuple[Node, list[Node]] | None:
    """The node behind which the replacement goes, and the nodes before it that use a result and so must move behind it.

    It goes before the first user of a result, as in PyTorch, if all inputs are there by then; else behind the last input. None if an input is computed
    from a result: one graph cannot stand for both.
    """
    taken = {g for p, g in match.nodes_map.items() if p.op not in ("placeholder", "output") and isinstance(g, Node) and g.op != "get_attr"}
    last = max(taken)
    block = match.block_of(last)
    users = [u for g in match.returning_nodes for u in g.users if u not in taken]
    after = max([last, *(v for v in inputs if isinstance(v, Node) and match.block_of(v) == block)])
    if users and after < (first := min(users)) and match.block_of(first) == block:
        return first.prev, []
    # What stands between a result and the place, and needs the result.
    behind: list[Node] = []
    needing: set[Node] = set(match.returning_nodes)
    node = min(match.returning_nodes, default=last)
    while node is not after:
        node = node.next
        if node not in taken and any(used in needing for used in used_by(node)):
            needing.add(node)
            behind.append(node)
    return None if any(v in needing for v in inputs if isinstance(v, Node)) else (after, behind)


def _replace_one(
    graph: Graph, pattern: Graph, match: InternalMatch, replacement: Graph, changed: dict[Node, Any]
) -> ReplacedPatterns | None:
    def now(value: Any) -> Any:
        while isinstance(value, Node) and value in changed:
            value = changed[value]
        return value

    inputs = [now(v) for v in match.placeholder_nodes]
    placeholders = [n for n in replacement.nodes if n.op == "placeholder"]
    known: dict[Node, Any] = dict(zip(placeholders, inputs, strict=True))
    found = _place(match, inputs)
    if found is None:
        return None
    place, behind = found
    for node in reversed(behind):
        place.append(node)
    with graph.inserting_after(place):
        results = graph.graph_copy(replacement, known)
    created = [made for old, made in known.items() if old.op != "placeholder"]
    for made in created:  # they stand for what the user wrote there
        _C._copy_place(made, match.returning_nodes[0])
        match.stands_in(made, match.block_of(place))
    copied = list(results) if isinstance(results, (tuple, list)) else [results]
    for old, new in zip(match.returning_nodes, copied, strict=True):
        if old is not new:
            old.replace_all_uses_with(new)
            changed[old] = new
    for node in reversed(pattern.nodes):
        taken = match.nodes_map.get(node)
        if node.op not in ("placeholder", "output") and isinstance(taken, Node) and not taken.users and taken not in copied:
            graph.erase_node(taken)
    return ReplacedPatterns(match.anchors[0], match.nodes_map, created)


def _bring_attributes(gm: GraphModule, source: Module, nodes: list[Node]) -> None:
    """Installs in `gm` what these nodes name and the module of the replacement has."""
    for node in nodes:
        own, given = _found(gm, node.target), _found(source, node.target)
        if own is not None:
            continue
        if given is None:
            raise RuntimeError(
                f'Attempted to create a "{node.op}" node during subgraph rewriting with target {node.target}, but the referenced attribute does not exist in the replacement GraphModule'
            )
        if isinstance(given, Module):
            gm.add_submodule(node.target, copy.deepcopy(given))
        else:
            *prefix, name = node.target.split(".")
            at: Any = gm
            for part in prefix:
                if part not in at._modules:
                    at.add_module(part, Module())
                at = at._modules[part]
            if isinstance(given, Tensor) and not given._is_parameter:
                at.register_buffer(name, given)
            else:
                setattr(at, name, given)


def _found(root: Module, path: str) -> Any:
    at: Any = root
    for name in path.split("."):
        if not hasattr(at, name):
            return None
        at = getattr(at, name)
    return at


for _thing in (Match, ReplacedPatterns, replace_pattern, replace_pattern_with_filters):
    _thing.__module__ = "monograph.fx.subgraph_rewriter"
