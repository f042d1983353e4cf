"""Calls of a graph keep nothing: from the 10,000th call on, with random sizes, the process grows by at most 1 MB."""

from __future__ import annotations

import subprocess
import sys

import pytest

MOST = 1024  # KiB
CAPTURES = ["trace", "symbolic", "cond", "build", "module", "script", "compile", "file"]
PROGRAM = """
import gc, os, random, sys, tempfile
import monograph as torch


def program(x):
    y = torch.cat([x * 2, x], 0)
    z = torch.nn.functional.max_pool2d(y.view(1, 1, y.shape[0], -1), 2).flatten(1)
    return z.softmax(1).sum() + y.shape[0] // 2 + y.view(-1, 2).max(0).values.sum()


SOURCE = '''
def f(x):
    y = torch.cat([x * 2, x], 0)
    while float(y.sum()) > 1e3:
        y = y / 2
    rows = []
    for row in y:
        rows.append(row.softmax(0))
    return torch.stack(rows).sum() + y.size(0) // 2
'''


def arms(x):
    return torch.cond(x.sum() > 0, lambda a: a * 2, lambda a: a - a.shape[0], (x,))


def loaded(graph):
    with tempfile.TemporaryDirectory() as folder:
        graph.save(os.path.join(folder, "f.mgraph"))
        return torch.load_graph(os.path.join(folder, "f.mgraph"))


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
    "module": lambda: torch.fx.symbolic_trace(program),
    "script": lambda: torch.jit.CompilationUnit(SOURCE).f,
    "compile": lambda: torch.compile(program),
    "file": lambda: loaded(torch.jit.trace(program, x).graph),
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


@pytest.mark.parametrize("which", CAPTURES)
def test_calls_with_random_sizes_keep_nothing(which):
    assert grown(which, 10_000, 30_000) <= MOST


@pytest.mark.slow
@pytest.mark.parametrize("which", CAPTURES)
def test_a_million_calls_keep_nothing(which):
    assert grown(which, 10_000, 1_000_000) <= MOST
