"""Traces that PyTorch wrote (tests/data/torchscript_traces, by tools/oracle/freeze_torchscript_traces.py) run with PyTorch's results, and so do the archives that
Monograph writes of them."""

from __future__ import annotations

from pathlib import Path

import monograph as torch
import pytest
from test_torchscript import assert_equal

FOLDER = Path(__file__).resolve().parents[1] / "data" / "torchscript_traces"
RUNS = torch.load(FOLDER / "expected.pt")["runs"]


@pytest.mark.parametrize("name", sorted(RUNS))
def test_a_trace_of_pytorch_runs_as_there(name: str, tmp_path: Path):
    loaded = torch.jit.load(FOLDER / f"{name}.pt")
    torch.jit.save(loaded, tmp_path / "again.pt")
    again = torch.jit.load(tmp_path / "again.pt")
    for args, expected in RUNS[name]:
        for program in (loaded, again):
            assert_equal(program(*(t.clone() for t in args)), expected)


def test_every_archive_is_run():
    assert sorted(RUNS) == sorted(path.stem for path in FOLDER.glob("*.pt") if path.stem != "expected")
