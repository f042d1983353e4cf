"""torch.fx: graphs of Python programs, and how to change them."""

from .graph import Graph
from .node import Node, map_aggregate, map_arg

__all__ = ["Graph", "Node", "map_aggregate", "map_arg"]
