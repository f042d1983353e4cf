"""Finds a pattern, which is a small graph, in a graph.

A placeholder of the pattern stands for any value. Every other node of the pattern must be found: the same kind of node, the same target, and
arguments that match in their turn. What is found may be used from outside only through the values that the pattern returns.

Two spellings of one call match: torch.add(x, 1) is torch.add(input=x, other=1). torch.ops.aten.add.Tensor, which graphs of jit.trace call, is also x + y.
The search is done in C++ (src/passes/subgraph_matcher.h).
"""

from __future__ import annotations

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

    def __copy__(self) -> InternalMatch:
        return replace(
            self, anchors=list(self.anchors), nodes_map=dict(self.nodes_map), placeholder_nodes=list(self.placeholder_nodes),
            returning_nodes=list(self.returning_nodes), name_node_map=dict(self.name_node_map),
        )  # fmt: skip


class SubgraphMatcher:
    """Finds all places of one pattern. `match(graph)` gives them.

    match_output: the pattern's results must be those of the whole graph. match_placeholder: a placeholder stands only for a placeholder.
    remove_overlapping_matches: of two places that share a node only the first counts. ignore_literals: a number stands for any other, and for a node.
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
        _C._find_pattern(self, pattern, None, "", False)  # raises for a pattern that cannot be searched
        self.pattern_placeholder_nodes = [n for n in pattern.nodes if n.op == "placeholder"]
        output = pattern.output_node()
        self.pattern_returning_nodes = output.all_input_nodes
        self.pattern_anchors = [output] if match_output else [n for n in output.all_input_nodes if len(n.users) == 1]

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        """The places of the pattern, first to last, in blocks of an If or Loop too. They share no node unless remove_overlapping_matches is False.

        node_name_match: a node with this in its name matches whatever it calls.
        """
        own_rule = type(self)._nodes_are_equal is not SubgraphMatcher._nodes_are_equal
        return [
            InternalMatch(
                anchors=self.pattern_anchors,
                nodes_map=found,
                placeholder_nodes=[found[n] for n in self.pattern_placeholder_nodes if n in found],
                returning_nodes=[found[n] for n in self.pattern_returning_nodes],
            )
            for found in _C._find_pattern(self, self.pattern, graph, node_name_match, own_rule)
        ]

    # What a class that is derived from this one may answer otherwise.
    def _match_attributes(self, pn: Node, gn: Node) -> bool:
        """Whether two get_attr nodes read the same: tensors of one type stand for each other, modules by their class."""
        pattern, graph = (fetch(n.graph.owning_module, n.target) if n.graph.owning_module is not None else None for n in (pn, gn))
        if pattern is None or graph is None:
            return bool(pn.target == gn.target)
        return type(pattern) is type(graph)

    def _nodes_are_equal(self, pn: Node, gn: Node, node_name_match: str = "") -> bool:
        """Whether a node of the pattern stands for one of the graph, their arguments apart."""
        return bool(_C._nodes_are_equal(self, pn, gn, node_name_match))


for _class in (InternalMatch, SubgraphMatcher):
    _class.__module__ = "monograph.fx.passes.utils.matcher_utils"
