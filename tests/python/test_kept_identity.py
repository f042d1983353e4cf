"""`is` of bools and ints that a graph computes: Python has one object alone for True, False and each small int, so `b is True` asks for the value of b."""

from __future__ import annotations

import operator
from typing import Any

import monograph as torch
import pytest

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")

X = [torch.tensor(v) for v in ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [4.0], [])]


def is_true(x):
    b = bool(x.sum() > 0)
    return x * 2 if b is True else x * 3


def is_not_false(x):
    return x * 2 if bool(x.sum() > 0) is not False else x * 3


def a_size_decides(x):
    return x * 2 if (x.shape[0] == 3) is True else x * 3


def the_results_are_bools(x):
    b = bool(x.sum() > 0)
    return b is True, b is False, b is not True, b is None, True is b, type(b is True) is bool


def two_bools(x):
    return x * 2 if bool(x.sum() > 0) is (x.shape[0] == 3) else x * 3


def by_a_function(x):
    b = bool(x.sum() > 0)
    return x * 2 if operator.is_(b, True) else x * 3, operator.is_not(b, False)


def small_ints(x):
    n = x.shape[0]
    three, thousand = 3, 1000
    return x * 2 if n is three else x * 3, n + 997 is thousand


def a_tensor_is_no_bool(x):
    b = x.sum() > 0
    return x * 2 if b is True else x * 3


def in_a_loop(x):
    n = 0
    while (n < 3) is True and (x.sum() < 100) is not False:
        x = x * 2
        n += 1
    return x, n


def matched(x):
    y = x
    match bool(x.sum() > 0), x.shape[0] > 1:
        case True, True:
            y = x * 2
        case True, False:
            y = x * 3
        case False, _:
            y = x - 1
    return y


def matched_in_a_dict(x):
    y = x
    match {"positive": bool(x.sum() > 0), "value": x}:
        case {"positive": True, "value": v}:
            y = v * 2
        case {"positive": False}:
            y = x * 3
    return y


PROGRAMS = [is_true, is_not_false, a_size_decides, the_results_are_bools, two_bools, by_a_function, small_ints, a_tensor_is_no_bool, in_a_loop, matched, matched_in_a_dict]


def values(result: Any) -> Any:
    return [values(v) for v in result] if isinstance(result, tuple) else result.tolist() if isinstance(result, torch.Tensor) else result


@pytest.mark.parametrize("example", X, ids=str)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_trace_and_a_compiled_function(f, example, tmp_path):
    traced = torch.jit.trace(f, example)
    torch.jit.save(traced, tmp_path / "f.pt")
    compiled, loaded = torch.compile(f), torch.jit.load(tmp_path / "f.pt")
    for x in [example, *X]:
        expected = values(f(x))
        assert values(traced(x)) == values(loaded(x)) == values(compiled(x)) == expected


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_symbolic_trace(f):
    made = torch.fx.symbolic_trace(f)
    for x in X:
        assert values(made(x)) == values(made.graph(x)) == values(f(x))


def test_an_input_of_a_symbolic_trace_may_be_a_bool():
    def f(x, flag):
        return x * 2 if flag is True else x * 3 if flag is not False else x * 4

    made = torch.fx.symbolic_trace(f)
    for flag in (True, False, None, 1, X[0]):
        assert values(made(X[0], flag)) == values(f(X[0], flag))


def copies_if_it_is_the_input(x):
    y = x
    if x.sum() > 0:
        y = x * 2
    if y is x:
        y = y.clone()
    y += 1
    return y


def is_the_last_one(x):
    last = x
    for row in x:
        last = last + row
    return x * 2 if last is x else x * 3


def is_itself(x):
    y = x
    return x * 2 if y is x else x * 3


@pytest.mark.parametrize("f", [copies_if_it_is_the_input, is_the_last_one])
def test_which_tensor_a_branch_has_chosen(f):
    """The result of an If or Loop is another object than both."""
    words = r"(?s)asks whether two values are the same tensor, which a branch or loop decides.*test_kept_identity\.py:\d+"
    for capture in (lambda: torch.jit.trace(f, X[0].clone()), lambda: torch.fx.symbolic_trace(f)):
        with pytest.raises(RuntimeError, match=words):
            capture()
    compiled = torch.compile(f)
    for x in X:
        given, other = x.clone(), x.clone()
        assert values(compiled(given)) == values(f(other)) and torch.equal(given, other)


def test_a_tensor_is_itself():
    for captured in (torch.jit.trace(is_itself, X[0]), torch.fx.symbolic_trace(is_itself), torch.compile(is_itself)):
        assert values(captured(X[1])) == values(is_itself(X[1]))


GIVE_BACK = {
    "contiguous": lambda x: x.contiguous(),
    "to": lambda x: x.to(torch.float32),
    "float": lambda x: x.float(),
    "atleast_1d": torch.atleast_1d,
    "dropout": lambda x: torch.nn.functional.dropout(x, 0.5, False),
    "type": lambda x: x.type(torch.float32),
    "type_as": lambda x: x.type_as(x),
    "resolve_conj": lambda x: x.resolve_conj(),
    "add_": lambda x: x.add_(1),
    "out": lambda x: torch.neg(x, out=x),
    "relu": lambda x: torch.nn.functional.relu(x, inplace=True),
    "positive": lambda x: +x,
    "double": lambda x: x.double(),
    "reshape": lambda x: x.reshape(-1),
    "add": lambda x: x + 1,
}


@pytest.mark.parametrize("name", GIVE_BACK)
@pytest.mark.parametrize("capture", [lambda f: torch.jit.trace(f, X[0].clone(), check_trace=False), torch.fx.symbolic_trace, lambda f: torch.compile(f, backend="eager")])
def test_an_operator_that_may_give_back_its_argument(name, capture):
    operator = GIVE_BACK[name]

    def f(x):
        y = operator(x)
        return x * 2 if y is x else x * 3

    try:
        captured = capture(f)
    except RuntimeError as error:
        assert "asks whether two values are the same tensor, which an operator decides" in str(error) and "test_kept_identity.py:" in str(error)
        return
    for x in X:
        assert values(captured(x.clone())) == values(f(x.clone()))
