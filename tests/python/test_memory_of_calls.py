"""Calls of a graph keep nothing: from the 10,000th call on, with random sizes, the process grows by at most 1 MB."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import gc, random, sys
import monograph as torch


def program(x):
    y = torch.cat([x * 2, x], 0)
    z = torch.nn.functional.max_pool2d(y.view(1, 1, y.shape[0], -1), 2).flatten(1)
    return z.softmax(1).sum() + y.shape[0] // 2 + y.view(-1, 2).max(0).values.sum()


def arms(x):
    return torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a - a.shape[0], (x,))


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4


first, last, which = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
x = torch.ones(4, 6)
g = {
    "trace": lambda: torch.jit.trace(program, x),
    "symbolic": lambda: torch.fx.symbolic_trace(program).graph,
    "cond": lambda: torch.capture(arms, x),
    "build": lambda: torch.jit.trace(program, x).graph.build(),
}[which]()
random.seed(0)
for i in range(last):
    if i == first:
        before = resident()
    g(torch.ones(random.randrange(1, 40) * 2, random.randrange(1, 40) * 2))
print(resident() - before)
"""


def grown(which: str, first: int, last: int) -> int:
    """By how many KiB the process grows from the first to the last call."""
    run = subprocess.run([sys.executable, "-c", PROGRAM, str(first), str(last), which], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return int(run.stdout)


@pytest.mark.parametrize("which", ["trace", "symbolic", "cond", "build"])
def test_calls_with_random_sizes_keep_nothing(which):
    assert grown(which, 10_000, 30_000) <= 1024


@pytest.mark.slow
@pytest.mark.parametrize("which", ["trace", "cond"])
def test_a_million_calls_keep_nothing(which):
    assert grown(which, 10_000, 1_000_000) <= 1024
