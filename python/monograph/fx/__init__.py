"""torch.fx: graphs of Python functions and modules, and how to change them."""

from typing import Any

from .. import _C
from . import immutable_collections, traceback
from ._codegen import CodeGen
from ._inputs import PH, PHWithMeta
from ._symbolic_trace import ProxyableClassMeta, Tracer, symbolic_trace, wrap
from .graph import Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_aggregate, map_arg
from .proxy import Proxy
from .script_view import Value
from .subgraph_rewriter import replace_pattern

_C.Value = Value  # where torch has it


def from_torch(module: Any, *, fallback: bool = False) -> GraphModule:
    """The GraphModule for a GraphModule, module or ExportedProgram of PyTorch. A module is traced by PyTorch's symbolic_trace first.

    Parameters, buffers and constants share memory with those of PyTorch. fallback: functions and modules that Monograph lacks are called in PyTorch, with
    gradients; such a graph cannot be saved. Without it, an error names all of them.

    Example:
        gm = fx.from_torch(model)  # of PyTorch
        y = gm(torch.from_dlpack(x))
    """
    from .._pytorch.graphs import from_torch as convert  # it needs passes

    return convert(module, fallback=fallback)


def to_torch(module: Any, *, fallback: bool = False) -> Any:
    """The GraphModule of PyTorch for a GraphModule, Graph or module. A module is traced by symbolic_trace first.

    Parameters, buffers and constants share memory with those of PyTorch. fallback: functions and modules that PyTorch lacks are called in Monograph, with
    gradients. Without it, an error names all of them.

    Example:
        theirs = fx.to_torch(torch.jit.trace(net, x).inlined_graph)
        y = theirs(x_of_pytorch)
    """
    from .._pytorch.graphs import to_torch as convert

    return convert(module, fallback=fallback)


__all__ = [
    "CodeGen", "Graph", "GraphModule", "Interpreter", "Node", "PH", "PHWithMeta", "Proxy", "ProxyableClassMeta", "Tracer", "Transformer",
    "from_torch", "has_side_effect", "immutable_collections", "map_aggregate", "map_arg", "replace_pattern", "symbolic_trace", "to_torch", "traceback", "wrap",
]  # fmt: skip
