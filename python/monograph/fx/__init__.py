"""torch.fx: graphs of Python functions and modules, and how to change them."""

from .. import _C
from ._inputs import PH, PHWithMeta
from ._symbolic_trace import Tracer, symbolic_trace, wrap
from .graph import Graph
from .graph_module import GraphModule
from .node import Node, map_aggregate, map_arg
from .proxy import Proxy
from .value import Value

_C.Value = Value  # where torch has it

__all__ = ["Graph", "GraphModule", "Node", "PH", "PHWithMeta", "Proxy", "Tracer", "map_aggregate", "map_arg", "symbolic_trace", "wrap"]
