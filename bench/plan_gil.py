"""How long calls of a GraphModule hold the GIL, by the processor's time of the thread that calls: `.venv/bin/python bench/plan_gil.py`.

A share s of the time lets two threads on two free cores reach about 2 / (1 + s) times the calls of one thread. Unlike the rows fx_two_threads, this needs no
free core.
"""

from __future__ import annotations

import statistics
from typing import Any

CALLS = 200


def shares() -> list[tuple[str, int, int, float, float]]:
    """For each module: its name, its lines, those that run in Python, milliseconds, and the share of them in which the GIL is held."""
    import monograph as torch
    import transforms

    torch.set_num_threads(1)
    found = []
    for name, make in (("small operators", transforms.many), ("layers", transforms.net)):
        module, x = make(torch)
        with torch.no_grad():
            for _ in range(6):
                module(x)
            plan: Any = type(module).__dict__["_calls"].plan
            runs = [plan._measured(module, (x,)) for _ in range(CALLS)]
        lines = sum(node.op not in ("placeholder", "output") for node in module.graph.nodes)
        found.append((name, lines, len(runs[-1][0]), 1e3 * statistics.median(r[1] for r in runs), statistics.median(r[2] / r[1] for r in runs)))
    return found


if __name__ == "__main__":
    for name, lines, python, milliseconds, share in shares():
        print(f"{name}: {lines} lines, {python} in Python, {milliseconds:.2f} ms, the GIL is held {100 * share:.1f} % of it; two threads: {2 / (1 + share):.2f} times one")
