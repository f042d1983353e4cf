"""PyTorch's own samples of its modules and optimizers (`module_db`, `optim_db` of its test package), through PyTorch and Monograph (tools/oracle/module_db.py):
weights, names, text, results, gradients, steps, exchanged state_dicts and errors are equal, but for what tests/data/module_db.toml names with its reason."""

from __future__ import annotations

import collections
import json
import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KNOWN = tomllib.loads((ROOT / "tests" / "data" / "module_db.toml").read_text()).get("known", [])
MISSING = set(tomllib.loads((ROOT / "tests" / "data" / "module_db.toml").read_text())["missing"])


@pytest.mark.oracle
def test_samples_of_pytorch(tmp_path):
    file = tmp_path / "outcomes.json"
    command = [os.environ["MONOGRAPH_ORACLE"], ROOT / "tools" / "oracle" / "module_db.py", "--json", file]
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-4000:]
    outcomes = json.loads(file.read_text())
    patterns = {pattern: group["reason"] for group in KNOWN for pattern in group["findings"]}
    counts: collections.Counter[str] = collections.Counter()
    unexplained = []
    for outcome in outcomes:
        for what, count in outcome["findings"].items():
            matches = [pattern for pattern in patterns if re.match(pattern, f"{outcome['name']}: {what}")]
            counts.update(matches)
            if not matches:
                unexplained.append(f"{outcome['name']}: {what} ({count})\n    {outcome['example'][what]}")
    assert not unexplained, "\n".join(unexplained)
    assert not (stale := sorted(set(patterns) - set(counts))), f"these differ no longer; take them out of tests/data/module_db.toml: {stale}"
    missing = {o["missing"] for o in outcomes if o["missing"]}
    assert missing == MISSING, f"tests/data/module_db.toml names others as missing: {sorted(missing ^ MISSING)}"
    equal, left_out = sum(o["passed"] for o in outcomes), collections.Counter()
    for outcome in outcomes:
        left_out.update(outcome["left_out"])
    print(f"{equal} samples of {len(outcomes)} classes are equal; missing: {sorted(missing)}; left out: {dict(left_out)}")
    assert equal > 1500  # fewer: PyTorch made no samples
