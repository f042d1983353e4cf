"""What torch._dynamo.utils.counters counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

counters: defaultdict[str, Counter[str]] = defaultdict(Counter)  # of graphs, and of why they end


def count_graph(graph: Any) -> None:
    """Of a graph that torch.compile has made: its calls, and the frame that it was made of."""
    counters["stats"]["calls_captured"] += sum(n.op == "call_function" for n in graph.nodes)
    counters["stats"]["unique_graphs"] += 1
    counters["frames"]["total"] += 1
    counters["frames"]["ok"] += 1


def count_break(kind: str, detail: str, whole: bool) -> None:
    """Of the end of a graph in the middle of a function, or of a call that runs as Python runs it (`whole`): by the words that explain() has, without the place."""
    from .breaks import text

    counters["graph_break"][text(kind, detail, "", whole)] += 1
