"""torch.fx.experimental.merge_matmul: one matrix product of those that share their second factor."""

from __future__ import annotations

import itertools
import operator
from typing import Any

from ... import _C, _VF
from ...functional import split
from ...nn import Module
from .._symbolic_trace import symbolic_trace
from ..graph_module import GraphModule
from ..node import Node
from ..passes._nodes import inputs_of, stands_for, writes_in
from ..passes.tools_common import legalize_graph
from ..proxy import Proxy

_matmul = _C._functions()[""]["matmul"]


def split_result_tensors(result: Any, inputs: list[Any]) -> tuple[Any, ...]:
    """The rows of a merged product that belong to each of the inputs."""
    sizes = [0] * len(inputs) if isinstance(result, Proxy) else [x.shape[0] for x in inputs]
    return split(result, sizes)


def may_depend_on(a: Node, b: Node, search_depth: int = 6) -> bool:
    """Whether `a` may need `b`: True if that is not settled within so many steps."""
    level = {a}
    for _ in range(search_depth + 1):
        if b in level:
            return True
        level = {used for node in level for used in inputs_of(node)}
        if not level:
            return False
    return True


def are_nodes_independent(nodes: list[Node]) -> bool:
    """Whether none of the nodes may need another."""
    return not any(may_depend_on(i, j) or may_depend_on(j, i) for i, j in itertools.combinations(nodes, 2))


def merge_matmul(in_mod: Module) -> GraphModule:
    """A GraphModule in which torch.matmul(a, c) and torch.matmul(b, c) are parts of one product of cat([a, b]) and c.

    The first factors must be matrices. A product inside of an If or Loop stays, and so does one of which a factor or the result is written.
    """
    gm = symbolic_trace(in_mod)
    _, is_written = writes_in(gm.graph)
    sharing: dict[Any, list[Node]] = {}
    for node in gm.graph.nodes:
        if node.op == "call_function" and node.target is _matmul and len(node.args) == 2 and all(isinstance(a, Node) for a in node.args):
            if any(map(is_written, (node, *node.args))):  # the one product is computed where the last of them was
                continue
            second = node.args[1]
            sharing.setdefault(second.target if second.op == "get_attr" else second, []).append(node)
    merged = False
    for products in sharing.values():
        if len(products) > 1 and are_nodes_independent(products):
            _merge(gm, products)
            merged = True
    if merged:
        legalize_graph(gm)  # not before the end, since it copies the nodes
    gm.graph.lint()
    return gm


def _merge(gm: GraphModule, products: list[Node]) -> None:
    graph = gm.graph
    factors = [product.args[0] for product in products]
    with graph.inserting_before(graph.output_node()):
        rows = graph.call_function(_VF.cat, (factors,))
        whole = graph.call_function(_matmul, (rows, products[0].args[1]))
        parts = graph.call_function(split_result_tensors, (whole, factors))
        for made in (rows, whole, parts):
            stands_for(made, products[0]).meta = {}
        for k, product in enumerate(products):
            part = stands_for(graph.call_function(operator.getitem, (parts, k)), product)
            product.replace_all_uses_with(part)
    for product in products:
        graph.erase_node(product)
