"""torch.fx.experimental.optimization: batch norms folded into the layers before them, and dropout taken out, for evaluation.

    fast = optimize_for_inference(model.eval())
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from ... import nn
from ...nn import Module
from ...nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval
from .._symbolic_trace import Tracer, symbolic_trace
from ..graph import Graph
from ..graph_module import GraphModule
from ..interpreter import Transformer
from ..node import Node
from ..passes._nodes import copied, stands_for

__all__ = [
    "matches_module_pattern", "replace_node_module", "fuse", "remove_dropout", "extract_subgraph", "modules_to_mkldnn", "reset_modules", "MklSubgraph",
    "gen_mkl_autotuner", "use_mkl_length", "UnionFind", "optimize_for_inference",
]  # fmt: skip

# A layer, the batch norm that may follow it, and what makes one layer of both.
_FOLDS: list[tuple[type, type, Callable[..., Any]]] = [
    (nn.Conv1d, nn.BatchNorm1d, fuse_conv_bn_eval),
    (nn.Conv2d, nn.BatchNorm2d, fuse_conv_bn_eval),
    (nn.Conv3d, nn.BatchNorm3d, fuse_conv_bn_eval),
    (nn.Linear, nn.BatchNorm1d, fuse_linear_bn_eval),
]


def _parent_name(target: str) -> tuple[str, str]:
    """A path as that of its owner and a name: "a.b.c" as "a.b" and "c"."""
    owner, _, name = target.rpartition(".")
    return owner, name


def matches_module_pattern(pattern: Iterable[type], node: Node, modules: dict[str, Module]) -> bool:
    """Whether the node calls a module of the second class on what a module of the first gives."""
    if not node.args:
        return False
    for expected, current in zip(pattern, (node.args[0], node), strict=False):
        if not isinstance(current, Node) or current.op != "call_module" or type(modules.get(current.target)) is not expected:
            return False
    return True


def replace_node_module(node: Node, modules: dict[str, Module], new_module: Module) -> None:
    """Puts another module where the node's is."""
    path, name = _parent_name(node.target)
    modules[node.target] = new_module
    setattr(modules[path], name, new_module)


def _uses(graph: Graph, modules: dict[str, Module]) -> Counter[Module]:
    """How many nodes call each module, or read something of it."""
    used: Counter[Module] = Counter()
    for node in graph.nodes(recursive=True):
        if node.op == "call_module":
            used[modules[node.target]] += 1
        elif node.op == "get_attr":
            path = _parent_name(node.target)[0]
            if path in modules:
                used[modules[path]] += 1
    return used


def fuse(model: Module, inplace: bool = False, no_trace: bool = False) -> Module:
    """A GraphModule in which convolutions and linear layers compute the batch norm behind them too. All must be in eval mode.

    inplace: the modules of the model are changed, not copied. no_trace: the model is a GraphModule, whose graph is taken as it stands. A layer that
    is called or read in several places stays.
    """
    if not inplace:
        model = copy.deepcopy(model)
    traced = model if no_trace and isinstance(model, GraphModule) else symbolic_trace(model)
    modules: dict[str, Any] = dict(traced.named_modules(remove_duplicate=False))
    graph = copy.deepcopy(traced.graph)
    for first, second, folded in _FOLDS:
        for node in list(graph.nodes(recursive=True)):
            if not matches_module_pattern((first, second), node, modules) or len(node.args[0].users) > 1:
                continue
            before = node.args[0]
            if not modules[node.target].track_running_stats or _uses(graph, modules)[modules[before.target]] > 1:
                continue
            replace_node_module(before, modules, folded(modules[before.target], modules[node.target]))
            node.replace_all_uses_with(before)
            graph.erase_node(node)
    return GraphModule(traced, graph)


class _DropoutRemover(Transformer):
    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not isinstance(self.fetch_attr(target), nn.Dropout):
            return super().call_module(target, args, kwargs)
        given = (*args, *kwargs.values())
        if len(given) != 1:
            raise AssertionError(f"Expected 1 arg for Dropout, got {len(given)}")
        return given[0]


def remove_dropout(model: Module) -> Module:
    """A GraphModule without the nn.Dropout layers of the model."""
    return _DropoutRemover(symbolic_trace(model)).transform()


def extract_subgraph(orig_module: Module, nodes: list[Node], inputs: list[Node], outputs: list[Node]) -> GraphModule:
    """A GraphModule of copies of `nodes`, which computes `outputs` from `inputs`, as a list."""
    made, known = Graph(), {}
    for node in inputs:
        known[node] = stands_for(made.placeholder(node.name), node)
    for node in nodes:
        known[node] = copied(made, node, known)
    made.output([known[node] for node in outputs])
    made.lint()
    return GraphModule(orig_module, made)


def optimize_for_inference(model: Module, pass_config: dict[str, Any] | None = None, tracer: type[Tracer] = Tracer) -> Module:
    """fuse and remove_dropout of a model in eval mode.

    pass_config: {"conv_bn_fuse": False} and {"remove_dropout": False} leave one out. PyTorch has "mkldnn_layout_optimize" too: here the layouts of
    tensors are chosen when the graph is built, so it does nothing.
    """
    config = {"conv_bn_fuse": True, "remove_dropout": True, "mkldnn_layout_optimize": {"heuristic": use_mkl_length}, **(pass_config or {})}
    layouts = config["mkldnn_layout_optimize"]
    if layouts is not False and not isinstance(layouts, dict):
        raise RuntimeError("mkldnn_layout_optimize config is not a dict")
    if layouts is not False and "heuristic" not in layouts:
        raise RuntimeError("Heuristic not found in mkldnn_layout_optimize config")
    if config["conv_bn_fuse"]:
        model = fuse(model)
    if config["remove_dropout"]:
        model = remove_dropout(model)
    if layouts is False:
        return model
    using = tracer()
    graph = using.trace(copy.deepcopy(model))
    return GraphModule(using.root, graph)


def _no_mkldnn(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name}: tensors have no MKLDNN layout here; layouts are chosen when a graph is built: gm.graph.build(). Leave the call out"
    )


def modules_to_mkldnn(nodes: list[Node], modules: dict[str, Module]) -> NoReturn:
    """Not there: raises."""
    _no_mkldnn("modules_to_mkldnn")


def gen_mkl_autotuner(example_inputs: Any, iters: int = 10, warmup: int = 1) -> NoReturn:
    """Not there: raises."""
    _no_mkldnn("gen_mkl_autotuner")


def reset_modules(nodes: Iterable[Node], modules: dict[str, Module], old_modules: dict[Module, Module]) -> None:
    """Puts back the modules that were there, by those that are there now."""
    for node in nodes:
        if node.op == "call_module" and modules[node.target] in old_modules:
            replace_node_module(node, modules, old_modules[modules[node.target]])


class MklSubgraph:
    """Some nodes of a graph, with those before and behind them."""

    def __init__(self, fx_graph: Graph):
        self.fx_graph = fx_graph
        self.nodes: list[Node] = []
        self.start_nodes: list[Node] = []
        self.end_nodes: list[Node] = []


def use_mkl_length(graph: MklSubgraph) -> bool:
    """Whether there are more than two nodes."""
    return len(graph.nodes) > 2


class UnionFind:
    """Sets of the numbers below n that are joined; find gives the number that stands for a set."""

    def __init__(self, n: int):
        self.parent: list[int | None] = [None] * n
        self.size: list[int] = [0] * n

    def make_set(self, v: int) -> None:
        self.parent[v], self.size[v] = v, 1

    def find(self, v: int) -> int:
        way = []
        while self.parent[v] != v:
            way.append(v)
            above = self.parent[v]
            if above is None:
                raise AssertionError("Parent is None")
            v = above
        for passed in way:
            self.parent[passed] = v
        return v

    def join(self, a: int, b: int) -> int | None:
        a, b = self.find(a), self.find(b)
        if a == b:
            return a
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        return None
