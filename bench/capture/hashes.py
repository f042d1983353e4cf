"""Whether a program's trace, symbolic trace and script have one hash, for each program of programs.py that all three keep: no guard in the trace, no error.

python bench/capture/hashes.py            # the counts
python bench/capture/hashes.py --which    # and each program whose hashes differ, with the first line in which the canonical texts do

hash_differences.py says which programs may differ, and why."""

from __future__ import annotations

import argparse
import copy
import sys
import warnings
from typing import Any

import monograph as torch
from programs import KINDS, PROGRAMS

REFUSALS = (RuntimeError, TypeError, ValueError, NotImplementedError, AttributeError, IndexError, KeyError, OSError, AssertionError)


def graphs(name: str) -> dict[str, Any]:
    """The graph of each capture that keeps the program."""
    ways = {
        "trace": lambda f, example: torch.jit.trace(f, example, strict=False, check_trace=False),
        "symbolic": lambda f, example: torch.fx.symbolic_trace(f),
        "script": lambda f, example: torch.jit.script(f),
    }
    found = {}
    for way, capture in ways.items():
        torch.manual_seed(0)
        f, inputs, *_ = PROGRAMS[name](torch)
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            try:
                graph = capture(f, copy.deepcopy(inputs[0]))
                graph = graph.inlined_graph if hasattr(graph, "inlined_graph") else graph.graph
                graph.hash()
            except REFUSALS:
                continue
        if way != "trace" or not graph.guards:
            found[way] = graph
    return found


def agreement(found: dict[str, Any]) -> str:
    """Which captures have one hash: "script | symbolic trace" if two have."""
    groups: dict[str, list[str]] = {}
    for way, graph in found.items():
        groups.setdefault(graph.hash(), []).append(way)
    return " | ".join(sorted(" ".join(sorted(ways)) for ways in groups.values()))


def difference(a: Any, b: Any) -> str:
    ours, theirs = (str(g.canonical()).splitlines() for g in (a, b))
    first = next((k for k, (x, y) in enumerate(zip(ours, theirs, strict=False)) if x != y), min(len(ours), len(theirs)))
    return f"{(ours[first : first + 1] or ['(end)'])[0].strip()}  |  {(theirs[first : first + 1] or ['(end)'])[0].strip()}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--which", action="store_true", help="name those whose hashes differ")
    options = parser.parse_args()
    kept = {name: graphs(name) for name in PROGRAMS}
    for pair in (("trace", "symbolic"), ("trace", "script"), ("symbolic", "script")):
        both = {name: tuple(found[way] for way in pair) for name, found in kept.items() if set(pair) <= set(found)}
        differ = [name for name, (a, b) in both.items() if a.hash() != b.hash()]
        print(f"{pair[0]} and {pair[1]}: {len(both) - len(differ)} of {len(both)} have one hash")
        for name in differ if options.which else ():
            print(f"  {name} ({KINDS[name]}): {difference(*both[name])}")
    every = [found for found in kept.values() if len(found) == 3]
    alike = sum(len({g.hash() for g in found.values()}) == 1 for found in every)
    print(f"all three: {alike} of {len(every)} have one hash; hash_differences.py says why each of the other {len(every) - alike} is another program in each")
    return 0


if __name__ == "__main__":
    sys.exit(main())
