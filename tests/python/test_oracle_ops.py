"""Every operator record with samples against live PyTorch: tools/oracle/freeze_ops.py freezes fresh random samples, and ops_test and
gradients_test, which otherwise read the committed ones, compare the records' results and first gradients with those."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("MONOGRAPH_PROGRAMS", ROOT / "build" / "release" / "tests"))


@pytest.mark.oracle
def test_records_and_gradients_equal_live_pytorch(sample_seed, tmp_path):
    records = subprocess.run([PROGRAMS / "support_matrix", "--samples"], check=True, capture_output=True, text=True).stdout
    freeze = [os.environ["MONOGRAPH_ORACLE"], ROOT / "tools" / "oracle" / "freeze_ops.py", tmp_path, "--seed", str(sample_seed)]
    subprocess.run(freeze, input=records, check=True, text=True, stderr=subprocess.DEVNULL)
    assert len(list(tmp_path.glob("*.jsonl"))) > 8
    for program in ("ops_test", "gradients_test"):
        run = subprocess.run(
            [PROGRAMS / program], cwd=ROOT, env={**os.environ, "MONOGRAPH_OPS_DATA": str(tmp_path)}, capture_output=True, text=True
        )
        assert run.returncode == 0, f"with samples from seed {sample_seed}:\n{run.stdout[-8000:]}"
