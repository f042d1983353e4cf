"""`python -m monograph doctor script.py`: the names of torch that a program uses, their states and places, without running it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from monograph._doctor import _names
from monograph._doctor._reading import read

MISSING = "torch.cudnn_convolution"  # a name that stays missing


def doctor(folder: Path, *options: str, code: int | None = None, **files: str) -> subprocess.CompletedProcess[str]:
    for name, text in files.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = subprocess.run([sys.executable, "-m", "monograph", "doctor", *options, "prog.py"], cwd=folder, capture_output=True, text=True)
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done


def names(text: str) -> dict[str, list[int]]:
    """The names of torch in a text, with their lines."""
    found: dict[str, list[int]] = {}
    for use in read(text, "text").uses:
        if not use.method:
            found.setdefault(use.name, []).append(use.line)
    return found


def methods(text: str) -> dict[str, bool]:
    """The methods in a text, and whether each is plainly called of a tensor."""
    return {use.name: use.plainly for use in read(text, "text").uses if use.method}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch\ntorch.nn.functional.relu", ["torch.nn.functional.relu"]),
        ("import torch.nn.functional as F\nF.relu", ["torch.nn.functional", "torch.nn.functional.relu"]),
        ("from torch import nn as N\nN.Linear", ["torch.nn", "torch.nn.Linear"]),
        ("import torch as t\nx = t.nn\ny = x.init\ny.zeros_", ["torch.nn", "torch.nn.init", "torch.nn.init.zeros_"]),
        ("from torch.nn import *\nLinear(1, 2)", ["torch.nn", "torch.nn.Linear"]),
        ("import torch\ngetattr(torch, 'histc')", ["torch.histc"]),
        ("import torch\ngetattr(torch, 'histc', None)", []),
        ("import torch\ndef f(torch): return torch.histc", []),
        ("import torch\ndef f():\n    torch = 1\n    return torch.histc", []),
        ("import torch\nclass A:\n    torch = 1\n    def f(self): return torch.histc", ["torch.histc"]),
        ("import torch\n[torch.histc for torch in ()]", []),
        ("def f():\n    from torch import histc\n    return histc", ["torch.histc"]),
        ("import numpy as torch\ntorch.histc", []),
        ("import torch\n@torch.no_grad()\ndef f(x: torch.Tensor = torch.ones(1)) -> torch.Tensor: pass", ["torch.no_grad", "torch.ones", "torch.Tensor"]),
        ("import torch\nf'{torch.histc}'; {torch.pi: torch.e}; lambda a=torch.inf: torch.nan", ["torch.histc", "torch.pi", "torch.e", "torch.inf", "torch.nan"]),
    ],
)
def test_names_are_found_through_aliases_and_scopes(text, expected):
    assert sorted(names(text)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "plainly"),
    [
        ("import torch\ntorch.ones(2).unfold(0, 1, 1)", True),
        ("import torch\nx = torch.ones(2)\n(x + 1)[0].T.unfold(0, 1, 1)", True),
        ("import torch\ndef f(x: torch.Tensor): return x.relu().unfold(0, 1, 1)", True),
        ("from torch import Tensor\ndef f(x: 'Tensor'): return (-x).unfold(0, 1, 1)", True),
        ("import torch\nfor row in torch.ones(2, 2): row.unfold(0, 1, 1)", True),
        ("import torch.nn.functional as F\nF.relu(y).unfold(0, 1, 1)", True),
        ("def f(x): return x.unfold(0, 1, 1)", False),
        ("import torch\nx = torch.ones(2)\nx = x.tolist()\nx.unfold(0, 1, 1)", False),
        ("import torch\ntorch.ones(2).split(1).unfold(0, 1, 1)", False),
        ("import torch\nself.net(x).unfold(0, 1, 1)", False),
    ],
)
def test_a_method_is_plainly_a_tensors_or_perhaps(text, plainly):
    assert methods(text)["unfold"] is plainly


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    torch.cudnn_convolution\nexcept AttributeError:\n    pass",
        "try:\n    from torch import cudnn_convolution\nexcept (ValueError, ImportError):\n    pass",
        "if hasattr(torch, 'cudnn_convolution'): torch.cudnn_convolution(1)",
        "if torch.cuda.is_available() and 1: torch.cudnn_convolution(1)",
        "torch.cudnn_convolution(1) if torch.cuda.is_available() else 2",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from torch import cudnn_convolution",
    ],
)
def test_what_need_not_run_is_guarded(tmp_path, text):
    assert all(use.guarded for use in read(f"import torch\n{text}", "text").uses if use.name == MISSING)
    done = doctor(tmp_path, prog=f"import torch\n{text}\n", code=0)
    assert "(guarded)" in done.stdout and MISSING in done.stdout


@pytest.mark.parametrize("text", ["try:\n    torch.cudnn_convolution\nexcept ValueError:\n    pass", "if hasattr(torch, 'cudnn_convolution'): pass\nelse: torch.cudnn_convolution", "if x: torch.cudnn_convolution"])
def test_what_may_run_is_not(tmp_path, text):
    doctor(tmp_path, prog=f"import torch\n{text}\n", code=3)


@pytest.mark.parametrize(
    ("chain", "name", "state"),
    [
        ("torch.nn.Linear", "torch.nn.Linear", _names.THERE),
        ("torch.nn.Linear.no_such", "torch.nn.Linear", _names.THERE),
        ("torch.float32.itemsize", "torch.float32", _names.THERE),
        ("torch.Tensor.add", "torch.Tensor.add", _names.THERE),
        ("torch.newaxis", "torch.newaxis", _names.THERE),
        ("torch.backends.cudnn.benchmark", "torch.backends.cudnn.benchmark", _names.THERE),
        ("torch.utils.data.DataLoader", "torch.utils.data.DataLoader", _names.THERE),
        (MISSING, MISSING, _names.MISSING),
        ("torch.ao.quantization.quantize_dynamic", "torch.ao.quantization.quantize_dynamic", _names.MISSING),
        ("torch.sparse_coo_tensor", "torch.sparse_coo_tensor", _names.OUT),
        ("torch.nested.nested_tensor", "torch.nested.nested_tensor", _names.OUT),
        ("torch.distributed.init_process_group", "torch.distributed.init_process_group", _names.OUT),
        ("torch.distributed.is_available", "torch.distributed.is_available", _names.THERE),
        ("torch.hub.download_url_to_file", "torch.hub.download_url_to_file", _names.RAISES),
        ("torch.cuda.synchronize", "torch.cuda.synchronize", _names.RAISES),
        ("torch._check", "torch._check", _names.THERE),
        ("torch._prims_common.x", "torch._prims_common", _names.MISSING),
    ],
)
def test_the_state_of_a_name(chain, name, state):
    verdict = _names.verdict(chain)
    assert (verdict.name, verdict.state) == (name, state) and (verdict.says or state in (_names.THERE, _names.MISSING))


def test_methods_of_other_objects_do_not_count():
    assert _names.method("values", False) is None and _names.method("append", False) is None and _names.method("cudnn_convolution", False) is None
    assert _names.method("add", False) is None and _names.method("add", True).state == _names.THERE
    assert _names.method("no_such_method", True).state == _names.MISSING
    assert _names.method("to_sparse", True).state == _names.OUT
    assert _names.method("pin_memory", True).state == _names.RAISES


PROGRAM = """
import sys
sys.exit("this program ran")
import torch
from part import thing
from lib import other, deep
import lib.deep as d
x = torch.ones(3)
"""


def test_local_files_are_followed_and_nothing_runs(tmp_path):
    files = {
        "prog": PROGRAM,
        "part": f"import torch\n\n{MISSING}\nraise SystemExit('ran')\n",
        "lib/__init__": "raise SystemExit('ran')\n",
        "lib/deep": "from . import more\nfrom ..part import nothing\n",
        "lib/more": "import torch\nfrom .deep import x\ntorch.sparse_coo_tensor\n",
    }
    found: dict[str, Any] = json.loads(doctor(tmp_path, "--json", code=3, **files).stdout)
    assert {row["name"]: (row["state"], row["places"]) for row in found["program"]} == {
        MISSING: ("missing", ["part.py:3"]),
        "torch.ones": ("there", ["prog.py:8"]),
        "torch.sparse_coo_tensor": ("out of scope", ["lib/more.py:3"]),
    }
    assert {Path(file).name for file in found["files"]} == {"prog.py", "part.py", "__init__.py", "deep.py", "more.py"}
    assert found["fine"] is False and found["packages"] == []


def test_installed_packages_that_import_torch_are_followed(tmp_path):
    site = tmp_path / "site-packages" / "pack"
    site.mkdir(parents=True)
    (site / "__init__.py").write_text("from . import uses\n")
    (site / "uses.py").write_text(f"import torch\n{MISSING}\n")
    (site.parent / "plain.py").write_text("import broken syntax\n")  # does not import torch, so it is not read
    (tmp_path / "prog.py").write_text("import pack, plain, no_such_package\nimport torch\ntorch.ones\n")
    run = [sys.executable, "-m", "monograph", "doctor", "prog.py"]
    import os

    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path / "site-packages"), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert "1 package (pack)" in done.stdout and "missing, in packages only" in done.stdout and "uses.py:2" in done.stdout
    assert "imported and not installed: no_such_package" in done.stdout and "pack/uses.py:2" in done.stdout
    assert "plain.py" not in done.stdout


def test_the_report(tmp_path):
    done = doctor(tmp_path, prog="import torch\ntorch.ones\ntorch.cudnn_convolution\ntorch.export\n\n\ntorch.cudnn_convolution\ndef f(x): return x.to_mkldnn\n", code=3)
    lines = done.stdout.splitlines()
    assert lines[0] == "prog.py"
    assert lines[1] == "4 names of torch in the program: 1 there, 2 missing, 1 perhaps missing"
    assert "  torch.cudnn_convolution  prog.py:3, prog.py:7" in lines
    assert "until then, capture with torch.capture" in " ".join(done.stdout.split())
    assert "torch.ones" not in done.stdout
    assert "  torch.ones  prog.py:2" in doctor(tmp_path, "--all").stdout


@pytest.mark.parametrize(
    "text",
    [
        "import importlib\nt = importlib.import_module('torch')\nt.cudnn_convolution",
        "from importlib import import_module\nimport_module('torch').cudnn_convolution",
        "t = __import__('torch')\nt.cudnn_convolution",
        "__import__('torch.nn').cudnn_convolution",
        "import torch\na, (t, *b) = 1, (torch, 2)\nx, t = torch.nn, torch\nt.cudnn_convolution",
    ],
)
def test_modules_that_are_imported_by_a_call_or_bound_in_tuples(tmp_path, text):
    found = json.loads(doctor(tmp_path, "--json", code=3, prog=text + "\n").stdout)
    assert ("torch.cudnn_convolution", "missing") in [(row["name"], row["state"]) for row in found["program"]]


def test_packages_that_are_not_installed_are_listed_once(tmp_path):
    program = "import torch\nfrom no_such_vision.models import resnet18\nimport no_such_vision.transforms as T\nfrom no_such_text import x\n"
    assert "imported and not installed: no_such_text, no_such_vision\n" in doctor(tmp_path, code=0, prog=program).stdout


def test_the_cells_of_a_notebook(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["# torch.lobpcg is not code"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "!pip install torch\n", "files = !ls\n", "import torch\n", "torch.ones?\n", "x = torch.ones(3)  # why?"]},
        {"cell_type": "code", "source": "%%bash\necho torch.(("},
        {"cell_type": "code", "source": "%%time\nif True:\n    %env A=1\n    torch.cudnn_convolution"},
    ]
    (tmp_path / "prog.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    run = [sys.executable, "-m", "monograph", "doctor", "prog.ipynb", "--all"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert "torch.cudnn_convolution  prog.ipynb:cell 4, line 4" in done.stdout and "torch.ones  prog.ipynb:cell 2, line 6" in done.stdout
    for content, said in ((json.dumps({"cells": [cells[0], {"cell_type": "code", "source": "x = ("}]}), "cell 2, line 1: '(' was never closed"), ("[]", "not a notebook")):
        (tmp_path / "prog.ipynb").write_text(content)
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 1 and said in done.stderr


def test_a_limit_of_files(tmp_path):
    done = doctor(tmp_path, "--files", "1", prog="import part\n", part="import torch\ntorch.cudnn_convolution\n", code=0)
    assert "Not read because of the limit: 1 file" in done.stdout


@pytest.mark.parametrize(("text", "said"), [("x = (", "line 1: '(' was never closed"), (None, "No such file")])
def test_a_file_that_cannot_be_read(tmp_path, text, said):
    done = doctor(tmp_path, **({} if text is None else {"prog": text}), code=1)
    assert said in done.stderr and done.stderr.startswith("monograph doctor: prog.py: ")


def test_a_wrong_option(tmp_path):
    assert "usage: python -m monograph doctor" in doctor(tmp_path, "--frobnicate", prog="", code=2).stderr
    help_text = doctor(tmp_path, "--help", prog="", code=0).stdout
    assert "Exit status: 0 if" in help_text


def test_a_file_named_doctor_is_a_program(tmp_path):
    (tmp_path / "doctor").write_text("print('ran')")
    assert doctor(tmp_path, prog="").stdout == "ran\n"
