"""Calls in the older order, with numbers before the tensors that they weigh: PyTorch takes them, and warns once."""

from __future__ import annotations

import subprocess
import sys

import monograph as torch
import pytest

SETUP = "x, y, v, b = torch.arange(4.0).view(2, 2), torch.ones(2, 2) * 3, torch.ones(2), torch.ones(1, 2, 2)\n"
CALLS = [
    "x.add(2, y)", "x.clone().add_(0.5, y)", "torch.add(x, 2, y)", "x.sub(2, y)", "x.clone().sub_(2, y)", "torch.sub(x, 2, y)",
    "x.addcmul(2, y, y)", "x.clone().addcmul_(0.1, y, y)", "torch.addcmul(x, 2, y, y)", "x.clone().addcdiv_(-0.1, y, y)", "torch.addcdiv(x, 2, y, y)",
    "torch.addmm(2, x, 3, y, y)", "torch.addmm(2, x, y, y)", "x.addmm(2, 3, y, y)", "x.addmm(2, y, y)", "x.clone().addmm_(2, 3, y, y)",
    "torch.addmv(2, v, 3, y, v)", "v.addmv(2, y, v)", "v.clone().addmv_(2, 3, y, v)", "torch.addr(2, x, 3, v, v)", "x.addr(2, v, v)",
    "torch.addbmm(2, x, 3, b, b)", "torch.baddbmm(2, b, 3, b, b)", "b.baddbmm(2, b, b)", "torch.add(x, 2, y, out=torch.empty(0))",
    "x.addcmul(True, y, y)",
]  # fmt: skip
REFUSED = ["torch.add(2, x, y)", "x.add(2, 3, y)", "torch.mul(x, 2, y)", "x.addcmul(2, y)", "torch.addmm(1, 2, 3, x, y, y)", "torch.addmm(x, y, 2, y)", "torch.subtract(x, 2, y)"]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_they_compute_as_in_pytorch(oracle, call):
    expected = oracle.run(f"import warnings\nwarnings.simplefilter('ignore')\n{SETUP}result = {call}")
    here = {"torch": torch}
    exec(f"{SETUP}result = {call}", here)
    assert torch.equal(here["result"], torch.from_numpy(expected))


@pytest.mark.parametrize("call", REFUSED)
def test_what_is_no_such_call_is_refused(call):
    here = {"torch": torch}
    exec(SETUP, here)
    with pytest.raises(TypeError):
        eval(call, here)


def test_it_warns_once():
    program = "import monograph as torch\nx = torch.ones(2)\nfor k in range(3):\n    x.add_(0.5, x)\nprint(x.tolist())\nx.addcmul(1, x, x)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "[3.375, 3.375]\n"
    assert run.stderr.count("This order of the arguments of add_ is deprecated") == 1 and run.stderr.count("deprecated") == 2


def test_a_gradient_goes_through_it():
    x = torch.ones(2, requires_grad=True)
    x.add(3, x * 2).sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]


def test_a_trace_records_it():
    traced = torch.jit.trace(lambda x, y: x.add(2, y).mul(x), (torch.ones(2), torch.ones(2)))
    assert traced(torch.full((2,), 2.0), torch.ones(2)).tolist() == [8.0, 8.0]


def test_older_names():
    x = torch.arange(4.0, requires_grad=True)
    with pytest.warns(UserWarning, match="non-inplace resize is deprecated"):
        y = x.resize(2, 2)
    y.sum().backward()
    assert y.tolist() == [[0, 1], [2, 3]] and x.grad.tolist() == [1, 1, 1, 1]
    with pytest.warns(UserWarning, match="resize_as"):
        assert x.resize_as(torch.ones(2, 2)).shape == (2, 2)
    with pytest.warns(UserWarning), pytest.raises(RuntimeError, match=r"requested resize to 3 \(3 elements in total\), but the given tensor has a size of 4"):
        x.resize(3)
    with pytest.warns(UserWarning, match="volatile was removed"):
        assert x.volatile is False
    with pytest.warns(FutureWarning, match="renamed to `max_val`"):
        assert torch.nn.Hardtanh(max_value=3.0)(torch.tensor([5.0])).item() == 3
    assert torch.nn.NLLLoss2d()(torch.zeros(1, 2, 1, 1), torch.zeros(1, 1, 1, dtype=torch.long)).item() == 0
    assert torch.autograd.variable.Variable is torch.autograd.Variable and isinstance(x, torch.autograd.Variable)
