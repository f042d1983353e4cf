"""torch.fx.traceback: what the nodes that are made now get in their meta.

    with preserve_node_meta(), annotate({"stage": 1}):
        gm = fx.symbolic_trace(f)      # node.meta["custom"] is {"stage": 1}

The state is of a thread.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import threading
import traceback
from collections.abc import Callable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .graph import Graph
    from .node import Node

__all__ = [
    "NodeSource", "NodeSourceAction", "annotate", "annotate_fn", "format_stack", "get_current_meta", "get_current_replay_node",
    "get_graph_provenance_json", "has_preserved_node_meta", "preserve_node_meta", "reset_grad_fn_seq_nr", "set_current_meta",
    "set_current_replay_node", "set_grad_fn_seq_nr", "set_stack_trace",
]  # fmt: skip

# What a new node takes of the current meta.
COPIED = {
    "nn_module_stack", "torch_fn", "source_fn_stack", "original_aten", "recompute", "ac_graph_id", "has_backward_hook", "from_node",
    "quantization_tag", "custom", "partitioner_tag", "stack_trace", "seq_nr", "grad_fn_seq_nr", "in_grad_fn",
}  # fmt: skip


class _NodeMetaState(threading.local):
    def __init__(self) -> None:
        self.preserves = False
        self.records = False  # whether a tracer with record_stack_traces traces
        self.notes = False  # either of them: a new node gets something
        self.meta: dict[str, Any] = {}
        self.replayed: Node | None = None


_state = _NodeMetaState()


class NodeSourceAction(Enum):
    """What a pass did to a node of another graph."""

    CREATE = "create"
    REPLACE = "replace"


class NodeSource:
    """The node that another was made from, by a pass; from_node has where that came from in its turn."""

    class NodeInfo:
        """What tells which node it was, after it is gone."""

        def __init__(self, name: str, target: str, graph_id: int):
            self.name, self.target, self.graph_id = name, target, graph_id

    def __init__(self, node: Node | None, pass_name: str = "", action: NodeSourceAction | list[NodeSourceAction] | None = None):
        self.pass_name = pass_name
        self.action = [] if action is None else list(action) if isinstance(action, list) else [action]
        self.node_info = NodeSource.NodeInfo(node.name, str(node.target), id(node.graph)) if node is not None else None
        self.from_node: list[NodeSource] = copy.deepcopy(node.meta.get("from_node", [])) if node is not None else []

    @property
    def name(self) -> str:
        return self.node_info.name if self.node_info else ""

    @property
    def target(self) -> str:
        return self.node_info.target if self.node_info else ""

    @property
    def graph_id(self) -> int:
        return self.node_info.graph_id if self.node_info else -1

    def _get_action_string(self) -> str:
        return "+".join(a.name.lower() for a in self.action)

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name, "target": self.target, "graph_id": self.graph_id, "pass_name": self.pass_name, "action": self._get_action_string(),
            "from_node": [source.to_dict() for source in self.from_node],
        }  # fmt: skip

    @classmethod
    def _from_dict(cls, d: dict[str, Any] | None) -> NodeSource | None:
        """What to_dict() gave, as a NodeSource again."""
        if d is None:
            return None
        made = cls(None, d.get("pass_name", ""), [NodeSourceAction[name.upper()] for name in d.get("action", "").split("+") if name])
        if d.get("name") or d.get("target"):
            made.node_info = cls.NodeInfo(d.get("name", ""), d.get("target", ""), d.get("graph_id", -1))
        made.from_node = [source for inner in d.get("from_node", []) if (source := cls._from_dict(inner)) is not None]
        return made

    def print_readable(self, indent: int = 0) -> str:
        text = " " * indent + f"(name={self.name}, pass_name={self.pass_name}, action={self._get_action_string()}, graph_id={self.graph_id})\n"
        return text + "".join(source.print_readable(indent + 4) for source in self.from_node)

    __repr__ = print_readable

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NodeSource) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(repr(self.to_dict()))


@contextlib.contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """Inside, new nodes get the current meta."""
    saved = _state.preserves, _state.meta
    _state.preserves, _state.meta = enable, dict(_state.meta)
    _state.notes = enable or _state.records
    try:
        yield
    finally:
        _state.preserves, _state.meta = saved
        _state.notes = _state.preserves or _state.records


@contextlib.contextmanager
def recording_stacks(enable: bool) -> Iterator[None]:
    """Inside, new nodes get the stack of the program in meta["stack_trace"]."""
    saved, _state.records = _state.records, enable
    _state.notes = _state.preserves or enable
    try:
        yield
    finally:
        _state.records = saved
        _state.notes = _state.preserves or saved


def give_meta(node: Node, is_program: Callable[[str], bool]) -> None:
    """Gives a new node what preserve_node_meta() and record_stack_traces ask for. is_program: whether a file is one of the program's."""
    if _state.preserves:
        node.meta.pop("nn_module_stack", None)  # that of the current meta counts
        node.meta.update({k: copy.copy(v) for k, v in _state.meta.items() if k in COPIED})
        if _state.replayed is not None:
            node.meta["is_functional_regenerated"] = True
            node.meta.update({k: _state.replayed.meta[k] for k in ("custom", "stack_trace", "seq_nr") if k in _state.replayed.meta})
    if _state.records and "stack_trace" not in node.meta and (stack := _forward_stack(is_program)):
        node.meta["stack_trace"] = stack


def _forward_stack(is_program: Callable[[str], bool]) -> str:
    """The program's calls, from the outermost method `forward` on; "" outside of one."""
    frames = [f for f in traceback.extract_stack() if is_program(f.filename)]
    first = next((k for k, f in enumerate(frames) if f.name == "forward"), len(frames))
    return "".join(traceback.format_list(frames[first:])).strip()


def has_preserved_node_meta() -> bool:
    """Whether new nodes get the current meta."""
    return _state.preserves


def get_current_meta() -> dict[str, Any]:
    """What new nodes get inside of preserve_node_meta()."""
    return _state.meta


@contextlib.contextmanager
def set_current_meta(node: Node, pass_name: str = "") -> Iterator[None]:
    """Inside, new nodes get the meta of this node, and a note of it in meta["from_node"]."""
    if not (_state.preserves and node.meta):
        yield
        return
    saved = _state.meta
    _state.meta = {**node.meta, "from_node": [NodeSource(node, pass_name, NodeSourceAction.CREATE)]}
    try:
        yield
    finally:
        _state.meta = saved


@contextlib.contextmanager
def annotate(annotation_dict: dict[str, Any]) -> Iterator[None]:
    """Inside, the current meta has these entries in "custom"."""
    before = _state.meta.get("custom")
    _state.meta["custom"] = {**(before or {}), **annotation_dict}
    try:
        yield
    finally:
        if before is None:
            _state.meta.pop("custom", None)
        else:
            _state.meta["custom"] = before


def annotate_fn(annotation_dict: dict[str, Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the function runs inside of annotate."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with annotate(annotation_dict):
                return function(*args, **kwargs)

        return call

    return decorate


def set_stack_trace(stack: list[str]) -> None:
    """The stack trace that new nodes get."""
    if not _state.preserves:
        return
    if stack:
        _state.meta["stack_trace"] = "".join(stack)
    else:
        _state.meta.pop("stack_trace", None)


def format_stack() -> list[str]:
    """The stack trace that new nodes get; without one, where Python is now."""
    if _state.preserves:
        return [_state.meta.get("stack_trace", "")]
    return traceback.format_list(traceback.extract_stack()[:-1])


def set_grad_fn_seq_nr(seq_nr: int) -> None:
    """Begins the part of a backward pass that belongs to the operator of this number."""
    if _state.preserves:
        _state.meta["grad_fn_seq_nr"] = [*_state.meta.get("grad_fn_seq_nr", []), seq_nr]
        _state.meta["in_grad_fn"] = _state.meta.get("in_grad_fn", 0) + 1


def reset_grad_fn_seq_nr() -> None:
    """Ends it."""
    if not _state.preserves:
        return
    level = _state.meta.get("in_grad_fn", 0)
    if level <= 0:
        raise AssertionError(f"Expected current_level > 0, got {level}")
    if level == 1:
        del _state.meta["in_grad_fn"], _state.meta["grad_fn_seq_nr"]
    else:
        _state.meta["in_grad_fn"] = level - 1
        _state.meta["grad_fn_seq_nr"] = _state.meta["grad_fn_seq_nr"][:-1]


@contextlib.contextmanager
def set_current_replay_node(node: Node | None) -> Iterator[None]:
    """Inside, get_current_replay_node() gives this node."""
    saved, _state.replayed = _state.replayed, node
    try:
        yield
    finally:
        _state.replayed = saved


def get_current_replay_node() -> Node | None:
    return _state.replayed


def get_graph_provenance_json(graph: Graph) -> dict[str, Any]:
    """meta["from_node"] of the calls of functions, as dicts by the names of the nodes."""
    return {n.name: [source.to_dict() for source in n.meta.get("from_node", [])] for n in graph.nodes if n.op == "call_function"}
