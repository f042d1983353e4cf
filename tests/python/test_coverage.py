"""The functions of bench/capture: Monograph's captures take them or raise, and are never wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "capture" / "run.py"


def test_no_capture_is_ever_wrong():
    done = subprocess.run([sys.executable, SCRIPT, "--why"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = dict(re.findall(r"^Monograph ([\w, ]+): (\d+) ok", done.stdout, re.MULTILINE))
    assert counts.keys() == {"trace", "symbolic", "compile", "compile, whole"}
    assert all(int(ok) > 15 for ok in counts.values()), done.stdout  # a capture that always raises is never wrong either
    assert "the function itself" not in done.stdout, done.stdout
