"""torch._dynamo.explain."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Any

from .. import _C
from ..fx.graph_module import GraphModule
from .breaks import text


@dataclass
class GraphCompileReason:
    """Why a graph ends where it does."""

    reason: str
    user_stack: traceback.StackSummary
    graph_break: bool = True


def _module(graph: Any) -> GraphModule:
    known = dict(graph._attributes_of_capture or {})
    return GraphModule({n.target: known.get(n.target) for n in graph.nodes if n.op == "get_attr"}, graph)  # None: the tensor was freed


def _is_operation(node: Any) -> bool:
    """Whether it computes: not where the program has read a size, asked which way a branch goes, or made a text."""
    return node.op == "call_function" and not str(node.value_type).startswith(("SymInt", "int", "float", "bool", "str"))


def _reason(entry: dict[str, Any]) -> GraphCompileReason:
    place, _, line = entry["where"].partition(" ")[0].rpartition(":")
    frames = [(place, int(line), "", "")] if line.isdigit() else []
    return GraphCompileReason(text(entry["kind"], entry["detail"], entry["where"], not entry["runs"]), traceback.StackSummary.from_list(frames))



class ExplainOutput:
    """What a call of a compiled function gave: graphs, what broke their capture, and what is guarded."""

    def __init__(self, entries: list[dict[str, Any]], events: list[tuple[str, str]]):
        graphs = [e["graph"] for e in entries if e["graph"] is not None]
        self.graphs = [_module(g) for g in graphs]
        self.graph_count = len(self.graphs)
        self.break_reasons = [_reason(e) for e in entries if e["kind"]]
        self.graph_break_count = len(self.break_reasons)
        self.ops_per_graph = [[n.target for n in g.nodes if _is_operation(n)] for g in graphs]
        self.op_count = sum(map(len, self.ops_per_graph))
        self.out_guards = [line for e in entries for line in e["guards"]]
        # Why each capture but the first one was made: the guard that failed.
        self.recompile_reasons = [why for what, why in events if what == "capture" and why]
        self.is_full = any(what == "full" for what, _ in events)
        self.compile_times = None

    def __str__(self) -> str:
        lines = [
            f"Graph Count: {self.graph_count}",
            f"Graph Break Count: {self.graph_break_count}",
            f"Op Count: {self.op_count}",
            "Break Reasons:",
        ]
        lines += [f"  Break Reason {k + 1}:\n    " + reason.reason.replace("\n", "\n    ") for k, reason in enumerate(self.break_reasons)]
        lines += ["Recompilations:", *(f"  {reason}" for reason in self.recompile_reasons)]
        lines += ["Guards:", *(f"  {guard}" for guard in self.out_guards)]
        return "\n".join(lines + (["The cache is full: other calls run as Python runs them."] if self.is_full else []))

    __repr__ = __str__


def explained(f: Any, args: Any, kwargs: Any) -> ExplainOutput:
    """Of a function that was compiled: all its captures, this call's among them. Of another one: of this call."""
    from .._compile import compile as compiled, compiled_of

    made = compiled_of(f) or compiled_of(compiled(f, backend="interpreter"))
    made(*args, **kwargs)
    return ExplainOutput(_C._compiled_entries(made), list(made._events))
