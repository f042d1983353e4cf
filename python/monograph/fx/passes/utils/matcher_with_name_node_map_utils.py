"""torch.fx.passes.utils.matcher_with_name_node_map_utils: a pattern that names some of its nodes.

    def pattern(x, weight):
        conv = F.conv2d(x, weight)
        return F.relu(conv), {"conv": conv}

    matcher = SubgraphMatcherWithNameNodeMap(fx.symbolic_trace(pattern))
    for match in matcher.match(gm.graph):
        match.name_node_map["conv"].meta["mark"] = 1
"""

from __future__ import annotations

from ...graph import Graph
from ...graph_module import GraphModule
from ...node import Node
from .matcher_utils import InternalMatch, SubgraphMatcher

__all__ = ["SubgraphMatcherWithNameNodeMap"]


def _take_names(gm: GraphModule) -> dict[str, Node]:
    """Takes the dict of names from the end of what the pattern returns."""
    output = gm.graph.output_node()
    returned = output.args[0]
    if not isinstance(returned, (tuple, list)):
        raise AssertionError("Expecting the pattern graph to return a tuple")
    if len(returned) < 2:
        raise AssertionError("Expecting the pattern graph to have at least two outputs")
    *results, names = returned
    if not isinstance(names, dict):
        raise AssertionError("Expecting the input graph to have a dict output as the last element")
    output.args = (results,)
    gm.recompile()
    return dict(names)


class SubgraphMatcherWithNameNodeMap(SubgraphMatcher):
    """A SubgraphMatcher of a GraphModule that returns, last, a dict from names to nodes. A match has the nodes that it found for these in name_node_map."""

    def __init__(
        self,
        pattern_gm: GraphModule,
        match_output: bool = False,
        match_placeholder: bool = False,
        remove_overlapping_matches: bool = True,
        ignore_literals: bool = False,
    ):
        self.name_node_map = _take_names(pattern_gm)
        super().__init__(pattern_gm.graph, match_output, match_placeholder, remove_overlapping_matches, ignore_literals)

    def match(self, graph: Graph, node_name_match: str = "") -> list[InternalMatch]:
        found = super().match(graph, node_name_match)
        for match in found:
            match.name_node_map.update({name: match.nodes_map[node] for name, node in self.name_node_map.items()})
        return found
