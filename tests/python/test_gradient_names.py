"""grad_fn.name(): each record's node has PyTorch's name, as src/autograd/node_names.inc states it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import monograph as torch
import pytest
from test_calls_of_torch_ops import decode, first_cases

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("MONOGRAPH_PROGRAMS", ROOT / "build" / "release" / "tests"))
LINES = re.findall(r'\{"aten::(.*)", "(.*)", "(.*)"\}', (ROOT / "src" / "autograd" / "node_names.inc").read_text())
NAMES = {(name, kind): node for name, kind, node in LINES}  # by the record and the kind of arguments, "" for all others
F = torch.nn.functional
# Records whose results have other nodes here, with the reason.
OTHERWISE: dict[str, str] = {}


def flat(value: Any) -> list[Any]:
    return [x for part in value for x in flat(part)] if isinstance(value, (list, tuple)) else [value]


def leaf(value: Any) -> Any:
    if isinstance(value, list):
        return [leaf(v) for v in value]
    differentiable = isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
    return value.requires_grad_() if differentiable else value


def kind_of(args: list[Any]) -> str:
    words = {True: "T", False: "F", None: "-"}
    return ",".join(str(v.dim()) if isinstance(v, torch.Tensor) else words[v] if v is None or isinstance(v, bool) else "." for v in args)


def test_each_record_has_pytorchs_name():
    seen, other = 0, {}
    for base, overload, keywords, encoded in first_cases():
        name = base if overload == "default" else f"{base}.{overload}"
        args = [leaf(v) for v in decode(encoded)]
        count = len(args) - len(keywords)
        expected = NAMES.get((name, kind_of(args))) or NAMES.get((name, ""))
        if expected is None or not any(isinstance(t, torch.Tensor) and t.requires_grad for t in flat(args)):
            continue
        results = flat(getattr(getattr(torch.ops.aten, base), overload)(*args[:count], **dict(zip(keywords, args[count:], strict=True))))
        found = {t.grad_fn.name() for t in results if isinstance(t, torch.Tensor) and t.grad_fn is not None}
        seen += bool(found)
        if found and found != {expected}:
            other[name] = f"{found} here, {expected} in PyTorch"
    assert other.keys() == OTHERWISE.keys(), other
    assert seen > 400


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: torch.nn.BatchNorm1d(3)(x), "NativeBatchNormBackward0"),
        (lambda x: torch.nn.BatchNorm1d(2, affine=False).eval()(x[None].expand(4, 2, 3)), "NativeBatchNormBackward0"),
        (lambda x: torch.nn.BatchNorm3d(2, track_running_stats=False)(x[:, :, None, None].expand(2, 2, 3, 2, 2)[:, :2]), "NativeBatchNormBackward0"),
        (lambda x: F.cross_entropy(x.expand(2, 2, 2, 3), torch.zeros(2, 2, 3, dtype=torch.int64)), "NllLoss2DBackward0"),
        (lambda x: F.scaled_dot_product_attention(*[x.expand(1, 1, 2, 3)] * 3), "ScaledDotProductFlashAttentionForCpuBackward0"),
        (lambda x: x.sum(1), "SumBackward1"),
        (lambda x: x.sum(), "SumBackward0"),
        (lambda x: x.mean(1), "MeanBackward1"),
        (lambda x: x + 1, "AddBackward0"),
        (lambda x: x**x, "PowBackward1"),
        (lambda x: F.smooth_l1_loss(x, 2 * x), "SmoothL1LossBackward0"),
        (lambda x: F.mse_loss(x, 2 * x), "MseLossBackward0"),
        (lambda x: F.huber_loss(x, 2 * x), "HuberLossBackward0"),
        (lambda x: torch.stack([x, x]), "StackBackward0"),
        (lambda x: x.tril(), "TrilBackward0"),
        (lambda x: x.square(), "PowBackward0"),
        (lambda x: x.repeat(2, 1), "RepeatBackward0"),
    ],
)
def test_names_that_programs_print(call, name):
    assert call(torch.rand(2, 3, requires_grad=True)).grad_fn.name() == name


def test_the_name_of_an_argument_stays():
    """An operator that returns its argument gives no node a name."""
    x = torch.rand(2, 3, requires_grad=True) * 2
    assert x.contiguous() is x and x.to(torch.float32) is x and x.grad_fn.name() == "MulBackward0"


@pytest.mark.oracle
def test_the_table_is_pytorchs(sample_seed, tmp_path):
    records = subprocess.run([PROGRAMS / "support_matrix", "--samples"], check=True, capture_output=True, text=True).stdout
    tool = [os.environ["MONOGRAPH_ORACLE"], ROOT / "tools" / "oracle" / "freeze_gradient_names.py", tmp_path / "names.inc", str(sample_seed)]
    subprocess.run(tool, input=records, check=True, text=True, stderr=subprocess.DEVNULL)
    assert (tmp_path / "names.inc").read_text() == (ROOT / "src" / "autograd" / "node_names.inc").read_text()
