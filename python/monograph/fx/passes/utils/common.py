"""torch.fx.passes.utils.common: modules for parts of a graph, and comparing graphs."""

from __future__ import annotations

from ....nn import Module
from ..._attributes import fetch
from ...graph import Graph
from ...graph_module import GraphModule
from .matcher_utils import SubgraphMatcher

__all__ = ["HolderModule", "lift_subgraph_as_module", "compare_graphs"]


class HolderModule(Module):
    """A module that only holds others."""

    def __init__(self, d: dict[str, Module]):
        super().__init__()
        for name, module in d.items():
            self.add_module(name, module)


def lift_subgraph_as_module(
    gm: GraphModule, subgraph: Graph, comp_name: str = "", class_name: str = "GraphModule"
) -> tuple[GraphModule, dict[str, str]]:
    """A GraphModule of a graph whose nodes are copies of nodes of `gm`, with the modules and tensors that it needs.

    Second comes a dict of where they are now: {"conv.weight": comp_name + ".conv.weight"}.
    """
    holder = HolderModule({})
    moved: dict[str, str] = {}
    for node in subgraph.nodes(recursive=True):
        if node.op not in ("call_module", "get_attr"):
            continue
        *prefix, name = node.target.split(".")
        at: Module = holder
        for part in prefix:
            if not hasattr(at, part):
                at.add_module(part, HolderModule({}))
            at = getattr(at, part)
        setattr(at, name, fetch(gm, node.target))
        moved[node.target] = f"{comp_name}.{node.target}"
    return GraphModule(holder, subgraph, class_name), moved


def compare_graphs(left: Graph, right: Graph) -> bool:
    """Whether two graphs have the same nodes, connected in the same way, and as many inputs and outputs in the same order."""
    return len(SubgraphMatcher(left, match_output=True, match_placeholder=True).match(right)) > 0
