"""What torch._dynamo.utils.counters counts."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

counters: defaultdict[str, Counter[str]] = defaultdict(Counter)  # of graphs; explain() says what broke a capture


def count_graph(graph: Any) -> None:
    """Of a graph that torch.compile has made: its calls, and the frame that it was made of."""
    counters["stats"]["calls_captured"] += sum(n.op == "call_function" for n in graph.nodes)
    counters["stats"]["unique_graphs"] += 1
    counters["frames"]["total"] += 1
    counters["frames"]["ok"] += 1
