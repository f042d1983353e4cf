"""python -m monograph --doctor: the names of torch that a script and its imports use, without running them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import torch, part
import torch.nn as nn
from torch import histc as h, Tensor
from package.inner import something
import importlib

layers = torch.nn
raise SystemExit("it ran")

def f(x: Tensor):
    y = layers.functional.relu(x).unfold(0, 1, 1) + nn.Linear(1, 2)(x)
    return torch.histc(y) + torch.no_such_name, torch.float32.itemsize, {}.values(), torch.cuda.is_available()
"""
FILES = {
    "part.py": "from torch.nn import functional as F\ndef g(x): return F.fractional_max_pool2d(x)\n",
    "package/__init__.py": "text = 'no name here'\n",
    "package/inner.py": "from ..package import other\nfrom . import deep\n",
    "package/deep.py": "import torch.distributions.normal\ntry:\n    import not_installed\nexcept ImportError: pass\n",
    "package/broken.py": "torch = (",
}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "script.py").write_text(SCRIPT)
    return tmp_path / "script.py"


def doctor(*arguments: object, code: int = 0) -> str:
    done = subprocess.run([sys.executable, "-m", "monograph", "--doctor", *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_it_lists_what_a_script_and_its_imports_use(script):
    found = json.loads(doctor(script, "--json", code=3))[str(script)]
    states = {name: entry["state"] for name, entry in found["names"].items()}
    assert {n for n, state in states.items() if state == "missing"} == {
        "torch.histc",
        "torch.nn.functional.fractional_max_pool2d",
        "torch.distributions.normal",
    }
    there = {"torch.nn.Linear", "torch.nn.functional.relu", "torch.Tensor", "torch.float32", "torch.cuda.is_available", "torch.nn", "torch"}
    assert there <= {n for n, state in states.items() if state == "there"}
    assert [n for n, state in states.items() if state == "unknown"] == ["torch.no_such_name"]
    assert list(found["methods"]) == ["torch.Tensor.unfold"] or not found["methods"]  # a method may come
    assert [place.rpartition("/")[2] for place in found["names"]["torch.histc"]["places"]] == ["script.py:4", "script.py:13"]
    assert found["modules"] == 5  # all but the broken one, which nothing imports


def test_it_reads_and_says_where(script):
    said = doctor(script, code=3)
    assert "the script and 4 modules that it imports" in said and "3 missing" in said and "it ran" not in said
    assert f"missing  torch.histc: 2 uses, first {script}:4" in said and "torch.histc exists in PyTorch, but it is not in Monograph yet" in said
    assert "names that PyTorch does not document and Monograph does not have: torch.no_such_name" in said


def test_a_script_that_uses_what_is_there_is_fine(tmp_path):
    (tmp_path / "fine.py").write_text("import torch\nprint(torch.ones(2).sum())\n")
    assert ": the script: 2 names of torch, 0 missing" in doctor(tmp_path / "fine.py")


def test_what_cannot_be_read_is_told(tmp_path, script):
    (tmp_path / "bad.py").write_text("import torch\n(")
    assert "bad.py" in doctor(tmp_path / "bad.py", code=2) and "No such file" in doctor(tmp_path / "none.py", code=2)
    assert "name a script" in doctor(code=2)
    (tmp_path / "uses.py").write_text("import torch, package.broken")
    assert "not read: " in doctor(tmp_path / "uses.py") and "broken.py" in doctor(tmp_path / "uses.py")


def test_the_command_reads_programs_too(script):
    program = os.environ.get("MONOGRAPH_PROGRAM") or Path(__file__).resolve().parents[2] / "build" / "release" / "monograph"

    def run(*arguments: object, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
        env = {**os.environ, "MONOGRAPH_PYTHON": python}
        return subprocess.run([str(program), "doctor", *map(str, arguments)], capture_output=True, text=True, env=env)

    done = run(script)
    assert done.returncode == 3 and "missing  torch.histc: 2 uses" in done.stdout
    assert "could not start /no/python: No such file" in run(script, python="/no/python").stderr
    assert "either programs (.py) or files of graphs" in run(script, "net.txt").stderr
