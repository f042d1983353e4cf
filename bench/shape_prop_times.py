"""What ShapeProp costs where it computes values: its time less that of the model's call, beside torch.fx.

python bench/shape_prop_times.py                                      # a line for each model: our time
MONOGRAPH_ORACLE=python python bench/shape_prop_times.py --at-most 0.2   # and PyTorch's, by turns; exit 1 where the ratio is larger

The overhead of a round is the time of one `ShapeProp(gm).propagate(x)`, less that of one `model(x)` beside it. A ratio is our median overhead divided by
PyTorch's. An overhead below zero is possible: ShapeProp runs the graph without the GraphModule's Python."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from transforms import MODELS

ROUNDS = 15
INPUTS = {"resnet50": (1, 3, 32, 32), "transformer": (2, 16, 64), "chain": (2, 3)}


def measurer(torch: Any) -> Callable[[str], tuple[float, float]]:
    """Gives the milliseconds of one call of a model, and of one ShapeProp over it."""
    torch.set_num_threads(1)
    fx = importlib.import_module(torch.__name__ + ".fx")
    ShapeProp = importlib.import_module(torch.__name__ + ".fx.passes.shape_prop").ShapeProp
    made: dict[str, Any] = {}

    def timed(call: Callable[[Any], Any], x: Any) -> float:
        start = time.process_time()
        call(x)
        return (time.process_time() - start) * 1e3

    def measure(name: str) -> tuple[float, float]:
        first = name not in made
        if first:
            model = MODELS[name][0](torch).eval()
            made[name] = model, ShapeProp(fx.symbolic_trace(model))
        model, prop = made[name]
        with torch.no_grad():
            for _ in range(3 if first else 1):
                x = torch.rand(*INPUTS[name])
                times = timed(model, x), timed(prop.propagate, x)
            return times

    return measure


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-most", type=float, default=float("inf"), help="exit 1 if a ratio is larger")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side == "PyTorch":
        import torch

        theirs = measurer(torch)
        for line in sys.stdin:
            print(json.dumps(theirs(json.loads(line))), flush=True)
        return 0
    import monograph

    ours = measurer(monograph)
    peer = None
    if python := os.environ.get("MONOGRAPH_ORACLE"):
        peer = subprocess.Popen(
            [python, "-W", "ignore", __file__, "--side", "PyTorch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def other(name: str) -> tuple[float, float]:
        assert peer is not None and peer.stdin is not None and peer.stdout is not None
        print(json.dumps(name), file=peer.stdin, flush=True)
        called, propagated = json.loads(peer.stdout.readline())
        return called, propagated

    def overhead(times: list[tuple[float, float]]) -> float:
        return statistics.median(propagated - called for called, propagated in times)

    worst = 0.0
    for name, (_, about) in MODELS.items():
        pairs = [(ours(name), other(name) if peer else (float("nan"), float("nan"))) for _ in range(ROUNDS)]
        mine, its = [a for a, _ in pairs], [b for _, b in pairs]
        line = f"{about:<32} call {min(a for a, _ in mine):7.1f} ms, ShapeProp {overhead(mine):+7.2f} ms"
        if peer:
            ratio = overhead(mine) / overhead(its)
            worst = max(worst, ratio)
            line += f"   PyTorch: call {min(a for a, _ in its):7.1f} ms, ShapeProp {overhead(its):+7.2f} ms   ratio {ratio:.3f}"
        print(line, flush=True)
    if peer is not None and peer.stdin is not None:
        peer.stdin.close()
        peer.wait()
    return int(worst > options.at_most)


if __name__ == "__main__":
    sys.exit(main())
