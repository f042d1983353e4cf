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

ROUNDS = 9


def resnet50(torch: Any) -> Any:
    """ResNet-50 for small images."""
    nn = torch.nn

    class Bottleneck(nn.Module):
        def __init__(self, inside: int, width: int, stride: int):
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(inside, width, 1, bias=False), nn.BatchNorm2d(width)
            self.conv2, self.bn2 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
            self.conv3, self.bn3 = nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width)
            self.relu = nn.ReLU(inplace=True)
            self.downsample = None
            if stride != 1 or inside != 4 * width:
                self.downsample = nn.Sequential(nn.Conv2d(inside, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width))

        def forward(self, x: Any) -> Any:
            identity = x if self.downsample is None else self.downsample(x)
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.relu(self.bn2(self.conv2(out)))
            return self.relu(self.bn3(self.conv3(out)) + identity)

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.bn1, self.relu = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True)
            self.maxpool = nn.MaxPool2d(3, 2, 1)
            self.layers, inside = nn.ModuleList(), 64
            for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
                for k in range(count):
                    self.layers.append(Bottleneck(inside, width, stride if k == 0 else 1))
                    inside = 4 * width
            self.avgpool, self.fc = nn.AdaptiveAvgPool2d((1, 1)), nn.Linear(2048, 1000)

        def forward(self, x: Any) -> Any:
            x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
            for layer in self.layers:
                x = layer(x)
            return self.fc(torch.flatten(self.avgpool(x), 1))

    return Net().eval(), torch.randn(1, 3, 32, 32)


def transformer(torch: Any) -> Any:
    """Twelve layers of attention and a feed-forward network, written with linear layers and functions."""
    nn, functional = torch.nn, torch.nn.functional

    class Layer(nn.Module):
        def __init__(self, width: int, heads: int):
            super().__init__()
            self.heads = heads
            self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

        def forward(self, x: Any) -> Any:
            batch, length, width = x.shape
            q, k, v = (f(x).view(batch, length, self.heads, width // self.heads).transpose(1, 2) for f in (self.query, self.key, self.value))
            scores = torch.softmax(q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5, dim=-1)
            x = self.norm1(x + self.out((scores @ v).transpose(1, 2).reshape(batch, length, width)))
            return self.norm2(x + self.down(functional.gelu(self.up(x))))

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(1000, 128)
            self.layers = nn.ModuleList(Layer(128, 4) for _ in range(12))

        def forward(self, words: Any) -> Any:
            x = self.embedding(words)
            for layer in self.layers:
                x = layer(x)
            return x

    return Net().eval(), torch.randint(0, 1000, (1, 16))


def encoder(torch: Any) -> Any:
    """nn.TransformerEncoder of twelve layers."""
    layer = torch.nn.TransformerEncoderLayer(128, 4, 512, batch_first=True)
    return torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).eval(), torch.randn(1, 16, 128)


NETWORKS: dict[str, Callable[[Any], Any]] = {
    "ResNet-50 at 32 x 32": resnet50,
    "a transformer of 12 layers": transformer,
    "nn.TransformerEncoder of 12 layers": encoder,
}


def tracer(torch: Any) -> Callable[[str], float]:
    """Gives the milliseconds of one trace of a network."""
    torch.set_num_threads(1)
    made: dict[str, Any] = {}

    def trace(name: str) -> float:
        if name not in made:
            made[name] = NETWORKS[name](torch)
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
            [python, "-W", "ignore", __file__, "--side", "PyTorch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
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
        print(f"{name:<36} {min(a for a, _ in times):8.1f} ms" + (f"   PyTorch {min(b for _, b in times):8.1f} ms   ratio {ratio:.3f}" if peer else ""))
    if peer is not None and peer.stdin is not None:
        peer.stdin.close()
        peer.wait()
    return int(worst > options.at_most)


if __name__ == "__main__":
    sys.exit(main())
