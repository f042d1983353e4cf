"""Finds a pattern, which is a small graph, in a graph.

A placeholder of the pattern stands for any value. Every other node of the pattern must be found: the same kind of node, the same target, and
arguments that match in their turn. What is found may be used from outside only through the values that the pattern returns.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from .... import _C
from ..._attributes import fetch
from ...graph import Graph
from ...node import Node


@dataclass
class InternalMatch:
    """One place where the pattern was found."""

    anchors: list[Node]  # the nodes of the pattern that the search began with
    nodes_map: dict[Node, Any] = field(default_factory=dict)  # what each node of the pattern stands for: a node, or a constant
    placeholder_nodes: list[Any] = field(default_factory=list)  # what the placeholders stand for, in their order
    returning_nodes: list[Node] = field(default_factory=list)  # what stands for the results, in their order
    name_node_map: dict[str, Node] = field(default_factory=dict)
    _places: Any = field(default=None, repr=False, compare=False)

    def __copy__(self) -> InternalMatch:
        return replace(
            self, anchors=list(self.anchors), nodes_map=dict(self.nodes_map), placeholder_nodes=list(self.placeholder_nodes),
            returning_nodes=list(self.returning_nodes), name_node_map=dict(self.name_node_map),
        )  # fmt: skip

    def block_of(self, node: Node) -> int:
        """A number for the block of an If or Loop that the node stands in; 0 outside of all, -1 of what a block returns."""
        return int(self._places.block.get(node, -1))

    def stands_in(self, node: Node, block: int) -> None:
        """Says where a node stands that was made since the search."""
        self._places.block[node] = block


def _returned(graph: Graph) -> list[Node]:
    """What the graph returns, one by one."""
    value = graph.output_node().args[0]
    return [v for v in (value if isinstance(value, (tuple, list)) else (value,)) if isinstance(v, Node)]


class _Places:
    """The nodes of a graph in order, and in which block of an If or Loop each stands."""

    def __init__(self, graph: Graph):
        self.block: dict[Node, int] = {}
        self.order: list[Node] = []
        self._look(list(graph.nodes), 0, itertools.count(1))

    def _look(self, nodes: list[Node], block: int, numbers: Iterator[int]) -> None:
        for node in nodes:
            self.block[node] = block
            self.order.append(node)
            for placeholders, inner, _ in _C._blocks(node):
                self._look([*placeholders, *inner], next(numbers), numbers)


class SubgraphMatcher:
    """Finds all places of one pattern. `match(graph)` gives them.

    match_output: the pattern's results must be those of the whole graph. match_placeholder: a placeholder stands only for a placeholder.
    remove_overlapping_matches: of two places that share a node only the first counts. ignore_literals: a number stands for any other.
    """

    def __init__(
        self,
        pattern: Graph,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ):
        self.pattern = pattern
        self.match_output = match_output
        self.match_placeholder = match_placeholder
        self.remove_overlapping_matches = remove_overlapping_matches
        self.ignore_literals = ignore_literals
        if not pattern.nodes:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        self.pattern_placeholder_nodes = [n for n in pattern.nodes if n.op == "placeholder"]
        for node in self.pattern_placeholder_nodes:
            if not node.users and not match_placeholder:
                raise ValueError(
                    f"the pattern's input {node.name} is not used, so nothing tells what it stands for; leave it out of the pattern and its replacement"
                )
        output = pattern.output_node()
        self.pattern_returning_nodes = _returned(pattern)
        if match_output:
            self.pattern_anchors = [output]
        else:
            self.pattern_anchors = [n for n in output.all_input_nodes if len(n.users) == 1]

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """The places of the pattern, first to last. They share no node unless remove_overlapping_matches is False."""
        self._names = node_name_match
        self._places = _Places(graph)
        found: list[InternalMatch] = []
        for chosen in itertools.product(*self._candidates()):
            match = InternalMatch(anchors=self.pattern_anchors, _places=self._places)
            if len(set(chosen)) == len(chosen) and all(
                self._nodes_match(p, g, match) for p, g in zip(self.pattern_anchors, chosen, strict=True)
            ):
                self._complete(match)
                if self._is_contained(match):
                    found.append(match)
        return self._apart(found) if self.remove_overlapping_matches else found

    def _candidates(self) -> list[list[Node]]:
        """The nodes that each anchor may stand for."""
        return [[g for g in self._places.order if self._nodes_are_equal(anchor, g, self._names)] for anchor in self.pattern_anchors]

    def _complete(self, match: InternalMatch) -> None:
        match.placeholder_nodes = [match.nodes_map[n] for n in self.pattern_placeholder_nodes if n in match.nodes_map]
        match.returning_nodes = [match.nodes_map[n] for n in self.pattern_returning_nodes if n in match.nodes_map]

    def _apart(self, found: list[InternalMatch]) -> list[InternalMatch]:
        taken: set[Node] = set()
        kept = []
        for match in found:
            nodes = {g for p, g in match.nodes_map.items() if p.op not in ("placeholder", "output") and g.op != "get_attr"}
            if taken.isdisjoint(nodes):
                taken |= nodes
                kept.append(match)
        return kept

    # One node ---------------------------------------------------------------------------------------------------------------------------
    def _match_attributes(self, pn: Node, gn: Node) -> bool:
        """Whether two get_attr nodes read the same: tensors of one type stand for each other, modules by their class."""
        if not isinstance(pn.target, str) or not isinstance(gn.target, str):
            return False
        pattern, graph = (fetch(n.graph.owning_module, n.target) if n.graph.owning_module is not None else None for n in (pn, gn))
        if pattern is None or graph is None:
            return pn.target == gn.target
        return type(pattern) is type(graph)

    def _nodes_are_equal(self, pn: Node, gn: Node, node_name_match: str = "") -> bool:
        if not self.match_placeholder and pn.op == "placeholder":
            return True
        if node_name_match and node_name_match in gn.name:
            return True
        if pn.op != gn.op:
            return False
        if pn.op in ("placeholder", "output"):
            return True
        if pn.op == "get_attr":
            return self._match_attributes(pn, gn)
        return bool(pn.target == gn.target) and not _C._blocks(gn)

    def _nodes_match(self, pn: Node, gn: Node, match: InternalMatch) -> bool:
        if pn in match.nodes_map:
            return match.nodes_map[pn] is gn
        if any(gn is known for known in match.nodes_map.values()):  # two nodes of the pattern are two of the graph
            return False
        if not self._nodes_are_equal(pn, gn, self._names):
            return False
        before = dict(match.nodes_map)
        match.nodes_map[pn] = gn
        if pn.op == "placeholder" or self._arguments_match(pn, gn, match):
            return True
        match.nodes_map = before
        return False

    def _arguments_match(self, pn: Node, gn: Node, match: InternalMatch) -> bool:
        if pn.op == "get_attr":
            return True
        if set(pn.kwargs) != set(gn.kwargs):
            return False
        return self._args_match((pn.args, [pn.kwargs[k] for k in pn.kwargs]), (gn.args, [gn.kwargs[k] for k in pn.kwargs]), match)

    def _args_match(self, pattern: Any, graph: Any, match: InternalMatch) -> bool:
        """Whether lists of arguments match, in any depth."""
        if len(pattern) != len(graph):
            return False
        return all(self._arg_matches(p, g, match) for p, g in zip(pattern, graph, strict=True))

    def _arg_matches(self, p: Any, g: Any, match: InternalMatch) -> bool:
        if isinstance(p, Node) and isinstance(g, Node):
            return self._nodes_match(p, g, match)
        if isinstance(p, Node):  # a placeholder stands for a constant too
            if p.op != "placeholder" or self.match_placeholder:
                return False
            if p in match.nodes_map:
                return _same_literal(match.nodes_map[p], g)
            match.nodes_map[p] = g
            return True
        if isinstance(g, Node):
            return False
        if isinstance(p, (tuple, list)) and isinstance(g, (tuple, list)):
            return self._args_match(p, g, match)
        if isinstance(p, dict) and isinstance(g, dict):
            return set(p) == set(g) and self._args_match([p[k] for k in p], [g[k] for k in p], match)
        if isinstance(p, slice) and isinstance(g, slice):
            return self._args_match((p.start, p.stop, p.step), (g.start, g.stop, g.step), match)
        return self.ignore_literals or _same_literal(p, g)

    # The whole --------------------------------------------------------------------------------------------------------------------------
    def _is_contained(self, match: InternalMatch) -> bool:
        """Whether only the results are used from outside, and all of it stands in one block."""
        inside = {id(g): p for p, g in match.nodes_map.items() if isinstance(g, Node)}
        results = {id(g) for g in match.returning_nodes}
        blocks = set()
        for p, g in match.nodes_map.items():
            if p.op in ("placeholder", "output") or not isinstance(g, Node):
                continue
            if g.op != "get_attr":
                blocks.add(self._places.block[g])
            if id(g) in results or (g.op == "get_attr" and p not in self.pattern_returning_nodes):
                continue
            if any(id(user) not in inside for user in g.users):
                return False
        return len(blocks) <= 1


def _same_literal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


for _class in (InternalMatch, SubgraphMatcher):
    _class.__module__ = "monograph.fx.passes.utils.matcher_utils"
