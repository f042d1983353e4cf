"""GraphTransformObserver: what a pass made and erased, and which node each new node stands for, in meta["from_node"]."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node
from ..traceback import NodeSource, NodeSourceAction
from .graph_drawer import FxGraphDrawer

T = TypeVar("T")


class GraphTransformObserver:
    """Watches a GraphModule in a `with` block, in which a pass runs.

    passname: its name, which meta["from_node"] of new nodes says. log_url: a folder; the graph before and after a pass that changed it is drawn there, as
    `pass_NUMBER_NAME_input_graph.dot` and `pass_NUMBER_NAME_output_graph.dot`. subsystem is accepted, and changes nothing.

        >>> with GraphTransformObserver(gm, "sin_to_cos") as seen:
        ...     replace_pattern(gm, torch.sin, torch.cos)
        >>> seen.created_nodes, seen.erased_nodes
        ({'cos'}, {'sin'})
    """

    _passes = 0

    def __init__(self, gm: GraphModule, passname: str, subsystem: str | None = None, log_url: str | None = None):
        self.gm, self.passname, self.subsystem, self.log_url = gm, passname, subsystem, log_url
        self.created_nodes: set[str] = set()
        self.erased_nodes: set[str] = set()
        self.name_to_node: dict[str, Node] = {}
        self.copied_gms: list[GraphModule] = []
        # Functions, and no methods: a deep copy of the module copies its hooks.
        self._hooks: dict[str, Callable[..., None]] = {
            "create_node": self.get_node_creation_hook(), "erase_node": self.get_node_erase_hook(), "replace_node": self.get_node_replace_hook(),
            "deepcopy": self.get_deepcopy_hook(),
        }  # fmt: skip
        self._before = ""
        if log_url is not None:
            GraphTransformObserver._passes += 1
            self._before = self._drawn()

    @classmethod
    def get_current_pass_count(cls) -> int:
        """How many observers with a log_url there were."""
        return GraphTransformObserver._passes

    def apply_gm_pass(self, pass_fn: Callable[[GraphModule], T]) -> T:
        """pass_fn(gm), watched."""
        with self:
            return pass_fn(self.gm)

    def apply_graph_pass(self, pass_fn: Callable[[Graph], T]) -> T:
        """pass_fn(gm.graph), watched."""
        with self:
            return pass_fn(self.gm.graph)

    def __enter__(self) -> GraphTransformObserver:
        for kind, hook in self._hooks.items():
            getattr(self.gm, f"_register_{kind}_hook")(hook)
        self.created_nodes.clear()
        self.erased_nodes.clear()
        self.copied_gms.clear()
        self.name_to_node = {node.name: node for node in self.gm.graph.nodes}
        return self

    def __exit__(self, *exc: Any) -> None:
        for gm in (*self.copied_gms, self.gm):
            for kind, hook in self._hooks.items():
                getattr(gm, f"_unregister_{kind}_hook")(hook)
        if self.log_url is not None and (self.created_nodes or self.erased_nodes):
            for side, text in (("input", self._before), ("output", self._drawn())):
                name = f"pass_{GraphTransformObserver._passes}_{self.passname}_{side}_graph.dot"
                with open(os.path.join(self.log_url, name), "w", encoding="utf-8") as file:
                    file.write(text)

    def _drawn(self) -> str:
        dot = FxGraphDrawer(self.gm, self.passname, ignore_getattr=True, ignore_parameters_and_buffers=True).get_dot_graph()
        return dot.to_string()

    def get_node_creation_hook(self) -> Callable[[Node], None]:
        def on_node_creation(node: Node) -> None:
            self.created_nodes.add(node.name)
            self.name_to_node[node.name] = node
            node.meta["from_node"] = [*node.meta.get("from_node", []), NodeSource(None, self.passname, NodeSourceAction.CREATE)]

        return on_node_creation

    def get_node_erase_hook(self) -> Callable[[Node], None]:
        def on_node_erase(node: Node) -> None:
            self.erased_nodes.add(node.name)
            self.name_to_node.pop(node.name, None)

        return on_node_erase

    def get_node_replace_hook(self) -> Callable[[Node, str, Node], None]:
        def on_node_replace(old: Node, new: str, user: Node) -> None:
            made = self.name_to_node.get(new)
            known = made.meta.get("from_node", []) if made is not None else []
            if made is None or any(source.name == old.name for source in known):  # told for each user
                return
            created = made.name in self.created_nodes
            action = [NodeSourceAction.REPLACE, NodeSourceAction.CREATE] if created else [NodeSourceAction.REPLACE]
            kept = [s for s in known if not (s.pass_name == self.passname and s.action == [NodeSourceAction.CREATE])]  # it says the same, and less
            made.meta["from_node"] = [*kept, NodeSource(old, self.passname, action)]

        return on_node_replace

    def get_deepcopy_hook(self) -> Callable[[GraphModule], None]:
        def on_deepcopy(gm: GraphModule) -> None:
            self.copied_gms.append(gm)

        return on_deepcopy


__all__ = ["GraphTransformObserver"]
