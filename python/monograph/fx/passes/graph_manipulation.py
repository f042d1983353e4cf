"""torch.fx.passes.graph_manipulation: other targets for nodes, and the sizes of what they give."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..._tensor import Tensor
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, map_arg
from ._nodes import copied, stands_for
from .shape_prop import ShapeProp, TensorMetadata

__all__ = ["replace_target_nodes_with", "size_bytes", "get_size_of_all_nodes", "get_tensor_meta", "get_size_of_node"]


def replace_target_nodes_with(fx_module: GraphModule, old_op: str, old_target: Any, new_op: str, new_target: Any) -> None:
    """Every node of the kind old_op with old_target becomes one of the kind new_op with new_target. Blocks too."""
    made = Graph(tracer_cls=getattr(fx_module.graph, "_tracer_cls", None))
    known: dict[Node, Node] = {}
    for node in fx_module.graph.nodes:
        if node.op == old_op and node.target == old_target:
            args, kwargs = (map_arg(a, lambda n: known[n]) for a in (node.args, node.kwargs))
            known[node] = stands_for(made.create_node(new_op, new_target, args, kwargs, node.name, node.type), node)
        else:
            known[node] = copied(made, node, known)
    outside = set(made.nodes)
    for node in [n for n in made.nodes(recursive=True) if n not in outside and n.op == old_op and n.target == old_target]:
        with made.inserting_before(node):
            other = stands_for(made.create_node(new_op, new_target, node.args, dict(node.kwargs), type_expr=node.type), node)
        node.replace_all_uses_with(other)
        made.erase_node(node)
    made._codegen = fx_module.graph._codegen
    fx_module.graph = made


class size_bytes(NamedTuple):
    """The bytes of a node's result, and of that and its parameters."""

    output_size: int
    total_size: int


def get_size_of_all_nodes(fx_module: GraphModule, args: list[Tensor] | None = None) -> None:
    """Writes node.size_bytes to all nodes. args: inputs, with which ShapeProp runs first."""
    if args is not None:
        ShapeProp(fx_module).propagate(*args)
    for node in fx_module.graph.nodes:
        if node.op == "output":
            break
        node.size_bytes = get_size_of_node(fx_module, node)


def get_tensor_meta(node: Node) -> TensorMetadata:
    """node.meta["tensor_meta"]; an error if ShapeProp did not run."""
    found = node.meta.get("tensor_meta")
    if not found:
        raise RuntimeError(f"Node {node} has no tensor metadata associated with it! Check that shape propagation has run.")
    return found


def get_size_of_node(fx_module: GraphModule, node: Node) -> size_bytes:
    """The size of a node's result, alone and with the parameters of the module that it calls."""
    meta = get_tensor_meta(node)
    elements = meta.shape.numel()
    parameters = sum(p.numel() for p in fx_module.get_submodule(node.target).parameters()) if node.op == "call_module" else 0
    each = meta.dtype.itemsize
    return size_bytes(each * elements, each * (elements + parameters))
