"""How long a trace of a network takes, beside torch.jit.trace of PyTorch. Both trace with check_trace=False, which includes one run of the network.

python bench/trace_times.py                                      # a line for each network: our time
MONOGRAPH_ORACLE=python python bench/trace_times.py --at-most 0.5   # and PyTorch's, by turns; exit 1 where the ratio is larger

A ratio is the median of those of the rounds: one of ours, then one of PyTorch's, in a process of its own."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from transforms import resnet50, transformer

ROUNDS = 9


# Each with its example.
NETWORKS: dict[str, Callable[[Any], Any]] = {
    "ResNet-50 at 32 x 32": lambda torch: (resnet50(torch), torch.randn(1, 3, 32, 32)),
    "a transformer of 12 layers": lambda torch: (transformer(torch), torch.randn(1, 16, 64)),
    "nn.TransformerEncoder of 12 layers": lambda torch: (
        torch.nn.TransformerEncoder(torch.nn.TransformerEncoderLayer(128, 4, 512, batch_first=True), 12, enable_nested_tensor=False),
        torch.randn(1, 16, 128),
    ),
}


def tracer(torch: Any) -> Callable[[str], float]:
    """Gives the milliseconds of one trace of a network."""
    torch.set_num_threads(1)
    made: dict[str, Any] = {}

    def trace(name: str) -> float:
        if name not in made:
            model, example = NETWORKS[name](torch)
            made[name] = model.eval(), example
            trace(name)
        model, example = made[name]
        with torch.no_grad():
            start = time.perf_counter()
            torch.jit.trace(model, (example,), check_trace=False)
            return (time.perf_counter() - start) * 1e3

    return trace


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-most", type=float, default=float("inf"), help="exit 1 if a ratio is larger")
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side == "PyTorch":
        import torch

        theirs = tracer(torch)
        for line in sys.stdin:
            print(json.dumps(theirs(json.loads(line))), flush=True)
        return 0
    import monograph

    ours = tracer(monograph)
    peer = None
    if python := os.environ.get("MONOGRAPH_ORACLE"):
        peer = subprocess.Popen(
            [python, "-W", "ignore", __file__, "--side", "PyTorch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def other(name: str) -> float:
        assert peer is not None and peer.stdin is not None and peer.stdout is not None
        print(json.dumps(name), file=peer.stdin, flush=True)
        return float(json.loads(peer.stdout.readline()))

    worst = 0.0
    for name in NETWORKS:
        times = [(ours(name), other(name) if peer else float("nan")) for _ in range(ROUNDS)]
        ratio = statistics.median(a / b for a, b in times)
        worst = max(worst, ratio) if peer else worst
        print(
            f"{name:<36} {min(a for a, _ in times):8.1f} ms"
            + (f"   PyTorch {min(b for _, b in times):8.1f} ms   ratio {ratio:.3f}" if peer else "")
        )
    if peer is not None and peer.stdin is not None:
        peer.stdin.close()
        peer.wait()
    return int(worst > options.at_most)


if __name__ == "__main__":
    sys.exit(main())
