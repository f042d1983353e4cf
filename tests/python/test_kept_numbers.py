"""What a program computes with item() in a way of a branch that the example does not take, and in the body of a loop: numbers of Python's types, without values."""

from __future__ import annotations

import math
from typing import Any

import monograph as torch
import pytest

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")

FLOATS = [torch.tensor(v) for v in ([1.0, 2.0, 3.5], [-1.0, -2.0, -3.0], [4.0], [0.0, 0.0])]
INTS = [x.long() for x in FLOATS]


def arithmetic(v):
    return v * 2, v / 2, v // 2, v % 3, -v, abs(v), v + 1, 1 - v, 2 * v - v / 4


def comparisons(v):
    return v > 0, v == 4, v <= 2.5, -1 < v < 5


def types(v):
    return isinstance(v, float), isinstance(v, int), isinstance(v, (int, float)), isinstance(v, bool), type(v) is float, type(v) is int


def names_of_types(v):
    return v * len(type(v).__name__)


def functions(v):
    return int(v), float(v), max(v, 2), min(v, 1.5), math.floor(v), math.ceil(v), math.sqrt(abs(v))


def itself(v):
    return v


def a_tensor(v):
    return torch.ones(2) * v


@pytest.mark.parametrize("inputs", [FLOATS, INTS], ids=["float", "int"])
@pytest.mark.parametrize("compute", [arithmetic, comparisons, types, names_of_types, functions, itself, a_tensor], ids=lambda f: f.__name__)
@pytest.mark.parametrize("where", ["both", "one", "nested", "loop"])
def test_numbers_without_values(compute, inputs, where, tmp_path):
    def both(x, flag):
        if flag.sum() > 0:
            r = compute(x.sum().item())
        else:
            r = compute(x.max().item())
        return r

    def one(x, flag):
        r = compute(x.sum().item())
        if flag.sum() > 0:
            r = compute(x.max().item())
        return r

    def nested(x, flag):
        if flag.sum() > 0:
            v = x.sum().item()
        elif flag.sum() < -1:
            v = x.max().item() + x.sum().item()
        else:
            v = x.max().item()
        return compute(v)

    def loop(x, flag):
        r = compute(x.sum().item())
        for _ in flag:
            r = compute(x.max().item())
        return r

    f = {"both": both, "one": one, "nested": nested, "loop": loop}[where]
    flags = [torch.ones(1), -torch.ones(1), -torch.ones(2), torch.ones(3)]
    kept = 0
    for example in (flags[0], flags[2]):
        traced, compiled = torch.jit.trace(f, (inputs[0], example)), torch.compile(f)
        for x in inputs:
            for flag in flags:
                expected = seen(f(x, flag))
                assert seen(compiled(x, flag)) == expected
                try:
                    result = seen(traced(x, flag))
                except RuntimeError as error:
                    assert "the graph was captured where" in str(error)
                else:
                    assert result == expected
                    kept += 1
    if where != "loop" and compute is not functions:
        assert kept == 2 * len(inputs) * len(flags)


def test_a_number_beside_a_constant():
    """item() has a node of any number, and the constant has a type."""

    def f(x):
        v = x.sum().item() if x.sum() > 0 else 1.5
        n = x.long().max().item() if x.sum() > 0 else 3
        return v * n, isinstance(v, float), isinstance(n, int), v, n

    for example in FLOATS:
        traced = torch.jit.trace(f, example)
        for x in FLOATS:
            assert seen(traced(x)) == seen(f(x))


def test_a_number_that_a_loop_carries():
    def f(x):
        last, total, count = 0.0, 0, 0.5
        for row in x:
            last = row.item()
            total = total + row.long().item()
            count = row.item() if row.item() > count else count
        return last, total, count

    for example in FLOATS[1:]:
        traced = torch.jit.trace(f, example)
        for x in FLOATS:
            assert seen(traced(x)) == seen(f(x))


def seen(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(seen, result))
    return result.tolist() if isinstance(result, torch.Tensor) else (type(result).__name__, result)
