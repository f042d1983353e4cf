"""examples/minilm/demo.py: what was not checked has not passed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[2] / "examples" / "minilm" / "demo.py"


@pytest.fixture
def demo():
    spec = importlib.util.spec_from_file_location("minilm_demo", FILE)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_missing_program_is_a_failure(demo, monkeypatch, capsys):
    monkeypatch.setattr(demo, "program", lambda: None)
    alone = demo.without_python(Path("minilm.mgraph"), [], {}, None)
    assert alone is None and "./dev build makes it" in capsys.readouterr().out
    assert not demo.passed(True, [0.0, 0.0, alone], True)


def test_everything_must_hold(demo):
    near, far = demo.BOUND / 2, demo.BOUND * 2
    assert demo.passed(True, [near, near, 0.0], True)
    assert not demo.passed(False, [near, near, 0.0], True)
    assert not demo.passed(True, [near, near, 0.0], False)
    for k in range(3):
        assert not demo.passed(True, [far if i == k else near for i in range(3)], True)
