"""Calls of compiled functions: what the check of their guards takes, and how long a capture takes, beside PyTorch's torch.compile.

python bench/compiled_calls.py               # a line for each row: our time
MONOGRAPH_ORACLE=python python bench/compiled_calls.py   # and PyTorch's, in a process of its own, with the ratio

Each time is the smallest of several rounds. The backend of the calls returns what it was given at once, so nothing but the check and the call is measured."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

ROUNDS = 15


def nothing(gm: Any, example_inputs: Any) -> Callable[..., Any]:
    """A backend whose graphs return at once."""
    results: list[Any] = []

    def run(*inputs: Any) -> Any:
        if not results:
            results.append(tuple(gm.forward(*inputs)))
        return results[0]

    return run


def smallest(call: Callable[[], Any], count: int) -> float:
    """Microseconds of one call."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, time.perf_counter() - start)
    return best / count * 1e6


def resnet(torch: Any) -> Any:
    """ResNet-18 for small images."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, inside: int, outside: int, stride: int):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside)
            self.conv2, self.bn2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False), nn.BatchNorm2d(outside)
            self.relu = nn.ReLU(inplace=True)
            self.downsample = None
            if stride != 1 or inside != outside:
                self.downsample = nn.Sequential(nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside))

        def forward(self, x: Any) -> Any:
            identity = x if self.downsample is None else self.downsample(x)
            out = self.relu(self.bn1(self.conv1(x)))
            return self.relu(self.bn2(self.conv2(out)) + identity)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.bn1, self.relu = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)
            self.maxpool = nn.MaxPool2d(3, 2, 1)
            widths = [64, 64, 128, 256, 512]
            self.layers = nn.ModuleList(
                nn.Sequential(Block(widths[k], widths[k + 1], 1 if k == 0 else 2), Block(widths[k + 1], widths[k + 1], 1)) for k in range(4)
            )
            self.avgpool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(512, 1000)

        def forward(self, x: Any) -> Any:
            x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
            for layer in self.layers:
                x = layer(x)
            return self.fc(torch.flatten(self.avgpool(x), 1))

    return Net().eval()


def rows(torch: Any) -> dict[str, float]:
    torch.set_num_threads(1)
    found = {}
    x, y = torch.randn(4), torch.randn(4)
    add = torch.compile(lambda x, y: x + y, backend=nothing)
    add(x, y)
    found["a call with two tensors"] = smallest(lambda: add(x, y), 20_000)
    model = resnet(torch)
    image = torch.randn(1, 3, 32, 32)
    with torch.no_grad():
        compiled = torch.compile(model, backend=nothing)
        compiled(image)
        found["a call of a model with 122 parameters and buffers"] = smallest(lambda: compiled(image), 2_000)
        eager = smallest(lambda: model(image), 3)
        times = []
        for _ in range(3):
            torch._dynamo.reset()
            again = torch.compile(model, backend="eager")
            start = time.perf_counter()
            again(image)
            times.append((time.perf_counter() - start) * 1e6)
        found["capture of ResNet-18 at 32 x 32, without the run"] = min(times[1:]) - eager
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side == "PyTorch":
        import torch

        print(json.dumps(rows(torch)))
        return 0
    import monograph

    ours = rows(monograph)
    theirs: dict[str, float] = {}
    if peer := os.environ.get("MONOGRAPH_ORACLE"):
        answer = subprocess.run([peer, __file__, "--side", "PyTorch"], capture_output=True, text=True, check=True)
        theirs = json.loads(answer.stdout.splitlines()[-1])
    for name, time_of in ours.items():
        peer_time = theirs.get(name)
        print(f"{name:<52} {time_of:10.2f} us" + (f"   PyTorch {peer_time:10.2f} us   ratio {time_of / peer_time:.3f}" if peer_time else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
