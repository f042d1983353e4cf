"""The texts of FX graphs are PyTorch's: names of nodes, print_tabular, str(graph), generated code. tests/data/fx has the programs, PyTorch's texts, and what is other here on purpose."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "data" / "fx"
TOOL = ROOT / "tools" / "oracle" / "freeze_fx_texts.py"


def tool() -> Any:
    spec = importlib.util.spec_from_file_location("freeze_fx_texts", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


THEIRS: dict[str, dict[str, list[str]]] = json.loads((FOLDER / "texts.json").read_text())
OTHER: dict[str, dict[str, list[str]]] = json.loads((FOLDER / "differences.json").read_text())
REASONS: dict[str, dict[str, str]] = tomllib.loads((FOLDER / "reasons.toml").read_text())
FREEZE = tool()
PROGRAMS = FREEZE.programs("monograph")


@pytest.mark.parametrize("name", sorted(THEIRS))
def test_the_texts_of_a_program_are_pytorchs(name):
    theirs, other = THEIRS[name], OTHER.get(name, {})
    alone = other and "raises" in {**theirs, **other}  # where one of the two raises, nothing is in common
    assert FREEZE.texts(PROGRAMS[name]) == (other if alone else {**theirs, **other})


def test_every_program_is_frozen():
    assert list(PROGRAMS) == list(THEIRS) and len(THEIRS) > 150


def test_every_difference_has_its_reason():
    assert OTHER.keys() == REASONS.keys()
    pages: dict[str, str] = {}
    for name, reason in REASONS.items():
        for kind, text in OTHER[name].items():
            assert text != THEIRS[name].get(kind), f"{name}: {kind} is PyTorch's now; run tools/oracle/freeze_fx_texts.py monograph"
        page, _, sentence = reason["page"].partition(": ")
        words = pages.setdefault(page, re.sub(r"\s+", " ", (ROOT / page).read_text()))
        assert reason["why"] and sentence in words, f"{name}: {page} has no sentence {sentence!r}"


@pytest.mark.oracle
def test_pytorch_writes_the_frozen_texts(tmp_path):
    subprocess.run([os.environ["MONOGRAPH_ORACLE"], str(TOOL), "torch", str(tmp_path)], check=True, capture_output=True)
    assert json.loads((tmp_path / "texts.json").read_text()) == THEIRS
