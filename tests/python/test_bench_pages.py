"""bench/run.py --write: one run's figures stand in docs/benchmarks.md and in both READMEs, and claims find them again."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIGURES = {"add_1m": (3.3e-4, 4.5e-4, 0.7312), "exp_1m": (4.1e-4, 1.31e-3, 0.3149)}
NEW = {"add_1m": "0.73", "exp_1m": "0.32"}  # 0.315 is printed


@pytest.fixture
def bench(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("bench_run_under_test", ROOT / "bench" / "run.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    (tmp_path / "docs").mkdir()
    shutil.copytree(ROOT / "docs" / "claims", tmp_path / "docs" / "claims")
    (tmp_path / "tools").symlink_to(ROOT / "tools")
    for name in ("README.md", "README.zh-CN.md", "docs/benchmarks.md"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "PAGE", tmp_path / "docs" / "benchmarks.md")
    monkeypatch.setattr(sys, "path", list(sys.path))
    return module


def texts(page: Path) -> dict[str, str]:
    sys.path.insert(0, str(ROOT / "tools"))
    import claims

    return {claim.id: claim.text for claim in claims.parse(page, page.read_text())}


def test_one_run_writes_every_page(bench, tmp_path):
    rows = [bench.Row(name, lambda _: lambda: None, name, "eager", 0.5, None, None, 0) for name in FIGURES]
    results = [bench.Result(row, *FIGURES[row.name]) for row in rows]
    bench.write_section("eager", bench.table(results))
    before = {page.name: texts(page) for page in tmp_path.glob("README*.md")}
    bench.write_claims({bench.command_of("eager"): "\n".join(map(bench.line, results))})
    assert len(before) == 2 and NEW.items() <= texts(tmp_path / "docs" / "benchmarks.md").items()
    for name, old in before.items():
        assert texts(tmp_path / name) == old | NEW


def test_the_build_s_figures_too(bench, tmp_path):
    bench.write_claims({"./dev bench --build --only import --no-bounds": "import: 0.214 s\n"})
    for page in tmp_path.glob("README*.md"):
        assert texts(page)["import_s"] == "0.21 s"


def test_a_row_that_failed_leaves_its_figure(bench, tmp_path):
    before = [texts(page) for page in sorted(tmp_path.glob("README*.md"))]
    bench.write_claims({bench.command_of("eager"): "add_1m: the two results differ"})
    assert [texts(page) for page in sorted(tmp_path.glob("README*.md"))] == before


def test_written_figures_are_found_again_and_altered_ones_are_not(bench, tmp_path):
    printed = bench.line(bench.Result(bench.Row("add_1m", None, "", "eager", 1, None, None, 0), *FIGURES["add_1m"]))
    page = tmp_path / "docs" / "benchmarks.md"
    for figure, code in (("0.73", 0), ("0.52", 0), ("0.35", 1), ("0.73 s", 1)):
        page.write_text("# Benchmarks\n")
        (tmp_path / "docs" / "claims" / "benchmarks.toml").unlink()
        stated = bench.claim("add_1m", f"echo {printed!r}", "add_1m ratio:", "50%", figure)
        bench.write_section("eager", [f"| add | 1 ms | {stated} (missed) | 1 |"])
        assert f"| add | 1 ms | {figure} (missed) | 1 |" in page.read_text()
        done = subprocess.run([sys.executable, ROOT / "tools" / "claims.py", page], capture_output=True, text=True)
        assert done.returncode == code, (figure, done.stdout + done.stderr)


def test_every_row_loads():
    """`./dev bench --list`, which needs no peer: a row that cannot be registered takes all others with it."""
    done = subprocess.run([sys.executable, ROOT / "bench" / "run.py", "--list"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    names = [line.split()[0] for line in done.stdout.splitlines()]
    assert len(names) == len(set(names)) and {"add_1m", "exp_1m"} <= set(names)


def test_a_list_may_have_a_share_of_slow_rows_and_of_rows_without_a_figure(bench):
    bench.row_list("many", about="many rows", median_at_most=0.9, group="eager", share_above=0.25, brief=True)
    rows = [bench.Row(f"row{k}", None, "", "eager", 1.2, None, None, 0, of="many") for k in range(6)]
    ratios = [0.5, 0.6, 1.3, 0.7]
    results = [bench.Result(row, 1.0, 1.0, ratio) for row, ratio in zip(rows, ratios, strict=False)]
    results.append(bench.Result(rows[4], not_measured="it has no samples"))
    whole = bench.summary(results)
    assert whole.held and (whole.count, whole.not_measured, [r.row.name for r in whole.missed]) == (4, 1, ["row2"])
    assert whole.lines()[0].startswith("row2 ratio: 1.300") and "1 of 4 rows missed theirs, 1 cannot be measured" in whole.lines()[1]
    slower = bench.summary([*results, bench.Result(rows[5], 1.0, 1.0, 1.5)])
    assert not slower.held and [r.row.name for r in slower.missed] == ["row5", "row2"]  # the worst first
    assert not bench.summary([*results[:2], bench.Result(rows[5], error="the two results differ")]).held


def test_results_agree_relative_to_the_largest_number(bench):
    assert bench.agree([1000.0, 0.5], [1000.1, 0.0], 1e-3, None) and not bench.agree([1000.0, 2.5], [1000.1, 0.0], 1e-3, None)


def test_records_are_called_with_their_samples_scaled():
    """Each record, at two sizes: the largest tensor of the call, or of its result, has about as many elements as wanted."""
    program = """
import sys
import monograph as torch
sys.path.insert(0, "bench")
import run
sys.modules["run"] = run
import records

plans, found, missing = records.plans(torch), 0, []
for record in records.records():
    for target in (100, 10_000):
        try:
            call = plans.calls(record, target)[0][0]
        except run.NotMeasured:
            missing.append(record.name)
            continue
        result = call()
        everything = [*call.args, *call.keywords.values(), result if not hasattr(result, "_fields") else list(result)]
        largest = max(x.numel() for x in records.tensors_of(torch, everything))
        assert target / 10 <= largest <= target * 10, (record.name, target, largest)
        found += 1
assert found > 0.8 * (found + len(missing)), missing
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
