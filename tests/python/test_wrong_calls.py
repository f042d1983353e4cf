"""Calls with one or two wrong arguments, made of PyTorch's own samples of its operators (tools/oracle/wrong_calls.py): they end no process, and raise PyTorch's kind
of error or are taken where PyTorch takes them."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Of 100 calls so many may differ. PyTorch converts values by chance (None for a number of dims), mixes tensors of meta with others, and where two things are
# wrong, each library finds another one first.
DIFFERENT = 5


@pytest.mark.oracle
def test_wrong_calls_beside_pytorch(tmp_path, sample_seed):
    file = tmp_path / "found.json"
    command = [os.environ["MONOGRAPH_ORACLE"], ROOT / "tools" / "oracle" / "wrong_calls.py", "--seed", str(sample_seed), "--calls", "8", "--sample", "100", "--json", file]
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-4000:]
    answer = json.loads(file.read_text())
    worst = [line for line in answer["found"] if "ended" in line or line["what"] == "a bug"]
    assert not worst, f"with seed {sample_seed}: {worst}"
    assert answer["calls"] > 400
    assert len(answer["found"]) <= DIFFERENT / 100 * answer["calls"], f"with seed {sample_seed}:\n{run.stdout[-6000:]}"
