"""torch.fx.experimental.const_fold: computes what depends on attributes only once, before the first run.

    folded = split_const_subgraphs(model)
    folded(x)
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from ... import _C, nn
from ..._tensor import Tensor
from ...nn import Module
from .._symbolic_trace import symbolic_trace
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, map_arg
from ..passes._nodes import copied, draws, inner_nodes, inputs_of, stands_for, users_in, writes_in

__all__ = ["FoldedGraphModule", "get_unique_attr_name_in_module", "split_const_subgraphs"]


class FoldedGraphModule(GraphModule):
    """A GraphModule whose first call runs const_subgraph_module, and keeps the results in the attribute fx_const_folded_attrs_name, which its graph reads.

    const_subgraph: the graph of what is constant; None if nothing is. run_folding() runs it now.
    """

    def __init__(
        self,
        root: Module,
        graph: Graph,
        const_subgraph: Graph | None = None,
        fx_const_folded_attrs_name: str | None = None,
        device_for_folded_attrs: str = "cuda",
    ):
        super().__init__(root, graph)
        self.const_subgraph_module = None if const_subgraph is None else GraphModule(root, const_subgraph)
        self.has_folding_been_run = False
        self.fx_const_folded_attrs_name = fx_const_folded_attrs_name
        self.device_for_folded_attrs = device_for_folded_attrs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.has_folding_been_run:
            self.run_folding()
        return super().__call__(*args, **kwargs)

    def run_folding(self) -> None:
        if self.const_subgraph_module is None or self.fx_const_folded_attrs_name is None:
            return
        if self.has_folding_been_run:
            raise AssertionError("Folding has already been run")
        self.has_folding_been_run = True
        values = self.const_subgraph_module()
        kept = [self._kept(v) for v in (values if self._gives_several else (values,))]
        made: Any = nn.ParameterList(kept) if self._gives_several else kept[0]
        if not all(isinstance(v, Tensor) for v in kept):  # sizes and numbers, which a ParameterList cannot hold
            delattr(self, self.fx_const_folded_attrs_name)
            made = tuple(kept) if self._gives_several else kept[0]
        setattr(self, self.fx_const_folded_attrs_name, made)

    @property
    def _gives_several(self) -> bool:
        return isinstance(self.const_subgraph_module.graph.output_node().args[0], tuple)  # type: ignore[union-attr]

    def _kept(self, value: Any) -> Any:
        if not isinstance(value, Tensor):
            return value
        return nn.Parameter(value.detach().clone(), requires_grad=value.requires_grad)


def get_unique_attr_name_in_module(mod_traced: Module, name: str) -> str:
    """A name like this that the module has no attribute of."""
    name = re.sub("[^0-9a-zA-Z_]+", "_", name)
    if name[0].isdigit():
        name = f"_{name}"
    while hasattr(mod_traced, name):
        found = re.match(r"(.*)_(\d+)$", name)
        name = f"{found[1]}_{int(found[2]) + 1}" if found else f"{name}_1"
    return name


def _is_random_or_written(module: Module) -> bool:
    """Whether a call of a module in training may differ from the next: it has dropout, or buffers that it writes."""
    return any(draws(m) or m.training and any(True for _ in m.buffers(recurse=False)) for m in module.modules())


def _may_fold(gm: GraphModule, node: Node) -> bool:
    if any(not _may_fold(gm, inner) for inner in inner_nodes(node) if inner.op not in ("placeholder", "output")):
        return False
    if node.op != "call_module":
        return not node.is_impure()
    called = gm.get_submodule(node.target)
    if isinstance(called, GraphModule):
        return all(_may_fold(called, n) for n in called.graph.nodes if n.op not in ("placeholder", "output"))
    return not _is_random_or_written(called)


def split_const_subgraphs(
    module: Module, skip_folding_node_fn: Callable[[Node], bool] | None = None, device_for_folded_attrs: str = "cpu"
) -> FoldedGraphModule:
    """A FoldedGraphModule: what needs attributes only is computed at the first call, and kept.

    skip_folding_node_fn: nodes for which it is true are not folded. What draws random numbers, writes, or is written is not folded either.
    """
    gm = module if isinstance(module, GraphModule) else symbolic_trace(module)
    constant: dict[Node, None] = {}
    _, is_written = writes_in(gm.graph)
    for node in gm.graph.nodes:
        if node.op in ("placeholder", "output") or (node.op != "get_attr" and any(n not in constant for n in inputs_of(node))):
            continue
        if not is_written(node) and not (skip_folding_node_fn and skip_folding_node_fn(node)) and _may_fold(gm, node):
            constant[node] = None
    users = users_in(gm.graph)
    needed = [n for n in constant if n.op != "get_attr" and any(u not in constant for u in users[n])]
    if not needed:
        return FoldedGraphModule(gm, gm.graph)
    name = get_unique_attr_name_in_module(gm, "_FX_CONST_FOLDED_ATTRS")
    setattr(gm, name, nn.ParameterList() if len(needed) > 1 else nn.Parameter(_C.tensor([])))
    return FoldedGraphModule(gm, _rest(gm.graph, constant, needed, name), _constant_graph(list(constant), needed), name, device_for_folded_attrs)


def _names_in_part(nodes: list[Node]) -> dict[Node, str]:
    """The names of nodes in a part of the graph. PyTorch splits the graph first: each part names its nodes anew, beside the names of its inputs."""
    part = Graph()
    own = set(nodes)
    for used in dict.fromkeys(used for node in nodes for used in inputs_of(node) if used not in own):
        part.placeholder(used.name)
    return {node: node.name if _C._has_structure(node) else part.create_node(node.op, node.target).name for node in nodes}


def _copied_as(name: str, made: Graph, node: Node, known: dict[Node, Node]) -> Node:
    """A copy of the node with another name."""
    if _C._has_structure(node):
        return copied(made, node, known)
    args, kwargs = map_arg(node.args, lambda n: known[n]), map_arg(node.kwargs, lambda n: known[n])
    return stands_for(made.create_node(node.op, node.target, args, kwargs, name, node.type), node)


def _constant_graph(constant: list[Node], needed: list[Node]) -> Graph:
    made = Graph()
    known: dict[Node, Node] = {}
    # PyTorch splits the graph first, where attributes are inputs of this part. Those have the names; what reads the attributes in their place is called a_1.
    attributes = [node for node in constant if node.op == "get_attr"]
    inputs = [made.placeholder(node.name) for node in attributes]
    known.update((node, stands_for(made.get_attr(node.target), node)) for node in attributes)
    for node, name in _names_in_part([node for node in constant if node.op != "get_attr"]).items():
        known[node] = _copied_as(name, made, node, known)
    for node in inputs:
        made.erase_node(node)
    results = tuple(known[node] for node in needed)
    made.output(results if len(results) > 1 else results[0])
    made.eliminate_dead_code()
    return made


def _copy_attributes(made: Graph, attributes: list[Node], known: dict[Node, Node]) -> None:
    while attributes:
        node = attributes.pop(0)
        known[node] = copied(made, node, known)


def _folded(made: Graph, needed: list[Node], name: str) -> dict[Node, Node]:
    """The nodes that stand for what was folded."""
    read = made.get_attr(name)
    if len(needed) == 1:
        return {needed[0]: stands_for(read, needed[0])}
    _C._copy_place(read, needed[0])
    return {node: stands_for(made.call_function(operator.getitem, (read, k)), node) for k, node in enumerate(needed)}


def _rest(graph: Graph, constant: dict[Node, None], needed: list[Node], name: str) -> Graph:
    """The graph that reads what was folded."""
    made = Graph(tracer_cls=getattr(graph, "_tracer_cls", None))
    known: dict[Node, Node] = {}
    attributes = [n for n in graph.nodes if n.op == "get_attr"]  # they stand behind the inputs, as in torch.fx
    names = _names_in_part([n for n in graph.nodes if n.op not in ("placeholder", "get_attr", "output") and n not in constant])
    for node in graph.nodes:
        if node.op not in ("placeholder", "get_attr"):
            _copy_attributes(made, attributes, known)
            if needed[0] not in known:
                known.update(_folded(made, needed, name))
        if node.op == "output":
            stands_for(made.output(map_arg(node.args[0], lambda n: known[n]), node.type), node)
        elif node.op == "placeholder":
            known[node] = copied(made, node, known)
        elif node in names:
            known[node] = _copied_as(names[node], made, node, known)
    for node in reversed(list(made.nodes)):
        if node.op == "get_attr" and not node.users:
            made.erase_node(node)
    return made
