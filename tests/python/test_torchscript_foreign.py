"""Archives whose operators, tensors or objects Monograph lacks (tests/data/torchscript_foreign, by tools/oracle/freeze_torchscript_foreign.py): `info` and `print`
show them, jit.load reads them, running names the operator and the line, and torch.library can supply the operators."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import monograph as torch
import numpy as np
import pytest
from test_torchscript import assert_equal
from test_torchscript_found import archive, text

Tensor = torch.Tensor
FOLDER = Path(__file__).resolve().parents[1] / "data" / "torchscript_foreign"
ARCHIVES = sorted(path for path in FOLDER.glob("*.pt") if path.stem != "expected")
RUNS = torch.load(FOLDER / "expected.pt")["runs"]
RUN_ALONE = ["quantized_buffers", "float8", "rounded", "rounded_traced"]
# What calls of forward cannot run, and a word of the line that has it.
LACKS = {
    "detector": ["torchvision::nms"],
    "detector_frozen": ["torchvision::nms"],
    "one_branch": ["mine::ends"],
    "quantized": ["quantized::conv2d", "quantized::linear"],
    "quantized_traced": ["quantized::conv2d", "quantized::linear"],
    "quantized_frozen": ["quantized::conv2d", "quantized::linear"],
    "quantized_dynamic": ["quantized::linear_dynamic"],
    "quantized_lstm": ["quantized_lstm"],
    "onednn": ["aten::to_mkldnn"],
}


def command(*args: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).parent / "monograph"
    return subprocess.run([str(program), *args], capture_output=True, text=True, timeout=60)


def shown(*args: str) -> str:
    done = command(*args)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda p: p.stem)
def test_info_and_print_show_every_archive(path: Path):
    said, told = shown("info", str(path)), json.loads(shown("info", str(path), "--json"))
    refused = {r["what"] for r in told["cannot_run"]}
    assert set(LACKS.get(path.stem, [])) <= {*refused, *(name.partition("::")[2] for name in refused)}
    for refusal in told["cannot_run"]:
        assert refusal["what"] in said and re.search(r"\.py(:|, line )\d+$", refusal["at"]) and refusal["why"], refusal
    for held in told["not_built"]:
        assert held["name"] in said and held["what"] in said
    for form in ("text", "tabular", "code", "torchscript", "json", "dot"):
        printed = shown("print", str(path), "--form", form)
        for name in refused if form in ("text", "torchscript") else ():
            assert name in printed
    assert command("doctor", str(path)).stdout.count("WRONG") >= bool(told["cannot_run"])


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda p: p.stem)
def test_every_archive_loads_and_is_written_again(path: Path):
    module, buffer = torch.jit.load(path), io.BytesIO()
    assert module.code.startswith("  def forward(") and repr(module)
    torch.jit.save(module, buffer)
    buffer.seek(0)
    again = torch.jit.load(buffer)
    assert again.code == module.code
    for name, tensor in module.state_dict().items():
        got = again.state_dict()[name]
        assert got.dtype == tensor.dtype and torch.equal(got.view(torch.uint8), tensor.view(torch.uint8))


@pytest.mark.parametrize("name", LACKS)
def test_running_names_the_operator_and_the_line(name: str, tmp_path: Path):
    inputs = {"detector": torch.rand(3, 4), "detector_frozen": torch.rand(3, 4), "one_branch": torch.rand(3, 4), "quantized_dynamic": torch.rand(2, 4), "quantized_lstm": torch.rand(2, 1, 3)}
    x = inputs.get(name, torch.rand(2, 1, 4, 4))
    args = (x, True) if name == "one_branch" else (x,)
    module = torch.jit.load(FOLDER / f"{name}.pt")
    with pytest.raises(RuntimeError, match=rf"{LACKS[name][0]}\b.*cannot run(.|\n)*\.py:\d+"):
        module(*args)


def test_a_branch_without_the_operator_runs():
    module = torch.jit.load(FOLDER / "one_branch.pt")
    x = torch.rand(3, 4)
    assert_equal(module(x), x * 2 + 1)
    assert_equal(torch.load_graph(FOLDER / "one_branch.pt")(x, False), x * 2 + 1)


SUPPLIED = """
import sys
import monograph as torch
sys.path.insert(0, {tests!r})
from test_torchscript import assert_equal

path, runs, late = {path!r}, torch.load({expected!r})["runs"][{name!r}], {late!r}
module = torch.jit.load(path)
if late:  # it ran without them before
    for method, args, _ in runs:
        try:
            getattr(module, method)(*args)
        except RuntimeError as error:
            assert "cannot run" in str(error) or "there is no operator mine::count (" in str(error), error

def iou(a, b):
    both = (torch.minimum(a[2:], b[2:]) - torch.maximum(a[:2], b[:2])).clamp(min=0).prod()
    return both / ((a[2:] - a[:2]).prod() + (b[2:] - b[:2]).prod() - both)

def nms(boxes, scores, limit):
    kept = []
    for k in scores.argsort(descending=True).tolist():
        if all(iou(boxes[k], boxes[other]) <= limit for other in kept):
            kept.append(k)
    return torch.tensor(kept, dtype=torch.int64)

vision = torch.library.Library("torchvision", "DEF")
vision.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
vision.impl("nms", nms, "CPU")
mine = torch.library.Library("mine", "DEF")
mine.define("ends(Tensor x, int n=2, *, float? by=None) -> (Tensor, Tensor)")
mine.define("count(Tensor x) -> int")
mine.define("parts(Tensor[] xs, str mode) -> Tensor[]")
mine.impl("ends", lambda x, n=2, by=None: (x[:n] * (by or 1.0), x[-n:].clone()), "CPU")
mine.impl("count", lambda x: int((x > 0).sum()), "CPU")
mine.impl("parts", lambda xs, mode: [x.neg() if mode == "neg" else x.clone() for x in xs], "CPU")

def linear_dynamic(x, packed, reduce_range=False):
    assert packed.name == "__torch__.torch.classes.quantized.LinearPackedParamsBase" and "LinearPackedParamsBase" in repr(packed)
    weight, bias = packed.state
    assert weight.name == "torch._utils._rebuild_qtensor" and repr(weight).startswith("<quantized tensor of QInt8 [3, 4]")
    ints, offset, size, stride, (scheme, scale, zero) = weight.state[:5]
    assert (ints.dtype, offset, size, scheme) == (torch.int8, 0, (3, 4), "torch.per_tensor_affine")
    w = (ints.reshape(3, 4).float() - zero) * scale
    low, high = min(x.min().item(), 0.0), max(x.max().item(), 0.0)  # quantizes the input to 7 bits, as FBGEMM does
    step = (high - low) / 127
    start = round(-low / step)
    q = ((x / step).round() + start).clamp(0, 127)
    return (q - start) * step @ w.t() + bias

quantized = torch.library.Library("quantized", "DEF")
quantized.define("linear_dynamic(Tensor X, __torch__.torch.classes.quantized.LinearPackedParamsBase W_prepack, bool reduce_range=False) -> Tensor Y")
quantized.impl("linear_dynamic", linear_dynamic, "CPU")
for method, args, expected in runs:
    got = getattr(module, method)(*args)
    if {name!r} == "quantized_dynamic":
        torch.testing.assert_close(got, expected, rtol=0.05, atol=0.05)
    else:
        assert_equal(got, expected)
print("same")
"""


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("name", [name for name in RUNS if name not in RUN_ALONE])
def test_torch_library_supplies_the_operators(name: str, late: bool):
    """Also when the archive ran, and failed, before."""
    path, expected = str(FOLDER / f"{name}.pt"), str(FOLDER / "expected.pt")
    program = SUPPLIED.format(tests=str(Path(__file__).parent), path=path, expected=expected, name=name, late=late)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout == "same\n", done.stderr


@pytest.mark.parametrize("name", RUN_ALONE)
def test_what_needs_no_missing_tensor_runs(name: str):
    module = torch.jit.load(FOLDER / f"{name}.pt")
    for method, args, expected in RUNS[name]:
        assert_equal(getattr(module, method)(*args), expected)


def test_what_quantizes_and_goes_on_as_float32_runs_in_the_program_and_again(tmp_path: Path):
    (method, args, expected), *_ = RUNS["rounded_traced"]
    again = tmp_path / "again.pt"
    torch.jit.save(torch.jit.load(FOLDER / "rounded_traced.pt"), again)
    for path in (FOLDER / "rounded_traced.pt", again):
        assert json.loads(shown("info", str(path), "--json"))["cannot_run"] == []
        np.save(tmp_path / "x.npy", args[0].numpy())
        done = command("run", str(path), "--input", str(tmp_path / "x.npy"), "--output", str(tmp_path / "y.npy"))
        assert done.returncode == 0, done.stderr
        assert np.load(tmp_path / "y.npy").tolist() == expected.tolist()
        assert torch.equal(getattr(torch.jit.load(path), method)(*args), expected)


def test_tensors_of_other_kinds_are_described():
    module = torch.jit.load(FOLDER / "quantized_buffers.pt")
    assert repr(module.weight) == "<quantized tensor of QInt8 [2, 3], which Monograph does not build>"
    ints, _, size, _, scheme = module.weight.state[:5]
    assert (ints.tolist(), size, scheme) == ([3, 13, 23, 33, 43, 53], (2, 3), ("torch.per_tensor_affine", 0.1, 3))
    assert list(module.state_dict()) == ["scale"]
    with pytest.raises(TypeError, match=r"dequantize\(\): argument 'self' must be Tensor, not quantized tensor of QInt8(.|\n)*\.py:\d+"):
        module(torch.rand(2, 2))
    float8 = torch.jit.load(FOLDER / "float8.pt")
    assert (float8.a.dtype, float8.b.dtype, float8.c.dtype) == (torch.float8_e4m3fn, torch.float8_e5m2, torch.uint16)
    assert float8.a.float().tolist() == [1.0, -0.5, 448.0] and float8.c.tolist() == [1, 60000]
    assert repr(torch.jit.load(FOLDER / "sparse.pt").links).startswith("<sparse tensor")
    assert repr(torch.jit.load(FOLDER / "exponents.pt").e).startswith("<tensor of Float8_e8m0fnu [2]")
    with pytest.raises(TypeError, match=r"must be Tensor, not tensor of Float8_e8m0fnu \[2\]\n.*\.py:\d+"):
        torch.jit.load(FOLDER / "exponents.pt")(torch.rand(2))


PHONE = """class M(Module):
  __parameters__ = []
  __buffers__ = []
  training : bool
  prepack_folding0 : __torch__.torch.classes.xnnpack.LinearOpContext
  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
    prepack_folding0 = self.prepack_folding0
    _0 = ops.prepacked.linear_clamp_run(x, prepack_folding0)
    return torch.add(_0, 1)
  def unpacked(self: __torch__.M) -> Tensor:
    w, b, low, high, = (self.prepack_folding0).unpack()
    return w
"""
CONTEXT = text("prepack_folding0") + b"c__torch__.torch.classes.xnnpack\nLinearOpContext\n)\x81(NNK\x00K\x06tb"


def test_packed_parameters_for_phones(tmp_path: Path):
    """Written by hand: what torch.utils.mobile_optimizer makes of a linear layer and relu6."""
    path = tmp_path / "phone.pt"
    module = archive(path, PHONE, CONTEXT)
    assert repr(module.prepack_folding0) == "<__torch__.torch.classes.xnnpack.LinearOpContext, which Monograph does not build>"
    assert module.prepack_folding0.state == (None, None, 0, 6)
    with pytest.raises(RuntimeError, match=r"prepacked::linear_clamp_run(.|\n)*there is no operator(.|\n)*__torch__\.py:9"):
        module(torch.ones(2))
    with pytest.raises(RuntimeError, match=r"LinearOpContext\.unpack(.|\n)*__torch__\.py:12"):
        module.unpacked()
    said = shown("info", str(path))
    assert "prepack_folding0: __torch__.torch.classes.xnnpack.LinearOpContext" in said and "prepacked::linear_clamp_run" in said
    assert "__torch__.py:9" in said and "prepacked::linear_clamp_run" in shown("print", str(path))
    done = command("run", str(path), "--input", "text:1,2:float32")
    assert done.returncode != 0 and "prepacked::linear_clamp_run" in done.stderr and "__torch__.py:9" in done.stderr


DOES_NOT_COMPILE = PHONE.replace("torch.add(_0, 1)", "x @ (yield x)")


def test_a_method_that_does_not_compile_is_shown_as_it_stands(tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "m.pt", "w") as z:
        z.writestr("m/data.pkl", b"\x80\x02c__torch__\nM\n)\x81}(" + text("training") + b"\x89" + CONTEXT + b"ub.")
        z.writestr("m/constants.pkl", b"\x80\x02).")
        z.writestr("m/code/__torch__.py", DOES_NOT_COMPILE)
        z.writestr("m/version", "10\n")
    path = str(tmp_path / "m.pt")
    for said in (shown("info", path), shown("print", path)):
        assert "forward" in said and "code/__torch__.py, line 6" in said
    assert "# " in shown("print", path) and "yield x" in shown("print", path, "--function", "forward")
    with pytest.raises(Exception, match="yield"):
        torch.load_graph(path)
    assert command("run", path, "--input", "x:1").returncode != 0


DEFINED = """
held = [torch.library.Library("torchvision", "FRAGMENT"), torch.library.Library("mine", "FRAGMENT")]
held[0].define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
for schema in ("ends(Tensor x, int n=2, *, float? by=None) -> (Tensor, Tensor)", "count(Tensor x) -> int", "parts(Tensor[] xs, str mode) -> Tensor[]"):
    held[1].define(schema)
torch.operators_of_archives = held  # as long as the process lives
result = None
"""
SAME = """
def bits(t):
    if t.is_sparse: return [bits(t._indices()), bits(t._values())]
    return [str(t.qscheme()), t.int_repr().tolist()] if t.is_quantized else t.contiguous().view(torch.uint8).tolist()

def parts(module):
    return [(name, str(t.dtype), bits(t)) for name, t in sorted(module.named_buffers()) + sorted(module.named_parameters())]

a, b = torch.jit.load(first), torch.jit.load(second)
result = a.code == b.code and parts(a) == parts(b) and str(sorted(a.state_dict())) == str(sorted(b.state_dict()))
"""


@pytest.mark.oracle
def test_pytorch_reads_what_was_written_again(oracle: Any, tmp_path: Path):
    """Quantized, sparse and float8 tensors and packed parameters keep their bits."""
    oracle.run("import torch\n" + DEFINED)
    for path in ARCHIVES:
        if path.stem == "onednn_frozen":  # PyTorch does not load this file of its own
            continue
        torch.jit.save(torch.jit.load(path), tmp_path / "again.pt")
        assert oracle.run(SAME, first=str(path), second=str(tmp_path / "again.pt")) is True, path.stem
    run = "result = torch.jit.load(second)(x).tolist() == torch.jit.load(first)(x).tolist()"
    for name in ("quantized", "quantized_frozen", "quantized_dynamic"):
        torch.jit.save(torch.jit.load(FOLDER / f"{name}.pt"), tmp_path / "again.pt")
        x = torch.rand(2, 4) if name == "quantized_dynamic" else torch.rand(2, 1, 4, 4)
        assert oracle.run(run, first=str(FOLDER / f"{name}.pt"), second=str(tmp_path / "again.pt"), x=x.numpy()) is True, name
