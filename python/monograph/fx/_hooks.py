"""Hooks of GraphModule, which are called for each node that is made, erased, or replaced by another in the arguments of its users.

A graph without hooks pays nothing for them: the first hook of a module puts methods that call hooks into the fields of its graph, and the first hook of
all puts such methods into Node.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from .. import _C
from .graph import Graph
from .node import Node

Hook = Callable[..., object]
KINDS = frozenset({"_create_node_hooks", "_erase_node_hooks", "_replace_hooks", "_deepcopy_hooks"})  # fields of a module that has hooks


def _of(graph: Graph, kind: str) -> list[Hook]:
    owner = graph.owning_module
    hooks: list[Hook] = vars(owner).get(kind, []) if owner is not None else []
    return hooks


def watch(graph: Graph) -> None:
    """From now on the hooks of the module that owns the graph are called."""
    fields = graph.__dict__
    if "create_node" in fields:
        return

    def create_node(*args: Any, **kwargs: Any) -> Node:
        made = Graph.create_node(graph, *args, **kwargs)
        for hook in _of(graph, "_create_node_hooks"):
            hook(made)
        return made

    def placeholder(name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        return create_node("placeholder", name, () if default_value is ... else (default_value,), None, None, type_expr)

    def erase_node(to_erase: Node) -> None:
        if not to_erase.users and not to_erase._erased and to_erase.graph is graph:
            for hook in _of(graph, "_erase_node_hooks"):
                hook(to_erase)
        Graph.erase_node(graph, to_erase)

    def graph_copy(g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        return told_of_changes(graph, lambda: Graph.graph_copy(graph, g, val_map, return_output_node))

    fields.update(create_node=create_node, placeholder=placeholder, erase_node=erase_node, graph_copy=graph_copy)


def told_of_changes(graph: Graph, change: Callable[[], Any]) -> Any:
    """Runs a change that is made in C++, and tells hooks afterwards which nodes it made and erased, and whose arguments it replaced."""
    fields = graph.__dict__
    if "create_node" not in fields:
        return change()
    before = {node: tuple(node.users) for node in graph.nodes}
    methods = {name: fields.pop(name) for name in ("create_node", "placeholder", "erase_node", "graph_copy")}
    try:
        result = change()
    finally:
        fields.update(methods)
    after = set(graph.nodes)
    made, gone = [n for n in graph.nodes if n not in before], [n for n in before if n not in after]
    for node in made:
        for hook in _of(graph, "_create_node_hooks"):
            hook(node)
    for node in gone:
        news = {user: next((n for n in user.all_input_nodes if n not in before), None) for user in before[node] if user in after}
        for user, new in news.items():
            if new is not None:
                for hook in _of(graph, "_replace_hooks"):
                    hook(old=node, new=new.name, user=user)
        for hook in _of(graph, "_erase_node_hooks"):
            hook(node)
    return result


def _watch_replacements() -> None:
    """Node's methods that replace nodes call hooks from now on."""
    if "replace_input_with" in vars(Node):
        return
    replace_all, replace_input = Node.replace_all_uses_with, Node.replace_input_with
    name: Any = _C.NodeBase.name

    def replace_input_with(self: Node, old_input: Node, new_input: Node) -> None:
        for hook in _of(self.graph, "_replace_hooks"):
            hook(old=old_input, new=new_input.name, user=self)
        replace_input(self, old_input, new_input)

    def replace_all_uses_with(
        self: Node, replace_with: Node, delete_user_cb: Callable[[Node], bool] | None = None, *, propagate_meta: bool = False
    ) -> list[Node]:
        hooks = _of(self.graph, "_replace_hooks")
        if not hooks:
            return replace_all(self, replace_with, delete_user_cb, propagate_meta=propagate_meta)
        return replace_all(self, replace_with, delete_user_cb or (lambda user: True), propagate_meta=propagate_meta)  # each by replace_input_with

    def rename(self: Node, new: str) -> None:
        for user in self.users:
            for hook in _of(self.graph, "_replace_hooks"):
                hook(old=self, new=new, user=user)
        name.__set__(self, new)

    Node.replace_input_with = replace_input_with  # type: ignore[method-assign, assignment]
    Node.replace_all_uses_with = replace_all_uses_with  # type: ignore[method-assign]
    Node.name = property(name.__get__, rename)  # type: ignore[assignment]


class NodeHooks:
    """The part of GraphModule that keeps hooks."""

    _graph: Graph

    def _hooks(self, kind: str) -> list[Hook]:
        """Those of a kind. A module has the list from its first hook on."""
        hooks: list[Hook] = self.__dict__.setdefault(kind, [])
        return hooks

    def _add_hook(self, kind: str, f: Hook) -> None:
        if not callable(f):
            raise AssertionError(f"a hook must be callable, but got {type(f).__name__}")
        self._hooks(kind).append(f)
        watch(self._graph)
        _watch_replacements()

    def _remove_hook(self, kind: str, f: Hook) -> None:
        if f not in self._hooks(kind):
            raise ValueError(f"{f!r} is no hook of this module; {kind} holds {self._hooks(kind)!r}")
        self._hooks(kind).remove(f)

    def _register_create_node_hook(self, f: Callable[[Node], object]) -> None:
        """From now on f(node) is called for each node that is made in the graph."""
        self._add_hook("_create_node_hooks", f)

    def _unregister_create_node_hook(self, f: Callable[[Node], object]) -> None:
        self._remove_hook("_create_node_hooks", f)

    def _register_erase_node_hook(self, f: Callable[[Node], object]) -> None:
        """From now on f(node) is called before a node of the graph is erased."""
        self._add_hook("_erase_node_hooks", f)

    def _unregister_erase_node_hook(self, f: Callable[[Node], object]) -> None:
        self._remove_hook("_erase_node_hooks", f)

    def _register_replace_node_hook(self, f: Callable[[Node, str, Node], object]) -> None:
        """From now on f(old=node, new=name, user=node) is called before a user of a node gets another one, or the same under a new name."""
        self._add_hook("_replace_hooks", f)

    def _unregister_replace_node_hook(self, f: Callable[[Node, str, Node], object]) -> None:
        self._remove_hook("_replace_hooks", f)

    def _register_deepcopy_hook(self, f: Callable[[Any], object]) -> None:
        """From now on f(copy) is called for each deep copy of the module."""
        self._add_hook("_deepcopy_hooks", f)

    def _unregister_deepcopy_hook(self, f: Callable[[Any], object]) -> None:
        self._remove_hook("_deepcopy_hooks", f)

    @contextlib.contextmanager
    def _set_replace_hook(self, f: Callable[[Node, str, Node], object]) -> Iterator[None]:
        """_register_replace_node_hook for the time of a `with` block."""
        self._register_replace_node_hook(f)
        try:
            yield
        finally:
            self._unregister_replace_node_hook(f)


