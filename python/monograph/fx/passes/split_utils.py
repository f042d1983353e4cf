"""torch.fx.passes.split_utils: cuts a graph by the tags of its nodes.

    for node in gm.graph.nodes:
        node.tag = "left" if ... else "right"
    split = split_by_tags(gm, ["left", "right"])
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ... import _C
from ...nn import ModuleList
from .._attributes import fetch
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, map_arg
from ._nodes import CALLABLE_NODE_OPS, copied, effects_in, inputs_of, is_projection, part_of, stands_for, users_in
from .tools_common import NodeList, is_node_output_tensor
from .utils import HolderModule, lift_subgraph_as_module

if TYPE_CHECKING:
    from .splitter_base import Subgraph

__all__ = ["getattr_recursive", "setattr_recursive", "Component", "split_by_tags", "move_non_tensor_nodes_on_boundary"]


def getattr_recursive(obj: object, name: str) -> Any:
    """What stands at a path; None where nothing does."""
    for part in name.split("."):
        if isinstance(obj, ModuleList):
            obj = obj._modules.get(part)
        else:
            obj = getattr(obj, part, None)
        if obj is None:
            return None
    return obj


def setattr_recursive(obj: object, attr: str, value: object) -> None:
    """Puts a value at a path."""
    *prefix, name = attr.split(".")
    for part in prefix:
        obj = getattr(obj, part)
    setattr(obj, name, value)


@dataclass
class Component:
    """The part of one tag."""

    graph: Graph
    order: int
    name: str
    input_placeholders: list[Node] = field(default_factory=list)  # its placeholders ...
    orig_inputs: list[Node] = field(default_factory=list)  # ... and what they take of the whole graph
    orig_outputs: list[Node] = field(default_factory=list)
    getattr_maps: dict[Node, Node] = field(default_factory=dict)
    constructor_args: list[str] = field(default_factory=list)
    gm: GraphModule | None = None


class _Tagged:
    """The parts while they are filled."""

    def __init__(self, gm: GraphModule, tags: list[str]):
        self.gm = gm
        self.components = [Component(Graph(), i, tag) for i, tag in enumerate(tags)]
        self.by_tag = {c.name: c for c in self.components}
        self.of: dict[Node, Component] = {}
        self.copies: dict[Node, Node] = {}
        self.used_outside: dict[Node, None] = {}

    def add(self, node: Node) -> None:
        if not hasattr(node, "tag"):
            raise AssertionError(f"Node does not have tag: {node.format_node()}")
        part = self.of[node] = self.of[node.args[0]] if is_projection(node) else self.by_tag[node.tag]
        inputs = inputs_of(node)
        highest = max((self.of[x].order for x in inputs if x.op not in ("placeholder", "get_attr")), default=0)
        if part.order < highest:
            raise AssertionError(
                f"Component {part.name} order must be >= max of its upstream components, order={part.order} and max={highest}"
            )
        made = self.copies[node] = copied(part.graph, node, {x: self._input(part, x) for x in inputs})
        made.tag = node.tag

    def check_effects(self) -> None:
        """Raises where the order of the tags would run a read before a write that it stands behind, or the other way round."""
        for node, later in effects_in(self.gm.graph).items():
            for n in later:
                if node in self.of and n in self.of and self.of[n].order < self.of[node].order:
                    raise AssertionError(
                        f"Component {self.of[n].name} runs before {self.of[node].name}, but {n.name} must stay behind {node.name}: they read and write the same memory, "
                        f"or both draw random numbers. Give them one tag, or order the tags so that {self.of[node].name} comes first"
                    )

    def _input(self, part: Component, x: Node) -> Node:
        """What stands for a value of the whole graph in a part."""
        if x.op == "get_attr":
            if x not in part.getattr_maps:
                part.getattr_maps[x] = stands_for(part.graph.get_attr(x.target, type_expr=x.type), x)
            return part.getattr_maps[x]
        if x.op != "placeholder" and self.of[x] is part:
            return self.copies[x]
        if x not in part.orig_inputs:
            part.orig_inputs.append(x)
            part.input_placeholders.append(stands_for(part.graph.placeholder(x.name, type_expr=x.type), x))
            self.used_outside[x] = None
        return part.input_placeholders[part.orig_inputs.index(x)]


def split_by_tags(
    gm: GraphModule,
    tags: list[str],
    return_fqn_mapping: bool = False,
    return_tuple: bool = False,
    GraphModuleCls: type[GraphModule] = GraphModule,
) -> GraphModule | tuple[GraphModule, dict[str, str]]:
    """A GraphModule with a submodule for each tag, in the order of `tags`. node.tag says where a node goes; placeholders and get_attr need none.

    return_fqn_mapping: gives too where the modules and tensors are now, by where they were. return_tuple: a part with one result returns a tuple too.
    """
    parts = _Tagged(gm, tags)
    main, env = Graph(), {}
    for node in gm.graph.nodes:
        if node.op == "placeholder":
            env[node] = stands_for(main.placeholder(node.name, type_expr=node.type), node)
        elif node.op not in ("get_attr", "output"):
            parts.add(node)
    parts.check_effects()
    output = gm.graph.output_node()
    read_by_output: dict[str, Any] = {}
    for x in output.all_input_nodes:
        if x.op == "get_attr":  # which no part needs
            env[x] = stands_for(main.get_attr(x.name, type_expr=x.type), x)
            read_by_output[x.name] = fetch(gm, x.target)
        else:
            parts.used_outside[x] = None
    for x in parts.used_outside:
        if x.op != "placeholder":
            parts.of[x].orig_outputs.append(x)
    moved: dict[str, str] = {}
    for part in parts.components:
        moved.update(_call(gm, part, parts, main, env, return_tuple))
    stands_for(main.output(map_arg(output.args[0], env.__getitem__), output.type), output)
    root = HolderModule({part.name: part.gm for part in parts.components if part.gm is not None})
    main._codegen = gm.graph._codegen
    for name, value in read_by_output.items():
        setattr(root, name, value)
    result = GraphModuleCls(root, main)
    return (result, moved) if return_fqn_mapping else result


def _call(gm: GraphModule, part: Component, parts: _Tagged, main: Graph, env: dict[Node, Node], return_tuple: bool) -> dict[str, str]:
    """Makes the module of a part, and its call in the main graph."""
    results = tuple(parts.copies[x] for x in part.orig_outputs)
    one = len(results) == 1 and not return_tuple
    part.graph.output(results[0] if one else results)
    part.gm, moved = lift_subgraph_as_module(gm, subgraph=part.graph, comp_name=part.name)
    call = main.call_module(part.name, args=tuple(env[x] for x in part.orig_inputs))
    for i, x in enumerate(part.orig_outputs):
        env[x] = call if one else part_of(call, i)
        _C._copy_place(env[x], x)
    return moved


class _Mover:
    """Moves nodes that give no tensor to the one later part that reads them."""

    def __init__(self, subgraphs: list[Subgraph]):
        self.subgraphs = subgraphs
        self.at = {node: i for i, subgraph in enumerate(subgraphs) for node in subgraph.nodes}
        first = next(iter(self.at), None)
        self.users = users_in(first.graph) if first is not None else {}

    def readers(self, node: Node) -> NodeList:
        return [u for u in self.users[node] if u.op in CALLABLE_NODE_OPS and u in self.at]

    def elsewhere(self, node: Node, here: int) -> set[int]:
        return {self.at[u] for u in self.readers(node)} - {here}

    def together(self, node: Node, here: int, there: int) -> NodeList | None:
        """The nodes that must move with it; None where one of its readers is in a third part."""
        found: dict[Node, None] = {}
        left = [node]
        while left:
            n = left.pop()
            if n in found or self.at[n] == there:
                continue
            if self.at[n] != here:
                return None
            found[n] = None
            left.extend(self.readers(n))
        return list(found)

    def move_from(self, here: int) -> None:
        queue = [n for n in self.subgraphs[here].nodes if not is_node_output_tensor(n) and self.elsewhere(n, here)]
        done: set[Node] = set()
        while queue:
            node = queue.pop(0)
            if node in done or self.at[node] != here:
                continue
            done.add(node)
            places = self.elsewhere(node, here)
            if len(places) != 1:
                print(f"Cannot move non-tensor node {node.name} on boundary because it has children in multiple subgraphs")
                continue
            there = places.pop()
            moving = self.together(node, here, there)
            if moving is None:
                continue
            for n in moving:
                self._move(n, node, here, there)
            queue.extend(
                p for p in inputs_of(node) if p.op in CALLABLE_NODE_OPS and p not in done and self.at.get(p) == here and not is_node_output_tensor(p)
            )

    def _move(self, n: Node, because: Node, here: int, there: int) -> None:
        self.subgraphs[here].nodes.remove(n)
        self.subgraphs[there].nodes.append(n)
        self.at[n] = there
        kinds = ["acc" if self.subgraphs[i].is_acc else "gpu" for i in (here, there)]
        print(
            f"In order move the non-tensor node {because.name} on boundary, moved node {n.name} from {kinds[0]}_{here} to {kinds[1]}_{there}"
        )


def move_non_tensor_nodes_on_boundary(subgraphs: list[Subgraph]) -> None:
    """Moves nodes that give no tensor out of accelerator parts into the one other part that reads them, with what else reads them."""
    mover = _Mover(subgraphs)
    for i, subgraph in enumerate(subgraphs):
        if subgraph.is_acc:
            mover.move_from(i)
