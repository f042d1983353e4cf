"""repr(tensor) is PyTorch's, on several hundred frozen cases (tools/oracle/freeze_repr.py)."""

from __future__ import annotations

import json
from pathlib import Path

import monograph as torch
import pytest

FOLDER = Path(__file__).resolve().parents[1] / "data" / "repr"
CASES = [(f"{f.stem}-{i}", case) for f in sorted(FOLDER.glob("*.json")) for i, case in enumerate(json.loads(f.read_text())["cases"])]


@pytest.fixture(autouse=True)
def _default_options():
    torch.set_printoptions(profile="default")
    yield
    torch.set_printoptions(profile="default")


def test_there_are_several_hundred_cases():
    assert len(CASES) > 300


@pytest.mark.parametrize("case", [c for _, c in CASES], ids=[n for n, _ in CASES])
def test_repr(case: dict):
    tensor = eval(case["expression"], {"torch": torch, "inf": float("inf"), "nan": float("nan")})
    torch.set_printoptions(**case["options"])
    assert repr(tensor) == case["text"]


def test_a_gradient_function_prints_by_name():
    x = torch.ones(2, requires_grad=True)
    assert repr(x + 1) == "tensor([2., 2.], grad_fn=<AddBackward0>)"


def test_format_of_one_number():
    assert f"{torch.tensor(1.5):.3f}" == "1.500"
    assert f"{torch.tensor(7):5d}" == "    7"
    assert f"{torch.tensor([1.0])}" == "tensor([1.])"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("torch.float32", "torch.float32"),
        ("torch.long", "torch.int64"),
        ("torch.device('cpu')", "device(type='cpu')"),
        ("torch.device('cuda', 1)", "device(type='cuda', index=1)"),
        ("torch.Size([2, 3])", "torch.Size([2, 3])"),
        ("torch.strided", "torch.strided"),
        ("torch.channels_last", "torch.channels_last"),
        ("torch.iinfo(torch.int8)", "iinfo(min=-128, max=127, dtype=int8)"),
        (
            "torch.finfo(torch.float32)",
            "finfo(resolution=1e-06, min=-3.40282e+38, max=3.40282e+38, eps=1.19209e-07, smallest_normal=1.17549e-38, tiny=1.17549e-38, dtype=float32)",
        ),
    ],
)
def test_other_objects(value: str, text: str):
    assert repr(eval(value, {"torch": torch})) == text
