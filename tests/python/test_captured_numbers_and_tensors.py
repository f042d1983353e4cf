"""Where a number meets a tensor, a captured program gives the bits that Python's run gives: quotients, masked assignments, bounds of slices, math of sizes."""

from __future__ import annotations

import math

import monograph as torch
import pytest
from monograph import fx

X = torch.arange(1, 2000).float() * 0.37


def number_over_tensor(x):
    return 3 / x


def size_over_tensor(x):
    return x.numel() / x


def argument_over_tensor(x, n: int, a: float):
    return n / x + a / x


@pytest.mark.parametrize("f", [number_over_tensor, size_over_tensor])
def test_a_number_over_a_tensor_has_two_roundings_in_a_script(f):
    assert torch.equal(torch.jit.script(f)(X), f(X))
    assert "reciprocal" in torch.jit.script(f).code  # as PyTorch's script


def test_an_argument_over_a_tensor_has_two_roundings_in_a_script():
    scripted = torch.jit.script(argument_over_tensor)
    assert torch.equal(scripted(X, 7, 0.3), argument_over_tensor(X, 7, 0.3))
    whole = torch.arange(1, 50)
    assert torch.equal(scripted(whole, 7, 0.3), argument_over_tensor(whole, 7, 0.3))


def put(x):
    y = x.clone()
    y[y < 0] = 0.1
    return y


def put_int(x):
    y = x.clone()
    y[y < 0] = 7
    return y


def put_bool(x):
    y = x.clone()
    y[y < 0] = True
    return y


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.int64])
@pytest.mark.parametrize("f", [put, put_int, put_bool])
def test_a_number_that_is_put_has_the_dtype_of_the_tensor(f, dtype, tmp_path):
    x = torch.tensor([-1.0, 2.0, -0.0]).to(dtype)
    graph = fx.symbolic_trace(f).graph
    graph.save(tmp_path / "g.mgraph")
    for captured in (fx.symbolic_trace(f), graph, torch.load_graph(tmp_path / "g.mgraph"), torch.jit.script(f), torch.jit.trace(f, x)):
        result = captured(x)
        assert result.dtype == dtype and torch.equal(result, f(x))


def part(x, p):
    return x[p:]


def test_a_bound_of_a_slice_that_is_no_integer_is_an_error():
    scripted = torch.jit.script(part)
    assert torch.equal(scripted(X, torch.tensor(3)), X[3:])
    for bound in (torch.tensor(1.7), torch.tensor([1])):
        with pytest.raises(RuntimeError, match="IntImplicit"):
            scripted(X, bound)


def sizes(x):
    n = x.shape[0]
    return x.new_zeros(math.ceil(n / 2), math.floor(n / 3)), x * math.sqrt(n), x * math.ceil(n / 4), x * round(n / 8)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 16])
def test_math_of_sizes(n):
    x = torch.ones(n)
    for captured in (torch.jit.trace(sizes, torch.ones(5)), fx.symbolic_trace(sizes), fx.symbolic_trace(sizes).graph, torch.jit.script(sizes)):
        for got, expected in zip(captured(x), sizes(x), strict=True):
            assert torch.equal(got, expected)
