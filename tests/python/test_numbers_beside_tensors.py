"""What pointwise functions make of tensors of bools, integers, complex and 16-bit numbers beside tensors of no dims and Python's numbers: the dtype, the values, or the class of the error."""

from __future__ import annotations

import beside
import monograph as torch
import pytest

INPUTS = """
DTYPES = "bool uint8 int16 int64 float16 float32 float64 complex64".split()
NUMBERS = [2, 0, -1, 300, True, False, 2.5, -0.5, float("inf"), 1 + 2j]
def made(name, back=False):
    kind = getattr(torch, name)
    values = [True, False, True] if name == "bool" else [0.5 + 1j, -1.25 - 0.5j, 3.0] if kind.is_complex else [0.5, 1.25, 3.0] if kind.is_floating_point else [0, 1, 2]
    return torch.tensor(values[::-1] if back else values, dtype=kind)
def kind_of(error):
    return "RuntimeError" if isinstance(error, RuntimeError) else type(error).__name__
def tried(call):
    try:
        value = call()
        return [str(value.dtype).split(".")[-1], value.tolist()] if isinstance(value, torch.Tensor) else repr(value)
    except Exception as error:
        return kind_of(error)
"""
# Functions of a tensor and a number, and of a number and a tensor.
WITH_NUMBERS = """
add = lambda x, n: x + n | sub = lambda x, n: x - n | rsub = lambda x, n: torch.rsub(x, n) | mul = lambda x, n: x * n | div = lambda x, n: x / n
floor_divide = lambda x, n: torch.floor_divide(x, n) | remainder = lambda x, n: torch.remainder(x, n) | fmod = lambda x, n: torch.fmod(x, n) | eq = lambda x, n: x == n | less = lambda x, n: x < n
power = lambda x, n: x ** n | power_ = lambda x, n: x.pow_(n) | power_out = lambda x, n: torch.pow(x, n, out=torch.empty(0, dtype=x.dtype)) | remainder_out = lambda x, n: torch.remainder(x, n, out=torch.empty(0, dtype=x.dtype))
clamp_min = lambda x, n: torch.clamp_min(x, n) | clamp_max = lambda x, n: x.clamp_max(n) | clamp = lambda x, n: torch.clamp(x, n) | clamp_both = lambda x, n: torch.clamp(x, n, n) | clip = lambda x, n: torch.clip(x, n, 3)
bits = lambda x, n: x & n | shift = lambda x, n: x << n | where = lambda x, n: torch.where(torch.tensor([True, False, True]), x, n) | xlogy = lambda x, n: torch.xlogy(x, n) | copysign = lambda x, n: torch.copysign(x, n)
logit = lambda x, n: torch.logit(x, n) | celu = lambda x, n: F.celu(x, n) | softshrink = lambda x, n: F.softshrink(x, n) | elu = lambda x, n: F.elu(x * 0, n)
isin = lambda x, n: torch.isin(x, n) | isin_first = lambda x, n: torch.isin(n, x) | index_fill = lambda x, n: x.index_fill(0, torch.tensor([0]), n) | masked = lambda x, n: x.masked_fill(torch.tensor([True, False, True]), n)
addmv = lambda x, n: torch.addmv(x, torch.eye(3).to(x.dtype), x, alpha=n) | addr = lambda x, n: torch.addr(torch.eye(3).to(x.dtype), x, x, beta=n) | baddbmm = lambda x, n: torch.baddbmm(x, torch.eye(3).to(x.dtype)[None], torch.eye(3).to(x.dtype)[None], alpha=n)
"""
FUNCTIONS = [part.strip() for line in WITH_NUMBERS.strip().splitlines() for part in line.split("|")]
TENSORS = "add sub mul div pow remainder fmod maximum minimum clamp_min clamp_max fmax logaddexp logaddexp2 ldexp copysign heaviside atan2 hypot bitwise_and eq".split()
# PyTorch's complex64 powers are off by more than the last bits, and a float16 tensor with a complex number gives complex32, which is for storage only here.
UNLIKE = "x.dtype == torch.float16 and isinstance(n, complex)"


def program(function: str) -> str:
    name = function.split(" = ")[0]
    return f"{INPUTS}\n{function}\nresult = {{}}\nfor d in DTYPES:\n    for n in NUMBERS:\n        x = made(d)\n        if not ({UNLIKE}) and not ('power' in {name!r} and d == 'complex64'):\n            result[d + ' ' + repr(n)] = tried(lambda: {name}(x, n))\n"


def program_of_tensors(name: str) -> str:
    return f"""{INPUTS}
result = {{}}
for d in DTYPES:
    for e in DTYPES:
        if 'complex64' in (d, e) and ('float16' in (d, e) or {name!r} in ('pow', 'ldexp')):
            continue
        for k, call in enumerate([lambda: torch.{name}(made(d), made(e, True)), lambda: torch.{name}(made(d), made(e)[1]), lambda: torch.{name}(made(d)[1], made(e))]):
            result[f"{{d}} {{e}} {{k}}"] = tried(call)
"""


def close(ours, theirs, where):
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        for key in theirs:
            close(ours[key], theirs[key], key)
    elif isinstance(theirs, list) and theirs and isinstance(theirs[0], str):
        assert ours[0] == theirs[0], f"{where}: {ours} {theirs}"
        rough = {"float16": 2e-3, "float32": 2e-6, "complex64": 2e-6}.get(theirs[0], 1e-13)
        assert torch.allclose(torch.tensor(ours[1], dtype=torch.complex128), torch.tensor(theirs[1], dtype=torch.complex128), rtol=rough, atol=0, equal_nan=True), (
            f"{where}: {ours} {theirs}"
        )
    else:
        assert ours == theirs, f"{where}: {ours} {theirs}"


@pytest.mark.oracle
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.split(" = ")[0])
def test_a_tensor_and_a_number(oracle, function):
    close(beside.run(program(function)), oracle.run(program(function)), "")


@pytest.mark.oracle
@pytest.mark.parametrize("name", TENSORS)
def test_two_tensors(oracle, name):
    close(beside.run(program_of_tensors(name)), oracle.run(program_of_tensors(name)), "")


def test_bools_to_the_power_of_a_bool():
    x = torch.tensor([True, False])
    assert (x**True).tolist() == [True, False] and (x**False).tolist() == [True, True] and (x**True).dtype == torch.bool
    assert x.clone().pow_(False).tolist() == [True, True] and (x**2).dtype == torch.int64
    for call in (lambda: x**x, lambda: True**x):
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            call()


def test_a_limit_of_no_dims_is_a_tensor():
    x = torch.tensor([True, False])
    assert torch.clamp_min(x, torch.tensor(2, dtype=torch.uint8)).dtype == torch.uint8 and x.clamp_max(torch.tensor(-2, dtype=torch.int8)).dtype == torch.int8
    for call in (lambda: x.clamp_min(True), lambda: torch.clamp(x, True), lambda: torch.clamp(x, max=False)):
        with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
            call()
    assert torch.clip(x, False, 3).dtype == torch.int64


def test_ldexp_rounds_once_in_the_dtype_of_the_mantissa():
    x = torch.tensor([0.5, 1e-30, 0.0, 0.75, 1.5])
    assert torch.ldexp(x, torch.tensor([128, 200, 300, -149, -150])).tolist() == [2.0**127, x[1].item() * 2.0**200, 0.0, 2.0**-149, 2.0**-149]
    assert torch.ldexp(torch.tensor([1.5], dtype=torch.float16), torch.tensor([3])).dtype == torch.float16
    y = torch.tensor([0.5, 1.0, 1 + 2**-52, 3.0, 2.0**-1000], dtype=torch.float64)
    assert torch.ldexp(y, torch.tensor([1024, -1074, -1074, -1075, 2000])).tolist() == [2.0**1023, 2.0**-1074, 2.0**-1074, 2.0**-1073, 2.0**1000]
    with pytest.raises(NotImplementedError, match="integers or floats"):
        torch.ldexp(x, x > 0)
    z = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.ldexp(z, torch.tensor([3, -4])).sum().backward()
    assert z.grad.tolist() == [8.0, 0.0625] and z.detach().clone().ldexp_(torch.tensor([1, 1])).tolist() == [2.0, 4.0]


def test_logaddexp_of_complex_numbers():
    x, y = torch.tensor([1 + 1j, 2 + 0j, -3 - 1j]), torch.tensor([1 - 1j, 0.5 + 2j, -3 - 1j])
    assert torch.allclose(torch.logaddexp(x, y), (x.exp() + y.exp()).log()) and torch.logaddexp(x.real.int().bool(), y).dtype == torch.complex64
    x, y = x.to(torch.complex128).requires_grad_(), y.to(torch.complex128).requires_grad_()
    assert torch.autograd.gradcheck(torch.logaddexp, (x, y))
    for call in (lambda: torch.logaddexp2(x, y), lambda: torch.logaddexp(torch.ones(2).int(), 1 + torch.ones(2).int()), lambda: torch.logit(x)):
        with pytest.raises(NotImplementedError):
            call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: torch.histc(torch.ones(2), 4, 1j, 1j), lambda: torch.ones(2, dtype=torch.bool).index_fill(0, torch.tensor([0]), 1j), lambda: torch.nn.functional.celu(torch.ones(2), 0),
        lambda: torch.nn.functional.softshrink(torch.ones(2), float("nan")), lambda: torch.isin(torch.tensor([True]), 1), lambda: torch.mvlgamma(torch.tensor([True]), 2),
        lambda: torch.addmv(torch.ones(2).byte(), torch.eye(2).byte(), torch.ones(2).byte(), alpha=300), lambda: torch.ones(2).__setitem__(torch.tensor([True, False]), 1j),
    ],
)  # fmt: skip
def test_numbers_that_do_not_fit(call):
    with pytest.raises(RuntimeError) as caught:
        call()
    assert "bug in Monograph" not in str(caught.value)
