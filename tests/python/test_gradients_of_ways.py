"""Programs in which a branch on a value decides whether a result requires grad. A capture gives the function's results, flags and gradients, also where a gradient is
None, or raises an error that names the line."""

from __future__ import annotations

from typing import Any

import monograph as torch
import pytest

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")

VALUES = ([1.0, 2.0], [-1.0, -2.0], [3.0], [-3.0])


def one_way_is_detached(x):
    y = x * 2 if x.sum() > 0 else x.detach() * 3
    return y + 1


def one_way_is_new(x):
    y = x * 2 if x.sum() < 0 else torch.zeros(x.shape[0])
    return y + 1


def asks_requires_grad(x):
    y = x * 2 if x.sum() > 0 else x.detach() * 3
    return y + 1 if y.requires_grad else y - 1


def asks_is_leaf(x):
    y = x * 2 if x.sum() > 0 else x.detach() * 3
    return y + 1 if y.is_leaf else y - 1


def asks_grad_fn(x):
    y = x * 2 if x.sum() > 0 else x.detach() * 3
    return y - 1 if y.grad_fn is None else y + 1


def another_leaf_in_each_way(x):
    v, w = x.detach().clone().requires_grad_(), x.detach().clone().requires_grad_()
    y = x * w if x.sum() > 0 else x * v
    found = torch.autograd.grad(y.sum(), (v, w), allow_unused=True)
    return torch.stack([x * 0 - 7 if g is None else g for g in found])


def a_gradient_in_one_way(x):
    w = x.detach().clone().requires_grad_()
    y = w * 2 if x.sum() > 0 else x.detach()
    (g,) = torch.autograd.grad((y * x).sum() + 0 * w.sum(), w)
    return g


def a_loop_that_may_not_run(x):
    y = x.detach()
    while y.sum() < 2:
        y = y + x.abs() + 1
    return y * 2


def a_branch_in_a_branch(x):
    y = x.detach()
    if x.sum() > 0:
        y = y + 1
        if x.max() > 2:
            y = y * x
    return y - 1


def another_leaf_gets_a_grad_in_each_way(x):
    v, w = x.detach().clone().requires_grad_(), x.detach().clone().requires_grad_()
    ((v * 2).sum() if x.sum() > 0 else (w * 3).sum()).backward()
    return x * v.grad if v.grad is not None else x - w.grad


PROGRAMS = [one_way_is_detached, one_way_is_new, asks_requires_grad, asks_is_leaf, asks_grad_fn, another_leaf_in_each_way, a_gradient_in_one_way, a_loop_that_may_not_run,
            a_branch_in_a_branch, another_leaf_gets_a_grad_in_each_way]  # fmt: skip
WAYS = ("trace", "saved trace", "symbolic", "saved symbolic", "compile", "compile, interpreted")


def run(f: Any, value: list[float]) -> Any:
    x = torch.tensor(value, requires_grad=True)
    out = f(x)
    if out.requires_grad:
        (out * out).sum().backward()
    return out.detach().tolist(), out.requires_grad, out.is_leaf, None if x.grad is None else x.grad.tolist()


def captured(way: str, f: Any, value: list[float], folder: Any) -> Any:
    if way.startswith("compile"):
        return torch.compile(f, backend="interpreter" if "interpreted" in way else "monograph")
    made = torch.fx.symbolic_trace(f).graph if "symbolic" in way else torch.jit.trace(f, (torch.tensor(value, requires_grad=True),)).inlined_graph
    if not way.startswith("saved"):
        return torch.fx.symbolic_trace(f) if way == "symbolic" else torch.jit.trace(f, (torch.tensor(value, requires_grad=True),))
    made.save(folder / "graph.mgraph")
    return torch.load_graph(folder / "graph.mgraph")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_the_way_decides_whether_there_is_a_gradient(f: Any, way: str, tmp_path: Any) -> None:
    for first in VALUES:
        try:
            made = captured(way, f, first, tmp_path)
        except (RuntimeError, TypeError, ValueError) as error:
            assert "test_gradients_of_ways.py:" in str(error)  # noqa: PT017
            continue
        for value in (first, *VALUES):
            try:
                expected = run(f, value)
            except RuntimeError:
                with pytest.raises(RuntimeError):
                    run(made, value)
                continue
            try:
                got = run(made, value)
            except RuntimeError as error:
                assert "test_gradients_of_ways.py:" in str(error)  # noqa: PT017
                continue
            assert got == expected, (first, value)


# --- What no graph computes.

def asks_for_grad(x):
    return x * 2 if x.grad is None else x * 3


def adds_to_grad(x):
    (x * x).sum().backward()
    return x.grad * 1


def asks_for_the_version(x):
    return x * x._version


def asks_for_the_address(x):
    return x * 2 if x.data_ptr() == x.clone().data_ptr() else x * 3


def asks_for_the_base(x):
    return x * 2 if x._base is None else x * 3


@pytest.mark.parametrize("f", [asks_for_grad, adds_to_grad, asks_for_the_version, asks_for_the_address, asks_for_the_base], ids=lambda f: f.__name__)
def test_a_trace_refuses_by_line_what_no_graph_computes(f: Any) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)(reads \.|adds to the \.grad).*test_gradients_of_ways.py:.*torch\.compile"):
        torch.jit.trace(f, (torch.ones(2, requires_grad=True),))
    x, other = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    compiled = torch.compile(f)
    for _ in range(3):
        assert f(x).tolist() == compiled(other).tolist()
        x.grad, other.grad = torch.ones(2), torch.ones(2)


def gradient_of_what_the_function_made(x):
    w = x.detach().clone().requires_grad_()
    (w**3).sum().backward()
    return w.grad + x


def test_grad_of_a_tensor_that_the_function_made_is_a_value_of_the_graph() -> None:
    traced = torch.jit.trace(gradient_of_what_the_function_made, (torch.ones(2),))
    x = torch.tensor([1.0, 2.0, 3.0])
    assert traced(x).tolist() == gradient_of_what_the_function_made(x).tolist()


def asks_whether_it_is_a_leaf(x):
    return x * 2 if x.is_leaf else x * 3


def keeps_grad_and_asks(x):
    g = x.grad
    return x * 2 if g is None else x * 3


@pytest.mark.parametrize("f", [asks_for_grad, asks_for_the_base, keeps_grad_and_asks], ids=lambda f: f.__name__)
def test_a_symbolic_trace_does_not_take_a_grad_that_may_be_none_for_one(f: Any) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)asks whether \.\w+ of a tensor is None.*test_gradients_of_ways.py:"):
        torch.fx.symbolic_trace(f)


def test_a_trace_does_not_know_whether_an_input_that_requires_grad_is_a_leaf() -> None:
    f = asks_whether_it_is_a_leaf
    with pytest.raises(RuntimeError, match=r"(?s)reads \.is_leaf of a tensor that requires grad.*test_gradients_of_ways.py:"):
        torch.jit.trace(f, (torch.ones(2, requires_grad=True),))
    traced, compiled = torch.jit.trace(f, (torch.ones(2),)), torch.compile(f)
    assert traced(torch.ones(3)).tolist() == f(torch.ones(3)).tolist()
    for x in (torch.ones(2), torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True) * 1):
        assert compiled(x).tolist() == f(x).tolist()
