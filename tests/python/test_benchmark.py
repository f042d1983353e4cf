"""torch.utils.benchmark: measurements and tables read as PyTorch's do."""

from __future__ import annotations

import beside
import monograph as torch
import pytest
from monograph.utils import benchmark

PROGRAM = """
import torch.utils.benchmark as b
def task(stmt="f(x)", setup="pass", **more):
    return b.TaskSpec(stmt, setup, **more)
def shown(m):
    return repr(m).split("\\n", 1)[1]
tasks = [task(), task(setup="y"), task(setup="y\\nz"), task("x\\ny"), task("x\\ny", "z", sub_label="s"), task("x\\ny", "z\\nw", description="d"), task(label="L", sub_label="s", description="d", num_threads=2, env="E")]
times = [[1.0], [1.0, 1.2], [1.0, 1.0001, 1.0002, 1.0001, 0.9999], [1.0, 1.1, 1.2, 1.05, 1.02], [1.0, 5.0, 2.0, 9.0], [3e-6], [2e-9]]
result = [[shown(b.Measurement(n, raw, t)) for raw in times for n in (1, 1000)] for t in tasks]
result += [[m.median, round(m.mean, 12), m.iqr, m.significant_figures, m.has_warnings, m.meets_confidence(), m.as_row_name, m.title, m.times] for raw in times[:5] for m in [b.Measurement(2, raw, tasks[-1])]]
result += [[b.select_unit(t) for t in (1e-5, 2.0, 5e-10, 1e-3)], b.unit_to_english("us")]
def measured(seconds, spread=0.0, **more):
    return b.Measurement(10, [10 * seconds * (1 + spread * k) for k in range(5)], task(**{"description": "d", **more}))
def table(*measurements, trim=False, warn=False, color=None):
    c = b.Compare(list(measurements))
    if trim:
        c.trim_significant_figures()
    if warn:
        c.highlight_warnings()
    if color is not None:
        c.colorize(color)
    return str(c)
grid = [measured(t * f, 0.01 * k, label="Batched", sub_label=s, description=d, num_threads=n) for n in (4, 1) for k, (s, t) in enumerate((("[1, 2]", 1e-6), ("[10, 20]", 2.5e-4))) for d, f in (("mul", 1), ("add", 3.3))]
uneven = [measured(1e-3, 0.4, sub_label="a"), measured(2e-3, sub_label="b"), measured(5e-3, sub_label="b", description="e"), measured(1.0, sub_label="a", label="M")]
places = [measured(t, env=e, sub_label=s) for t, e, s in ((1e-3, "A", "z"), (2e-3, "BB", "z"), (3e-3, "A", "y"), (4e-3, "BB", "y"))]
result += [table(*some, **how) for some in (grid, uneven, places) for how in ({}, {"trim": True}, {"warn": True}, {"trim": True, "warn": True}, {"color": False}, {"color": True})]
result += [[(m.stmt, m.number_per_run, m.raw_times) for m in b.Measurement.merge([measured(1.0), measured(2.0), measured(3.0, stmt="g")])]]
"""


def test_runs_here():
    beside.run(PROGRAM.replace("import torch.utils.benchmark", "import monograph.utils.benchmark"))


@pytest.mark.oracle
def test_like_pytorch(oracle):
    beside.assert_equal(beside.run(PROGRAM.replace("import torch.utils.benchmark", "import monograph.utils.benchmark")), oracle.run(PROGRAM))


def test_a_timer_takes_times():
    seen = []
    threads = torch.get_num_threads()
    timer = benchmark.Timer("  y = x + z\n  torch.get_num_threads() == 1 or 1 / 0", "z = 1", globals={"x": torch.ones(2)}, label="sums", num_threads=1)
    once, blocks, steady = timer.timeit(10), timer.blocked_autorange(lambda number, took: seen.append((number, took)), min_run_time=0.02), timer.adaptive_autorange(max_run_time=0.1)
    assert (once.number_per_run, len(once.raw_times), once.label) == (10, 1, "sums") and torch.get_num_threads() == threads
    assert len(blocks.raw_times) == len(seen) and sum(blocks.raw_times) >= 0.02 and {number for number, _ in seen} == {blocks.number_per_run}
    assert steady.median > 0 and "sums" in repr(blocks)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: benchmark.Timer("x +").timeit(1), SyntaxError), (lambda: benchmark.Timer("nothing_here").timeit(1), NameError), (lambda: benchmark.Timer(print), ValueError), (lambda: benchmark.Compare([1]), ValueError),
        (lambda: benchmark.Timer().repeat(), NotImplementedError), (lambda: benchmark.Timer().collect_callgrind(), NotImplementedError), (lambda: benchmark.Timer(language="c++"), NotImplementedError),
    ],
)  # fmt: skip
def test_what_a_timer_refuses(call, kind):
    with pytest.raises(kind):
        call()
