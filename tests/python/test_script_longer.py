"""Programs of 30 to 80 lines, as people write them for TorchScript (tests/data/script/longer_programs.txt): a script and its archive compute the same.
With live PyTorch, results are those of torch.jit.script, and each library runs the archives of the other."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import longer_side
import monograph as torch
import numpy as np
import pytest

TEXT = (Path(__file__).resolve().parents[1] / "data" / "script" / "longer_programs.txt").read_text()
NAMES = [part.partition("\n")[0] for part in TEXT.split("#==== ")[1:]]
# Python's results are not PyTorch's there: Python has no int of a dtype, and takes a root of a negative number for a complex one.
DIFFERENT = {"image_list", "number_semantics"}
# PyTorch writes no defaults of functions, so that calls which leave out an argument are errors there alone.
DEFAULTS = {"kalman_loop", "fstrings_logging", "priority_queue", "indexing_mix"}
# A script of PyTorch's takes no module for an interface that its other parts do not have.
MORE = {"interface_module", "vocab_lookup"}


def same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.shape == b.shape and a.dtype == b.dtype and np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True)
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return (a != a and b != b) or a == b or abs(a - b) <= 1e-4 * max(1.0, abs(b))
    return type(a) is type(b) and bool(a == b)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files of the programs, in which torch means Monograph."""
    made = tmp_path_factory.mktemp("longer")
    assert longer_side.write(TEXT, made) == NAMES
    names = {"torch": torch, "torch.nn": torch.nn, "torch.nn.functional": torch.nn.functional}
    saved = {name: sys.modules.get(name) for name in names}
    sys.modules.update(names)
    yield made
    for name, before in saved.items():
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before


@pytest.mark.parametrize("name", NAMES)
def test_a_script_and_its_archive_compute_the_same(name, folder):
    found = longer_side.results(torch, str(folder), name, "ours", "none")
    if name != "image_list":  # a dtype is a number in an archive
        assert same(found["loaded"], found["script"])


@pytest.mark.oracle
@pytest.mark.parametrize("name", [name for name in NAMES if name not in MORE])
def test_pytorch_computes_the_same_and_runs_the_archive(name, folder, oracle):
    ours = longer_side.results(torch, str(folder), name, "ours", "none")
    theirs = oracle.run(
        f"import sys; sys.path.append({os.path.dirname(__file__)!r})\nimport longer_side\n"
        f"result = longer_side.results(torch, {str(folder)!r}, {name!r}, 'theirs', 'ours')"
    )
    program = longer_side.program_of(str(folder), name)
    read = longer_side.runs(torch, torch.jit.load(folder / f"{name}.theirs"), program)
    if name not in DIFFERENT:
        assert same(ours["script"], theirs["script"])
    if name not in DEFAULTS and name != "enum_mode":  # PyTorch gives a member of an Enum only in the process that scripted the class
        assert same(theirs["other"], theirs["loaded"])
    if name not in DIFFERENT | DEFAULTS:
        assert same(read, theirs["loaded"])
