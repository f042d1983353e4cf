"""Lists that branches fill in a capture: the objects in them, the errors of their methods, and what the program gets of them."""

from __future__ import annotations

from typing import Any

import monograph as torch
import pytest
from monograph import fx

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")

A = [[1.0, 1.0], [-3.0, 1.0], [5.0, 1.0]]
B = [[-4.0, 1.0], [-3.0, 1.0], [5.0, 1.0]]
C = [[7.0, 1.0], [3.0, 1.0], [5.0, 1.0]]


def chosen(ys):
    z = []
    for y in ys:
        if y.sum() > 0:
            z.append(y)
    return z


def same_as_the_first(ys):
    return chosen(ys)[0] is ys[0]


def a_branch_on_it(ys):
    z = chosen(ys)
    return ys[0] * 10 if z[0] is ys[0] else ys[0]


def any_of_them(ys):
    z = chosen(ys)
    return any(a is b for a in z for b in ys), z[-1] is z[0]


def in_a_set(ys):
    return ys[0] in set(chosen(ys))


def keys_of_a_dict(ys):
    d = {y: i for i, y in enumerate(chosen(ys))}
    return d.get(ys[0], -1)


def is_a_leaf(ys):
    z = chosen(ys)
    return z[0] * 2 if z[0].is_leaf else ys[0] * 0


def the_larger(ys):
    best = ys[0]
    for y in ys:
        if y.sum() > best.sum():
            best = y
    return best is ys[2], best is ys[0]


def inserted_and_printed(ys):
    z = [float(y[0]) for y in chosen(ys)]
    z.insert(1, 7.0)
    print(z, end="")
    return z


def its_type(ys):
    z = chosen(ys)
    return type(z) is list, isinstance(z, list), z.__class__.__name__


def reverse(ys):
    z = chosen(ys)
    z.reverse()
    return z


def clear(ys):
    z = chosen(ys)
    z.clear()
    return z


def sort(ys):
    z = chosen(ys)
    z.sort(key=lambda t: -float(t[0]))
    return z


def assigned(ys):
    z = chosen(ys)
    z[0] = ys[1]
    z[len(z) :] = [ys[1]]
    return z


PROGRAMS = [
    same_as_the_first, a_branch_on_it, any_of_them, in_a_set, keys_of_a_dict, is_a_leaf, the_larger, inserted_and_printed,
    its_type, reverse, clear, sort, assigned,
]  # fmt: skip
CAPTURES = {
    "trace": lambda f, ys: torch.jit.trace(f, (ys,), check_trace=False, strict=False),
    "symbolic": lambda f, ys: fx.symbolic_trace(f),
    "compile": lambda f, ys: torch.compile(f),
    "fullgraph": lambda f, ys: torch.compile(f, fullgraph=True),
}


def shown(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.tolist()
    return (type(value), [shown(v) for v in value]) if type(value) in (list, tuple) else (type(value), value)


def tensors(rows, grad):
    return [torch.tensor(row, requires_grad=grad) for row in rows]


def result_of(f, ys):
    try:
        return shown(f(ys))
    except (IndexError, RuntimeError, NotImplementedError, ValueError, TypeError) as error:
        return error


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("how", CAPTURES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_the_program_or_an_error(program, how, grad):
    """Under torch.compile as the program; else as it, or an error."""
    try:
        captured = CAPTURES[how](program, tensors(A, grad))
    except (RuntimeError, NotImplementedError, fx.proxy.TraceError) as error:
        assert how in ("trace", "symbolic") and "test_kept_elements.py" in str(error)
        return
    for rows in (A, B, C, A):
        expected, got = result_of(program, tensors(rows, grad)), result_of(captured, tensors(rows, grad))
        if isinstance(expected, Exception):
            assert isinstance(got, Exception), (rows, got)
            assert how != "compile" or type(got) is type(expected)
        elif how == "compile" or not isinstance(got, Exception):
            assert got == expected, rows


class Kept:
    last = None


@pytest.mark.parametrize("program", [chosen, lambda ys: [y * 2 for y in ys]])
def test_an_attribute_of_a_class_is_set_by_each_call_of_a_trace(program):
    def f(ys):
        Kept.last = program(ys)
        return ys[0] + 1

    traced = torch.jit.trace(f, (tensors(A, False),), check_trace=False, strict=False)
    for rows in (A, B, C, A):
        Kept.last = None
        traced(tensors(rows, False))
        assert shown(Kept.last) == shown(program(tensors(rows, False)))
