"""Hooks of nodes, torch.autograd.Function and what belongs to them, beside PyTorch: each program's observations are those of PyTorch 2.13."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import monograph as torch
import pytest
from autograd_programs import PRELUDE, PROGRAMS

FROZEN = json.loads((Path(__file__).resolve().parents[1] / "data" / "autograd" / "programs.json").read_text())
# What Monograph's messages say besides PyTorch's words.
MORE = [r"(<)monograph(?=\.)", r"^(\w+: )\[aten::[\w.]+\] ", r" \(was \[[\d, ]*\] got \[[\d, ]*\]\)$"]


def mapped(f: Any, v: Any) -> Any:
    if isinstance(v, (list, tuple)):
        return [mapped(f, item) for item in v]
    return {key: mapped(f, item) for key, item in v.items()} if isinstance(v, dict) else f(v)


def plain(v: Any) -> Any:
    """A message in PyTorch's words alone."""
    for text in MORE if isinstance(v, str) else ():
        v = re.sub(text, lambda m: ("<torch" if m[0].startswith("<") else m[1]) if m.groups() else "", v)
    return v


def near(v: Any) -> Any:
    return pytest.approx(v, rel=1e-7, abs=1e-9, nan_ok=True) if isinstance(v, float) else v


def test_every_program_is_frozen():
    assert list(FROZEN) == list(PROGRAMS), "run .venv-oracle/bin/python tools/oracle/freeze_autograd.py"


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    scope: dict = {"torch": torch, "__name__": "program"}
    exec(PRELUDE + PROGRAMS[name], scope)
    assert mapped(plain, json.loads(json.dumps(scope["result"]))) == mapped(near, FROZEN[name])


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_in_pytorch(oracle, name):
    assert json.loads(json.dumps(oracle.run(f"__name__ = 'program'\n{PRELUDE}{PROGRAMS[name]}"))) == FROZEN[name]
