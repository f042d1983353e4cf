"""node.meta["nn_module_stack"]: the modules whose code ran when a node was traced, the outermost first.

A symbolic trace notes where it enters modules. The dict of a node is made only when the node's meta is first read (graph_members.cpp), since a trace of a
large network takes longer otherwise, and few programs ask.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from .. import _C

if TYPE_CHECKING:
    from ..nn import Module
    from .graph import Graph
    from .node import Node

Entry = tuple[str, tuple[str, type]]  # the key, which tells calls of one module apart, and the module's path and class


class ModuleCalls:
    """Which modules the nodes of a graph were traced in."""

    def __init__(self) -> None:
        self.entered: dict[str, tuple[Entry, ...]] = {}  # by the scope of nodes, which is the key of the module that was entered last
        self.counts: dict[str, int] = {}  # how often a module was called
        self.order: dict[str, None] = {}  # the modules in the order of their first calls
        # What waits for settle(): calls of leaf modules, as proxies while the trace runs and as nodes afterwards, and the paths of other modules that were called
        # between them.
        self.leaves: list[Any] = []
        self.paths: dict[Module, str] = {}  # those of the modules of the trace, for these, until it ends
        self.by_node: dict[Node, Entry] = {}  # the calls of leaf modules
        self._kinds: dict[str, type] = {}  # the classes of the modules by path, once a leaf is asked for

    def entry(self, path: str, kind: type) -> Entry:
        """That of a call of a module that begins now."""
        count = self.counts.get(path, 0)
        self.counts[path] = count + 1
        if not count:
            self.leaves.append(path)
        return (f"{path}@{count}" if count else path), (path, kind)

    def end(self) -> None:
        """Lets go of the tracer and its modules, which a graph does not keep."""
        self._kinds = self._kinds or {path: type(module) for module, path in self.paths.items()}
        self.paths, self.leaves = {}, [called if isinstance(called, str) else called.node for called in self.leaves]

    def settle(self) -> None:
        """Gives the leaf calls that were noted their entries, in their order."""
        waiting, self.leaves = self.leaves, []
        kinds = self._kinds = self._kinds or {path: type(module) for module, path in self.paths.items()}
        for called in waiting:
            node = getattr(called, "node", called)
            path = called if isinstance(called, str) else node.target
            self.order.setdefault(path)
            if path is not called:
                self.by_node[node] = self.entry(path, kinds[path])
        self.leaves = []  # entry() has noted the leaves again

    def __call__(self, node: Node) -> OrderedDict[str, tuple[str, type]] | None:
        """The stack of a node; None where it has none."""
        outer = self.entered.get(_C._view_scope(node), ())
        if node.op == "call_module":
            if self.leaves:
                self.settle()
            own = self.by_node.get(node)
            outer = outer if own is None else (*outer, own)
        return OrderedDict(outer) if outer else None

    def copied_to(self, graph: Graph, copies: dict[Node, Any]) -> None:
        """Tells a graph what its nodes, which are copies of others, were traced in."""
        known = graph.__dict__.get("_module_calls")
        if known is not None:  # nodes of two traces
            for old, made in copies.items():
                if known is not self and (stack := self(old)) is not None and "nn_module_stack" not in made.meta:
                    made.meta["nn_module_stack"] = stack
            return
        if self.leaves:
            self.settle()
        made = ModuleCalls()
        made.entered = self.entered
        made.by_node = {copies[node]: entry for node, entry in self.by_node.items() if node in copies}
        graph.__dict__["_module_calls"] = made
