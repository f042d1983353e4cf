"""The functions of bench/capture: Monograph's captures take them or raise. What is wrong is known, and docs/coverage.md says it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "capture" / "run.py"


def test_no_capture_is_wrong_that_is_not_known():
    done = subprocess.run([sys.executable, SCRIPT, "--why"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = dict(re.findall(r"^Monograph ([\w, ]+): (\d+) ok", done.stdout, re.MULTILINE))
    assert counts.keys() == {"trace", "trace, saved", "trace, monograph run", "script", "symbolic", "compile", "compile, whole"}
    assert all(int(ok) > 160 for ok in counts.values()), done.stdout  # a capture that always raises is never wrong either
    wrong = {capture: int(n) for capture, n in re.findall(r"^Monograph ([\w, ]+): .* (\d+) silently wrong", done.stdout, re.MULTILINE)}
    assert wrong["compile"] == wrong["compile, whole"] == wrong["trace, monograph run"] == 0
    assert "the function itself" not in done.stdout, done.stdout
