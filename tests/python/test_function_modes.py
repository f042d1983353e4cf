"""What TorchFunctionMode, and a subclass of Tensor with its own __torch_function__, gets: the functions by name, and their arguments."""

from __future__ import annotations

from typing import Any

import monograph as torch
import pytest
from beside import as_numpy

# Expressions over x (a 2 x 3 tensor that requires grad), y (its square), v (one element), n (ints) and z (complex).
TEXTS = [
    "x.shape", "x.dtype", "x.device", "x.ndim", "x.grad", "x.requires_grad", "x.T", "x.mT", "x.H", "x.data", "x.is_leaf", "x.grad_fn", "x.layout", "x.itemsize", "x.nbytes",
    "x._version", "x._base", "x.output_nr", "x.is_cpu", "x.is_cuda", "x.is_meta", "x.is_sparse", "x.is_quantized", "z.real", "z.imag",
    "x[0]", "x[0, 1]", "x[None]", "x[n]", "len(x)", "x.size()", "x.size(0)", "x.stride()", "x.dim()", "x.numel()", "x.nelement()", "x.is_contiguous()",
    "x.is_floating_point()", "x.is_complex()", "x.is_signed()", "x.element_size()", "x.storage_offset()", "x.get_device()", "x.detach().requires_grad_()", "v.item()",
    "n.tolist()", "n.numpy()", "bool(v)", "int(v)", "float(v)", "[1, 2, 3][n[0]]", "1 in n", "list(n)", "n in [n]", "x.float()", "x.double()", "x.long()", "x.type()",
    "x.cpu()", "x.new_tensor([1.0])", "x.new_zeros(2)", "x.sum(dim=1)", "x.backward(torch.ones(2, 3))", "y.sum().backward()", "x.clone()", "x.t()", "x.view(3, 2)",
    "torch.tensor([1.0])", "torch.tensor([1.0], requires_grad=True)", "torch.zeros(2)", "torch.ones(2, 3, dtype=torch.float64)", "torch.empty(0)", "torch.arange(3)",
    "torch.linspace(0, 1, 3)", "torch.eye(2)", "torch.full((2,), 1.0)", "torch.as_tensor([1.0])", "torch.scalar_tensor(1.0)", "torch.rand(2)", "torch.randint(3, (2,))",
    "torch.zeros_like(x)", "torch.relu(x)", "torch.add(x, 1, alpha=2)", "torch.is_tensor(x)", "torch.is_floating_point(x)", "torch.numel(x)", "torch.cat([x, x])",
    "torch.stack([x, x], dim=1)", "torch.split(x, 1)", "torch.einsum('ij,ij->i', x, x)", "torch.meshgrid(n, n, indexing='ij')", "torch.norm(x)", "torch.equal(x, x)",
    "torch.allclose(x, x)", "torch.nn.functional.relu(x)", "torch.nn.functional.linear(x, x)", "torch.nn.functional.softmax(x, dim=1)",
    "torch.nn.functional.dropout(x, 0.5, False)", "x + 1", "1 + x", "x == x", "-x", "x @ x.T", "abs(x)", "x ** 2", "x.mul_", "x.reshape(-1)",
]  # fmt: skip
STATEMENTS = ["x.grad = None", "x.requires_grad = True", "x.data = y.detach()", "n[0] = 5", "n[n > 1] = 0", "n += 1", "z.real = v", "del x.grad"]
MAKE = """
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
y, v, n, z = x * x, torch.tensor(2.0), torch.tensor([1, 2]), torch.tensor([1 + 2j])
"""
WITH_MODE = f"""
class Mode(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        seen.append([torch.overrides.resolve_name(func) or getattr(func, "__name__", "?"), [type(a).__name__ for a in args], kwargs and sorted(kwargs), kwargs is None])
        return func(*args, **(kwargs or {{}}))

result, seen = {{}}, []
for text in texts:
    scope = {{"torch": torch}}
    exec('''{MAKE}''', scope)
    seen.clear()
    try:
        with Mode():
            exec(text, scope)
    except Exception as error:
        seen.append([type(error).__name__])
    result[text] = [list(call) for call in seen]
"""
WITH_SUBCLASS = f"""
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        seen.append([torch.overrides.resolve_name(func) or getattr(func, "__name__", "?"), [type(a).__name__ for a in args], kwargs and sorted(kwargs), kwargs is None])
        return super().__torch_function__(func, types, args, kwargs)

result, seen = {{}}, []
for text in texts:
    scope = {{"torch": torch}}
    exec('''{MAKE}''', scope)
    for name in "xyvnz":
        scope[name] = scope[name].detach().as_subclass(Logged)
    seen.clear()
    try:
        exec(text, scope)
    except Exception as error:
        seen.append([type(error).__name__])
    result[text] = [list(call) for call in seen]
"""


def run(program: str, **inputs: Any) -> Any:
    scope: dict[str, Any] = {"torch": torch, **inputs}
    exec(program, scope)
    return as_numpy(scope["result"])


def differences(ours: Any, theirs: Any) -> list[str]:
    return [f"{text}: {ours[text]} here, {theirs[text]} in PyTorch" for text in theirs if ours[text] != theirs[text]]


@pytest.mark.oracle
def test_a_mode_sees_what_pytorchs_sees(oracle):
    texts = TEXTS + STATEMENTS
    assert not differences(run(WITH_MODE, texts=texts), oracle.run(WITH_MODE, texts=texts))


@pytest.mark.oracle
def test_a_subclass_sees_what_pytorchs_sees(oracle):
    texts = [t for t in TEXTS + STATEMENTS if "backward" not in t and "grad(" not in t]
    assert not differences(run(WITH_SUBCLASS, texts=texts), oracle.run(WITH_SUBCLASS, texts=texts))


class Names(torch.overrides.TorchFunctionMode):
    def __init__(self, word: str, seen: list[str]):
        super().__init__()
        self.word, self.seen = word, seen

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(f"{self.word} {torch.overrides.resolve_name(func)}")
        return func(*args, **(kwargs or {}))


def test_attributes_and_methods_reach_each_mode_around():
    x, seen = torch.ones(2, 3, requires_grad=True), []
    with Names("outer", seen), Names("inner", seen):
        assert x.shape == (2, 3) and x.size(0) == 2 and len(x) == 2 and x[0].shape == (3,)
        x.grad = torch.zeros(2, 3)
    names = ["Tensor.shape.__get__", "Tensor.size", "Tensor.__len__", "Tensor.__getitem__", "Tensor.shape.__get__", "zeros", "Tensor.grad.__set__"]
    assert seen == [f"{word} torch.{name}" for name in names for word in ("inner", "outer")]
    seen.clear()
    assert x.shape == (2, 3) and seen == []


def test_methods_written_in_python_reach_each_mode_around():
    x, seen = torch.ones(2, 3), []
    with Names("outer", seen), Names("inner", seen):
        assert x.float().dtype == torch.float32 and x.split(1)[0].shape == (1, 3)
    names = [name for name in seen if name.split()[1] in ("torch.Tensor.float", "torch.Tensor.split")]
    assert names == [f"{word} torch.Tensor.{name}" for name in ("float", "split") for word in ("inner", "outer")]


NESTED = """
class Names(torch.overrides.TorchFunctionMode):
    def __init__(self, word):
        super().__init__()
        self.word = word
    def __torch_function__(self, func, types, args=(), kwargs=None):
        seen.append([self.word, torch.overrides.resolve_name(func), func == torch.Tensor.float, func in (torch.Tensor.double, torch.Tensor.split)])
        return func(*args, **(kwargs or {}))
class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        seen.append(["own", torch.overrides.resolve_name(func)])
        return super().__torch_function__(func, types, args, kwargs or {})
seen = []
x = torch.ones(2, 3)
y = x.as_subclass(Own)
for call in (lambda: x.float(), lambda: x.double(), lambda: x.split(1), lambda: x.norm(), lambda: y.float(), lambda: y.split(1)):
    with Names("outer"), Names("inner"):
        call()
result = seen
"""


@pytest.mark.oracle
def test_nested_modes_and_a_subclass_see_pytorchs_calls(oracle):
    ours: dict[str, Any] = {"torch": torch}
    exec(NESTED, ours)
    assert ours["result"] == oracle.run(NESTED)


def test_a_mode_may_answer_for_an_attribute():
    class Larger(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            if func == torch.Tensor.shape.__get__:
                return torch.Size([9])
            return 7 if func is torch.Tensor.__len__ else func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Larger():
        assert x.shape == (9,) and len(x) == 7 and x.ndim == 1
    assert x.shape == (2,) and len(x) == 2


def test_an_error_of_a_mode_comes_through():
    class Refuses(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            raise ValueError(func.__name__)

    x = torch.ones(2)
    with Refuses():
        for text, name in {"x.shape": "__get__", "x.size()": "size", "len(x)": "__len__", "x[0]": "__getitem__", "bool(x)": "__bool__", "x.float()": "float"}.items():
            with pytest.raises(ValueError, match=name):
                eval(text, {"x": x})
        with pytest.raises(ValueError, match="__set__"):
            x.grad = None


def test_has_torch_function_knows_modes():
    x, seen = torch.ones(1), []
    assert not torch.overrides.has_torch_function((x,))
    with Names("one", seen):
        assert torch.overrides.has_torch_function((x,)) and torch.overrides.has_torch_function_unary(x) and torch.overrides.has_torch_function_variadic(x, 1)
        assert torch.overrides.handle_torch_function(torch.relu, (x,), x).tolist() == [1]
    assert seen[0] == "one torch.relu"
