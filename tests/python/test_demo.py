"""The demos of examples/ that fetch something: what was not checked has not passed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(f"{name}_demo", EXAMPLES / name / "demo.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def demo():
    return load("minilm")


@pytest.fixture
def mobilenet():
    return load("mobilenet")


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


def test_a_missing_program_is_a_failure_of_mobilenet_too(mobilenet, monkeypatch, capsys):
    monkeypatch.setattr(mobilenet, "program", lambda: None)
    alone = mobilenet.without_python(Path("net.mgraph"), None, None, None)
    assert alone is None and "./dev build makes it" in capsys.readouterr().out
    assert not mobilenet.passed([0.0, alone])
    assert mobilenet.passed([mobilenet.BOUND]) and not mobilenet.passed([mobilenet.BOUND * 2, 0.0])


def test_mobilenet_says_what_it_needs_where_pip_has_no_network(mobilenet, monkeypatch, tmp_path):
    monkeypatch.setattr(mobilenet, "CACHE", tmp_path / "empty")
    monkeypatch.setattr(mobilenet.subprocess, "run", lambda *a, **k: mobilenet.subprocess.CompletedProcess(a, 1, "", "no network\n"))
    with pytest.raises(SystemExit, match="pip could not install torchvision==0.28.0 and pillow==13.0.0, and said: no network"):
        mobilenet.fetch()


def test_the_demo_of_branches_needs_the_program_and_the_package(monkeypatch, tmp_path):
    branches = load("branches")
    monkeypatch.setattr(branches, "CACHE", tmp_path / "empty")
    monkeypatch.setattr(branches.subprocess, "run", lambda *a, **k: branches.subprocess.CompletedProcess(a, 1, "", "no network\n"))
    with pytest.raises(SystemExit, match="pip could not install pytorch-crf==0.7.2, and said: no network"):
        branches.fetch()

    def refuses(*inputs):
        raise ValueError("first line\nsecond line")

    assert branches.refusal(refuses, ()) == "first line" and branches.refusal(lambda: 1, ()) == "nothing was raised"
