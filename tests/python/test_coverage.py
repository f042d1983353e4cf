"""The functions of bench/capture: Monograph's captures take them or raise. What is wrong is known, and docs/coverage.md says it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

CAPTURES = {"trace", "trace, saved", "trace, monograph run", "trace, C++", "script", "symbolic", "compile", "compile, whole"}
BARS = {"trace": 170, "compile": 170, "symbolic": 140}  # how many of the programs after users' reports each takes at the least, of forty of the language 38
SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "capture" / "run.py"


def test_no_capture_is_wrong_that_is_not_known():
    done = subprocess.run([sys.executable, SCRIPT, "--why"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    outcomes = re.findall(r"^Monograph ([\w, +]+): (\d+) ok, .* (\d+) wrong, warned, (\d+) silently wrong, (\d+) crash$", done.stdout, re.MULTILINE)
    assert {capture for capture, *_ in outcomes} == CAPTURES
    assert all((warned, wrong, crash) == ("0", "0", "0") for _, _, warned, wrong, crash in outcomes), done.stdout
    assert all(int(ok) > 160 for _, ok, *_ in outcomes), done.stdout  # a capture that always raises is never wrong either
    taken = re.findall(r"^Monograph ([\w, +]+) takes (\d+) of (\d+) of the language's, (\d+) of (\d+) of the reports'", done.stdout, re.MULTILINE)
    for capture, language, of_language, reports, of_reports in taken:
        assert of_language == "40" and int(of_reports) >= 200
        if capture in BARS:
            assert int(language) >= 38 and int(reports) >= BARS[capture], capture
    assert {capture for capture, *_ in taken} == CAPTURES
    assert "the function itself" not in done.stdout, done.stdout
