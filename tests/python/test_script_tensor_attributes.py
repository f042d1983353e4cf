"""What scripts ask of tensors as attributes and by methods without arguments, and numbers that are written into tensors: as the class Tensor answers in Python."""

from __future__ import annotations

import linecache
from typing import Any

import monograph as torch
import pytest

X = torch.arange(6.0).reshape(2, 3)
Z = torch.tensor([[1 + 2j, 3 - 1j]])

# An expression of x, and whether it is asked of a complex tensor too.
EXPRESSIONS = [
    *("x.T", "x.mT", "x.H", "x.mH", "x.adjoint()", "x.real", "x.data", "x.shape", "x.ndim", "x.dtype == torch.uint8", "x.device", "x.layout == torch.strided"),
    *("x.is_cpu", "x.is_cuda", "x.is_meta", "x.is_mps", "x.is_xpu", "x.is_sparse", "x.is_quantized", "x.is_nested", "x.is_mkldnn"),
    *("x.itemsize", "x.nbytes", "x.requires_grad", "x.stride()", "x.stride(0)", "x.element_size()", "x.is_signed()", "x.is_contiguous()"),
    *("x.T.is_contiguous()", "x.T.stride()", "x.get_device()", "x.is_inference()", "x.is_pinned()", "x.storage_offset()", "x.cpu()"),
]
CONVERSIONS = ["byte", "char", "short", "int", "long", "half", "bfloat16", "float", "double", "bool"]
INDICES = ["m[1]", "m[1:3]", "m[...]", "m[k]", "m[[0, 2]]", "m[m > 2]", "m[None]"]
NUMBERS = ["1", "True", "2.5"]
DTYPES = [torch.uint8, torch.bool, torch.int64, torch.float16, torch.float32, torch.float64]


def function(tmp_path: Any, text: str) -> Any:
    path = str(tmp_path / "f.py")
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    space: dict[str, Any] = {"torch": torch, "Tensor": torch.Tensor}
    exec(compile(text, path, "exec"), space)
    return space["f"]


def same(a: Any, b: Any) -> bool:
    if isinstance(b, torch.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())
    return type(a) is type(b) and list(a) == list(b) if isinstance(b, (tuple, list, torch.Size)) else a == b


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_script_asks_what_python_does(expression: str, tmp_path: Any):
    f = function(tmp_path, f"def f(x: Tensor):\n    return {expression}\n")
    for x in (X, Z, torch.arange(4).reshape(2, 2).to(torch.uint8)):
        got, expected = torch.jit.script(f)(x), f(x)
        assert same(got, expected) or list(got) == list(expected), (expression, got, expected)


@pytest.mark.parametrize("x", [torch.ones(3), torch.ones(2, 2, 2)], ids=["1-D", "3-D"])
def test_a_script_transposes_matrices_alone(x: torch.Tensor, tmp_path: Any):
    f = torch.jit.script(function(tmp_path, "def f(x: Tensor):\n    return x.H\n"))
    with pytest.raises(RuntimeError, match="tensor.H is only supported on matrices"):
        f(x)


def test_what_an_attribute_shows_is_the_tensor_itself(tmp_path: Any):
    f = function(
        tmp_path,
        "def f(x: Tensor):\n    y = x.clone()\n    y.T[0, 1] = 9.0\n    y.mT[1] = 5.0\n    y.data[0, 0] = 7.0\n    y.real[0, 2] = 8.0\n    return y\n",
    )
    assert torch.jit.script(f)(X).tolist() == f(X).tolist() == [[7.0, 5.0, 8.0], [9.0, 5.0, 5.0]]


@pytest.mark.parametrize("method", CONVERSIONS)
def test_a_method_of_a_dtype_converts(method: str, tmp_path: Any):
    f = function(tmp_path, f"def f(x: Tensor):\n    return x.{method}()\n")
    assert same(torch.jit.script(f)(X), f(X))


def test_type_takes_a_dtype(tmp_path: Any):
    f = function(tmp_path, "def f(x: Tensor):\n    return x.type(torch.float64), x.type(x.dtype)\n")
    a, b = torch.jit.script(f)(X)
    assert a.dtype == torch.float64 and b.dtype == X.dtype


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("index", INDICES)
def test_a_number_takes_the_dtype_of_the_tensor_that_it_is_written_to(index: str, number: str, tmp_path: Any):
    f = function(tmp_path, f"def f(m: Tensor, k: Tensor):\n    {index} = {number}\n    return m\n")
    scripted = torch.jit.script(f)
    for dtype in DTYPES:
        m = torch.arange(4).to(dtype)
        for k in (torch.tensor([0, 2]), torch.tensor([True, False, False, True])):
            assert same(scripted(m.clone(), k), f(m.clone(), k)), dtype


def test_archives_keep_the_attributes(tmp_path: Any):
    class Asks(torch.nn.Module):
        def forward(self, x: torch.Tensor, k: torch.Tensor):
            m = x.clone()
            m[k] = 1
            return (
                x.T,
                x.mT,
                x.H,
                x.mH,
                x.real,
                x.is_cuda,
                x.itemsize,
                x.nbytes,
                x.stride(),
                x.is_signed(),
                x.element_size(),
                x.byte(),
                x.cpu(),
                x.is_contiguous(),
                m,
            )

    module = torch.jit.script(Asks())
    k = torch.tensor([0])
    torch.jit.save(module, tmp_path / "m.pt")
    for a, b in zip(torch.jit.load(tmp_path / "m.pt")(X, k), Asks()(X, k), strict=True):
        assert same(a, b) or list(a) == list(b)


@pytest.mark.oracle
def test_pytorch_answers_the_same(oracle: Any, tmp_path: Any):
    # PyTorch gives dtypes and layouts as numbers.
    asked = [e for e in EXPRESSIONS if e not in ("x.dtype", "x.layout", "x.device")]
    functions = [torch.jit.script(function(tmp_path, f"def f(x: Tensor):\n    return {e}\n")) for e in asked]
    paths = [str(tmp_path / f"{k}.pt") for k in range(len(asked))]
    for f, path in zip(functions, paths, strict=True):
        torch.jit.save(f, path)
    for x in (X, Z):
        answers = oracle.run("result = [torch.jit.load(path)(x) for path in paths]", paths=paths, x=x.numpy())
        for expression, f, theirs in zip(asked, functions, answers, strict=True):
            ours = f(x)
            ours = ours.tolist() if isinstance(ours, torch.Tensor) else ours
            theirs = theirs.tolist() if hasattr(theirs, "tolist") else theirs
            assert ours == theirs or list(ours) == list(theirs), expression
