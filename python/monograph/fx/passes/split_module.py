"""torch.fx.passes.split_module: cuts a graph into modules that call each other's results.

    split = split_module(gm, model, lambda node: 0 if node.name in first else 1)
    split.submod_0, split.submod_1
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ... import _C
from ...nn import Module
from .._attributes import fetch
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, map_arg
from ._nodes import copied, effects_in, inner_nodes, inputs_of, is_projection, part_of, stands_for

__all__ = ["Partition", "split_module", "split_module_simple"]


class Partition:
    """A part of the graph while it is cut."""

    def __init__(self, name: str):
        self.name = name
        self.submod_name = f"submod_{name}"
        self.node_names: list[str] = []
        self.inputs: dict[str, None] = {}
        self.outputs: dict[str, None] = {}
        self.dependencies: dict[str, None] = {}  # the parts that it reads
        self.dependents: dict[str, None] = {}
        self.graph: Graph = Graph()
        self.environment: dict[Node, Node] = {}
        self.targets: dict[str, Any] = {}

    def __repr__(self) -> str:
        return (
            f"name: {self.name},\n nodes: {self.node_names},\n inputs: {self.inputs},\n outputs: {self.outputs},\n"
            f" partitions depended on: {self.dependencies},\n partition dependents: {self.dependents}"
        )


def _get_attr_from_qualname(mod: Module, qualname: str) -> Any:
    try:
        return fetch(mod, qualname)
    except RuntimeError:
        raise AttributeError(f"Node target {qualname} not found!") from None


def split_module(
    m: GraphModule,
    root_m: Module | None,
    split_callback: Callable[[Node], int],
    qualname_map: dict[str, str] | None = None,
    keep_original_order: bool | None = False,
    keep_original_node_name: bool | None = False,
    keep_original_input_name: bool = True,
    *,
    partition_affix: str | None = None,
    tuple_return: bool = False,
) -> GraphModule:
    """A GraphModule with a submodule for each number that split_callback gives to nodes: submod_0, submod_1 and so on.

    root_m: not used. qualname_map: is filled with the old path of each module by its new one. keep_original_order: the parts are called in the order
    in which their first nodes stand, else as their needs tell. keep_original_node_name: nodes keep their names. keep_original_input_name: inputs of
    a part have the names of what they take, else arg_0, arg_1. partition_affix: the parts are named submod_AFFIX_0. tuple_return: a part with one
    result returns a tuple too. An If or Loop stays whole.
    """
    return _Split(m, split_callback, partition_affix).made(
        qualname_map, bool(keep_original_order), bool(keep_original_node_name), keep_original_input_name, tuple_return
    )


def split_module_simple(m: GraphModule, node_to_partition: dict[Node, int], *, partition_affix: str | None = None) -> GraphModule:
    """split_module by a dict. The parts are called in the order in which their first nodes stand."""
    return split_module(m, None, lambda node: node_to_partition[node], keep_original_order=True, partition_affix=partition_affix)


class _Split:
    """The parts of a graph, and what they pass to each other."""

    def __init__(self, m: GraphModule, callback: Callable[[Node], int], affix: str | None):
        self.m = m
        self.nodes = {node.name: node for node in m.graph.nodes}
        self.part_of: dict[Node, str] = {}
        self.parts: dict[str, Partition] = {}
        for node in m.graph.nodes:
            if node.op not in ("placeholder", "get_attr", "output"):
                if is_projection(node):
                    name = self.part_of[node.args[0]]
                else:
                    name = str(callback(node)) if affix is None else f"{affix}_{callback(node)}"
                self.part_of[node] = name
                self.parts.setdefault(name, Partition(name)).node_names.append(node.name)
        for node in m.graph.nodes:
            for used in inputs_of(node):
                self._passes(used, None if node.op == "output" else node)
        for node, later in effects_in(m.graph).items():
            for n in later:
                self._note_order(self.part_of.get(node), self.part_of.get(n))

    def _note_order(self, made: str | None, used: str | None) -> None:
        """Notes that the second part runs behind the first."""
        if made is not None and used is not None and made != used:
            self.parts[made].dependents.setdefault(used)
            self.parts[used].dependencies.setdefault(made)

    def _passes(self, value: Node, user: Node | None) -> None:
        """Notes that `user` (None: the result of the whole) reads `value`."""
        if user is not None and user not in self.part_of:
            return
        made, used = self.part_of.get(value), self.part_of[user] if user is not None else None
        if made == used:
            return
        if made is not None:
            self.parts[made].outputs.setdefault(value.name)
        if used is not None:
            self.parts[used].inputs.setdefault(value.name)
        self._note_order(made, used)

    def _in_order(self) -> list[Partition]:
        """The parts, each behind those that it reads."""
        waiting = {name: len(part.dependencies) for name, part in self.parts.items()}
        ready = [name for name, count in waiting.items() if count == 0]
        found: list[Partition] = []
        while ready:
            found.append(self.parts[ready.pop()])
            for name in found[-1].dependents:
                waiting[name] -= 1
                if waiting[name] == 0:
                    ready.append(name)
        if len(found) != len(self.parts):
            circle = ", ".join(self.parts[name].submod_name for name, count in waiting.items() if count)
            raise RuntimeError(f"cycle exists between partitions!\n{circle} need each other; give the nodes between them one number")
        return found

    # The parts ------------------------------------------------------------------------------------------------------------------------
    def _fill_inputs(self, part: Partition, keep_names: bool) -> None:
        """Placeholders first, then the modules that nodes read as values."""
        values = [name for name in part.inputs if not self._is_module(self.nodes[name])]
        for count, name in enumerate(values):
            old = self.nodes[name]
            made = part.graph.placeholder(name if keep_names else f"arg_{count}", type_expr=old.type)
            part.environment[old] = stands_for(made, old)
        for name in part.inputs:
            old = self.nodes[name]
            if self._is_module(old):
                part.environment[old] = stands_for(part.graph.get_attr(old.target), old)
                part.targets[old.target] = _get_attr_from_qualname(self.m, old.target)
        part.inputs = dict.fromkeys(values)

    def _is_module(self, node: Node) -> bool:
        return node.op == "get_attr" and isinstance(_get_attr_from_qualname(self.m, node.target), Module)

    def _copy(self, node: Node, part: Partition, keep_name: bool, qualname_map: dict[str, str] | None) -> None:
        if _C._has_structure(node):
            part.environment[node] = copied(part.graph, node, part.environment)
            for inner in inner_nodes(node):
                if inner.op in ("call_module", "get_attr"):
                    part.targets[inner.target] = _get_attr_from_qualname(self.m, inner.target)
            return
        target = node.target
        if node.op == "call_module":
            target = self._install(part, node)
            if qualname_map is not None:
                qualname_map[f"{part.submod_name}.{target}"] = node.target
        args, kwargs = (map_arg(a, lambda n: part.environment[n]) for a in (node.args, node.kwargs))
        made = part.graph.create_node(node.op, target, args, kwargs, node.name if keep_name else None, node.type)
        part.environment[node] = stands_for(made, node)

    def _install(self, part: Partition, node: Node) -> str:
        """Where the module that the node calls is in the part: its path with underscores."""
        module = _get_attr_from_qualname(self.m, node.target)
        target = name = node.target.replace(".", "_")
        number = 0
        while part.targets.setdefault(target, module) is not module:  # of "a.b" and "a_b"
            number += 1
            target = f"{name}_{number}"
        return str(target)

    # The whole ------------------------------------------------------------------------------------------------------------------------
    def made(self, qualname_map: dict[str, str] | None, keep_order: bool, keep_names: bool, keep_inputs: bool, as_tuple: bool) -> GraphModule:
        ordered = self._in_order()
        for part in ordered:
            self._fill_inputs(part, keep_inputs)
        for node, name in self.part_of.items():
            self._copy(node, self.parts[name], keep_names, qualname_map)
        graph, env = Graph(), {}
        targets: dict[str, Any] = {}

        def bring(node: Node) -> None:
            if node.name in env or node.op not in ("placeholder", "get_attr"):
                return
            if node.op == "placeholder":
                default = node.args[0] if node.args else inspect.Signature.empty
                made = _placeholder(graph, node.name if keep_names else node.target, node.type, default)
            else:
                made = graph.get_attr(node.target)
                targets[node.target] = _get_attr_from_qualname(self.m, node.target)
            env[node.name] = stands_for(made, node)

        for node in self.nodes.values():
            if not keep_order or node.op == "placeholder":
                bring(node)
        for part in self.parts.values() if keep_order else ordered:
            for name in part.inputs:
                bring(self.nodes[name])
            self._call(part, graph, env, as_tuple)
            targets[part.submod_name] = GraphModule(part.targets, part.graph)
        output = self.m.graph.output_node()
        for node in output.all_input_nodes:
            bring(node)
        _C._copy_place(graph.output(map_arg(output.args[0], lambda n: env[n.name]), output.type), output)  # without its meta, as in torch.fx
        result = GraphModule(targets, graph)
        result.meta["partition_names"] = {part.submod_name for part in self.parts.values()}
        return result

    def _call(self, part: Partition, graph: Graph, env: dict[str, Node], as_tuple: bool) -> None:
        results = tuple(part.environment[self.nodes[name]] for name in part.outputs)
        one = len(results) == 1 and not as_tuple
        part.graph.output(results[0] if one else results)
        missing = [name for name in part.inputs if name not in env]
        if missing:
            raise RuntimeError(
                f"keep_original_order: {part.submod_name} stands before the part that gives it {', '.join(missing)}; number the parts so that each reads only those before it"
            )
        call = graph.call_module(part.submod_name, tuple(env[name] for name in part.inputs))
        _C._copy_place(call, self.nodes[part.node_names[0]])
        for i, name in enumerate(part.outputs):
            env[name] = call if one else part_of(call, i)
            _C._copy_place(env[name], self.nodes[name])


def _placeholder(graph: Graph, target: str, type_expr: Any, default: Any) -> Node:
    return graph.placeholder(target, type_expr) if default is inspect.Signature.empty else graph.placeholder(target, type_expr, default)
