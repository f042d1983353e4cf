"""Trains a small network in PyTorch 2.13 and writes tests/data/demo/digits.pt: a program with a data-dependent `while` in it, for the demo.

    .venv-oracle/bin/python tools/oracle/freeze_torchscript_demo.py

The network reads a handwritten digit, drawn by strokes, of 12 x 12 points. It looks again, at the sharpened picture, until it is sure or has looked six times.
"""

from __future__ import annotations

import pathlib
import sys

import freeze_torchscript
import pinned
import torch
from freeze_torchscript import run_by_links
from torch import Tensor, nn

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "demo" / "digits.pt"
# The strokes of the digits as segments between points of a 3 x 5 grid: (x, y) to (x, y).
SEGMENTS = ["abcedf", "bc", "abged", "abgcd", "fgbc", "afgcd", "afgedc", "abc", "abcdefg", "abcdfg"]
LINES = {"a": (0, 0, 2, 0), "b": (2, 0, 2, 2), "c": (2, 2, 2, 4), "d": (0, 4, 2, 4), "e": (0, 2, 0, 4), "f": (0, 0, 0, 2), "g": (0, 2, 2, 2)}


def picture(digit: int, noise: float, generator: torch.Generator) -> Tensor:
    y, x = torch.meshgrid(torch.arange(12.0), torch.arange(12.0), indexing="ij")
    image = torch.zeros(12, 12)
    shift = torch.rand(2, generator=generator) * 2 - 1
    for name in SEGMENTS[digit]:
        x0, y0, x1, y1 = (v * 2 + (4 if k % 2 == 0 else 2) for k, v in enumerate(LINES[name]))
        for t in torch.linspace(0, 1, 12):
            px, py = x0 + (x1 - x0) * t + shift[0], y0 + (y1 - y0) * t + shift[1]
            image = torch.maximum(image, torch.exp(-((x - px) ** 2 + (y - py) ** 2)))
    return image + noise * torch.randn(12, 12, generator=generator)


class Look(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.pool = nn.MaxPool2d(2)
        self.out = nn.Linear(8 * 6 * 6, 10)

    def forward(self, x: Tensor) -> Tensor:
        return self.out(torch.flatten(self.pool(torch.relu(self.norm(self.conv(x)))), 1))


class Reader(nn.Module):
    """Looks at each picture until it is sure."""

    def __init__(self) -> None:
        super().__init__()
        self.look = Look()
        self.sure = 0.9
        self.most = 6

    def forward(self, x: Tensor):
        logits = self.look(x)
        looks = 1
        while looks < self.most and bool(torch.softmax(logits, 1).amax(1).min() < self.sure):
            x = torch.sigmoid((x - 0.5) * 6.0)
            logits = logits + self.look(x)
            looks += 1
        return logits, looks


def main() -> int:
    if len(sys.argv) == 1:  # the archive names the files and lines of its code
        return run_by_links(__file__, freeze_torchscript.__file__, pinned.__file__)
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(1)
    torch.set_num_threads(1)
    net = Reader()
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    for _ in range(150):
        digits = torch.randint(0, 10, (32,), generator=generator)
        x = torch.stack([picture(int(d), 0.15, generator) for d in digits]).unsqueeze(1)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net.look(x), digits)
        loss.backward()
        optimizer.step()
    net.eval()
    scripted = torch.jit.script(net)
    tests = torch.randint(0, 10, (100,), generator=generator)
    x = torch.stack([picture(int(d), 0.3, generator) for d in tests]).unsqueeze(1)
    right = (scripted(x)[0].argmax(1) == tests).float().mean()
    cases = [(x[k : k + 1].clone(), *scripted(x[k : k + 1])) for k in range(8)]
    print(f"loss {loss.item():.3f}, {right.item():.0%} right; looks: {[c[2] for c in cases]}")
    OUT.parent.mkdir(parents=True, exist_ok=True)
    scripted.save(str(OUT))
    torch.save({"inputs": [c[0] for c in cases], "logits": [c[1].detach() for c in cases], "looks": [c[2] for c in cases], "digits": tests[:8]}, OUT.with_name("digits_expected.pt"))
    print(f"{OUT.name}: {OUT.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
