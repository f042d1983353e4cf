"""Which dtypes an out= tensor may have, beside live PyTorch, for every record with samples. tests/cpp/out_dtypes_test.cpp asks the same of calls, the meta
device and graphs, without PyTorch."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from pathlib import Path

import monograph as torch
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("MONOGRAPH_PROGRAMS", ROOT / "build" / "release" / "tests"))
TOOL = ROOT / "tools" / "oracle" / "out_dtypes.py"

NUMBER_FORM = "torch.add(x, 1, out=y) is a call of this overload here, and of the one for tensors in PyTorch: both convert"
ANYTHING = "PyTorch writes into memory of any dtype"
STEPS = "PyTorch's case is one that it does in other steps; with another number of steps the two are equal"
OTHERWISE = {  # overloads that take other dtypes than PyTorch's, with the reason
    "aten::add.Scalar_out": NUMBER_FORM,
    "aten::sub.Scalar_out": NUMBER_FORM,
    "aten::mul.Scalar_out": NUMBER_FORM,
    "aten::div.Scalar_out": NUMBER_FORM,
    "aten::div.Scalar_mode_out": NUMBER_FORM,
    "aten::floor_divide.Scalar_out": NUMBER_FORM,
    "aten::_fft_c2c.out": ANYTHING,
    "aten::_fft_r2c.out": ANYTHING,
    "aten::_fft_c2r.out": ANYTHING,
    "aten::chain_matmul.out": ANYTHING,
    "aten::diff.out": STEPS,
    "aten::matrix_power.out": STEPS,
    "aten::fft_ifft.out": "of a real tensor PyTorch takes the conjugate in place, which needs the dtype; this one converts, as that of fft",
    "aten::_int_mm.out": "PyTorch does not give the out= tensor the size of the result",
    "aten::linalg_lstsq.out": "PyTorch converts all results but the singular values",
    "aten::max.unary_out": "it takes the dtype of the input, as max over a dim does; PyTorch converts",
    "aten::min.unary_out": "it takes the dtype of the input, as min over a dim does; PyTorch converts",
    "aten::nansum.out": "PyTorch computes in an integer dtype only where dtype= says so",
}


@pytest.mark.oracle
def test_out_takes_the_dtypes_that_pytorch_takes():
    spec = importlib.util.spec_from_file_location("out_dtypes", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    records = subprocess.run([PROGRAMS / "support_matrix", "--samples"], check=True, capture_output=True, text=True).stdout
    asked = [os.environ["MONOGRAPH_ORACLE"], TOOL, ROOT / "tests" / "data" / "ops"]
    rows = subprocess.run(asked, input=records, check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(rows) > 1000
    wrong: dict[str, str] = {}
    seen = set()
    for row in map(json.loads, rows):
        ours = tool.taken(torch, row)
        seen.add(row["op"])
        if ours != row["taken"] and row["op"] not in wrong:
            wrong[row["op"]] = f"results {row['r']}: here {ours}, in PyTorch {row['taken']}"
    assert not {op: text for op, text in wrong.items() if op not in OTHERWISE}
    assert not set(OTHERWISE) - set(wrong), "no longer different"
