"""PyTorch's own samples of its operators (`op_db` of its test package), through PyTorch and Monograph (tools/oracle/op_db.py): results, layouts,
first and second gradients and the errors of bad calls are equal, but for what tests/data/op_db.toml names with its reason. It also says which names are missing, and
why samples are left out."""

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
TABLE = tomllib.loads((ROOT / "tests" / "data" / "op_db.toml").read_text())


@pytest.mark.oracle
@pytest.mark.parametrize(("options", "known", "least"), [([], "known", 25_000), (["--autocast"], "autocast", 5_000)], ids=["plain", "autocast"])
def test_samples_of_pytorch(tmp_path, options, known, least):
    file = tmp_path / "outcomes.json"
    command = [os.environ["MONOGRAPH_ORACLE"], ROOT / "tools" / "oracle" / "op_db.py", *options, "--json", file]
    run = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT / "python")}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-4000:]
    outcomes = json.loads(file.read_text())
    own = [pattern for group in TABLE[known] for pattern in group["findings"]]
    patterns = [*own, *(pattern for group in TABLE["known"] for pattern in group["findings"] if known != "known")]
    counts: collections.Counter[str] = collections.Counter()
    unexplained = []
    for outcome in outcomes:
        name = ".".join(filter(None, (outcome["name"], outcome["variant"])))
        for what, count in outcome["findings"].items():
            matches = [pattern for pattern in patterns if re.match(pattern, f"{name}: {what}")]
            counts.update(matches)
            if not matches:
                unexplained.append(f"{name}: {what} ({count})\n    {outcome['example'][what]}")
    assert not unexplained, "\n".join(unexplained)
    assert not (stale := sorted(set(own) - set(counts))), f"these differ no longer; take them out of tests/data/op_db.toml: {stale}"
    equal, left_out = sum(o["passed"] for o in outcomes), collections.Counter()
    for outcome in outcomes:
        left_out.update(outcome["left_out"])
    assert not (others := set(left_out) - set(TABLE["left_out"])), f"samples are left out for reasons that tests/data/op_db.toml does not give: {others}"
    missing = {o["missing"] for o in outcomes if o["missing"]}
    assert not (others := {name for name in missing if not any(re.fullmatch(pattern, name) for pattern in TABLE["missing"])}), others
    print(f"{equal} calls of {len(outcomes)} operators are equal; left out: {dict(left_out)}; {len(missing)} names are missing")
    if known == "known":
        assert set(left_out) == set(TABLE["left_out"]) and all(any(re.fullmatch(pattern, name) for name in missing) for pattern in TABLE["missing"])
    assert equal > least  # fewer: PyTorch made no samples
