"""The way to live PyTorch itself: values come and go unchanged, errors arrive as errors."""

from __future__ import annotations

import os
import subprocess

import ml_dtypes
import numpy as np
import pytest
from live_oracle import OracleError

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int8, np.int64, np.uint8, np.bool_, np.complex64])
def test_arrays_come_back_bit_for_bit(oracle, sample_seed, dtype):
    array = np.random.default_rng(sample_seed).integers(-3, 100, (3, 4)).astype(dtype)
    back = oracle.eval("x", x=array)
    assert back.dtype == array.dtype and back.tobytes() == array.tobytes()


def test_it_is_the_pinned_pytorch(oracle):
    assert oracle.eval("torch.__version__").startswith("2.13.0")
    assert oracle.eval("torch.backends.cpu.get_cpu_capability()") != "AVX512"
    asked = [os.environ["MONOGRAPH_ORACLE"], "-c", "import torch; print(torch.backends.cpu.get_cpu_capability())"]
    assert subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip() != "AVX512"


def test_it_computes(oracle):
    assert oracle.eval("[torch.add(x, 1), (x.shape, x.dtype)]", x=np.zeros((2,), np.int64))[1] == ((2,), "torch.int64")
    assert oracle.run("torch.manual_seed(s)\nresult = torch.randperm(5).tolist()", s=0) == [4, 0, 1, 3, 2]


def test_errors_arrive(oracle):
    with pytest.raises(OracleError, match="RuntimeError: .*size"):
        oracle.eval("torch.zeros(2) + torch.zeros(3)")
    assert oracle.eval("1 + 1") == 2  # and the process lives on
