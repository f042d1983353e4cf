"""torch.fx: graphs of Python functions and modules, and how to change them."""

from .. import _C, _absent
from . import immutable_collections, traceback
from ._codegen import CodeGen
from ._inputs import PH, PHWithMeta
from ._symbolic_trace import ProxyableClassMeta, Tracer, symbolic_trace, wrap
from .graph import Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_aggregate, map_arg
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern
from .value import Value

_C.Value = Value  # where torch has it
__getattr__ = _absent.of_module(__name__)

__all__ = [
    "CodeGen", "Graph", "GraphModule", "Interpreter", "Node", "PH", "PHWithMeta", "Proxy", "ProxyableClassMeta", "Tracer", "Transformer",
    "has_side_effect", "immutable_collections", "map_aggregate", "map_arg", "replace_pattern", "symbolic_trace", "traceback", "wrap",
]  # fmt: skip
