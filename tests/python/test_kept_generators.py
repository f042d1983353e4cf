"""Generator expressions that a builtin consumes, as sum(x[i] for i in range(n)): their loop and its branches are the graph's, under trace, symbolic trace and
torch.compile, and they give what the function gives at other sizes."""

from __future__ import annotations

import math
import types
import warnings

import monograph as torch
import pytest
from monograph import _C, _folds, fx
from monograph._compile import compiled_of

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")

SIZES = [3, 0, 1, 5, 2, 8, 4]


def summed(x):
    return sum(x[i] for i in range(x.shape[0]))


def summed_from(x):
    return sum((x[i] * 2 for i in range(x.shape[0])), torch.zeros(x.shape[1]))


def summed_by_keyword(x):
    return sum((x[i] * 2 for i in range(x.shape[0])), start=torch.zeros(x.shape[1]))


def filtered(x):
    return sum((x[i] for i in range(x.shape[0]) if x[i].sum() > 0), torch.zeros(x.shape[1]))


def counted(x):
    return x * sum(1 for i in range(x.shape[0]) if x[i].sum() > 0)


def with_any(x):
    return x * 2 if any(x[i].sum() > 1 for i in range(x.shape[0])) else x + 1


def with_all(x):
    return x * 2 if all(x[i].sum() > -2 for i in range(x.shape[0])) else x + 1


def any_of_three(x):
    return x * 2 if any(r.sum() > 1 for r in (x[:1], x[1:2], x[2:])) else x + 1


def largest(x):
    return max((x[i].sum() for i in range(x.shape[0])), default=torch.tensor(7.0))


def smallest(x):
    return min(x[i].sum() for i in range(x.shape[0]))


def largest_number(x):
    return max(i * 3 % 7 for i in range(x.shape[0] + 1)) + x


def listed(x):
    return list(x[i] * i for i in range(x.shape[0]))  # noqa: C400


def in_a_tuple(x):
    return tuple(x[i] * i for i in range(x.shape[0]))


def sum_of_a_list(x):
    return sum([x[i] for i in range(x.shape[0])])


def any_of_a_list(x):
    return x * 2 if any([x[i].sum() > 1 for i in range(x.shape[0])]) else x + 1  # noqa: C419


def product(x):
    return math.prod(x[i].sum() for i in range(x.shape[0]))


def nested(x):
    return sum(x[i, j] for i in range(x.shape[0]) for j in range(x.shape[1]))


def nested_with_filter(x):
    return sum((x[i, j % 3] * 2 for i in range(x.shape[0]) for j in range(i + 1) if j < 2), torch.zeros(()))


def rows(x):
    return sum(r * 2 for r in x)


def zipped(x):
    return sum(a * b for a, b in zip(x, x * 2))  # noqa: B905 - strict= is not kept


def enumerated(x):
    return sum(i * r for i, r in enumerate(x))


def over_a_closure(x):
    k = x.sum()
    return sum(x[i] * k for i in range(x.shape[0]))


def with_a_function_inside(x):
    return sum((lambda: x[i] * i)() for i in range(x.shape[0]))  # noqa: B023


def with_a_branch(x):
    return sum((x[i] if x[i].sum() > 0 else -x[i] for i in range(x.shape[0])), torch.zeros(3))


def walrus(x):
    return x + sum(y * 2 for i in range(x.shape[0]) if (y := x[i].sum()) > 0)


def held(x):
    g = (x[i] for i in range(x.shape[0]))
    first = sum(g)
    return first, list(g)


def with_a_stop(x):
    try:
        return sum(next(iter([])) for i in range(x.shape[0])) + x.sum()
    except RuntimeError:
        return x.sum() + 100
    except StopIteration:
        return x.sum() - 100


PROGRAMS = [with_a_stop, summed, summed_from, summed_by_keyword, filtered, counted, with_any, with_all, any_of_three, largest, smallest, largest_number, listed, in_a_tuple, sum_of_a_list, any_of_a_list, product, nested, nested_with_filter, rows, zipped, enumerated, over_a_closure, with_a_function_inside, with_a_branch, walrus, held]  # fmt: skip
# A tuple has a length, a generator that a variable holds is not known to be new, and the sum is the int 0 where no element is taken.
MANY_CAPTURES = {"in_a_tuple", "held", "walrus"}


def values(n, seed):
    torch.manual_seed(seed)
    return torch.randn(n, 3)


def outcome(f, x):
    try:
        return f(x.clone())
    except Exception as error:  # noqa: BLE001 - compared
        return error


def same(got, expected):
    if isinstance(got, (list, tuple)):
        return type(got) is type(expected) and len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(got, torch.Tensor):
        return isinstance(expected, torch.Tensor) and got.shape == expected.shape and got.dtype == expected.dtype and torch.allclose(got, expected, atol=1e-5)
    return type(got) is type(expected) and (isinstance(got, Exception) or got == expected)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_two_captures_hold_for_all_sizes(f):
    g = torch.compile(f)
    for seed, n in enumerate([*SIZES, *range(9, 40, 3)]):
        x = values(n, seed)
        assert same(outcome(g, x), outcome(f, x)), n
    found = _C._compiled_entries(compiled_of(g))
    assert f.__name__ in MANY_CAPTURES or (len(found) <= 2 and not any(e["kind"] for e in found))


@pytest.mark.parametrize("way", ["trace", "symbolic"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_graph_gives_what_the_function_gives_or_refuses(f, way):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            g = torch.jit.trace(f, (values(4, 9),), strict=False) if way == "trace" else fx.symbolic_trace(f)
        except (RuntimeError, TypeError, ValueError, NotImplementedError):
            return
        for seed, n in enumerate(SIZES):
            x = values(n, seed)
            got, expected = outcome(g, x), outcome(f, x)
            assert same(got, expected) or isinstance(got, (RuntimeError, ValueError, TypeError)), n


@pytest.mark.parametrize("f", [summed_from, filtered, counted, with_any, with_all, any_of_three, nested_with_filter, with_a_branch], ids=lambda f: f.__name__)
@pytest.mark.parametrize("way", ["trace", "symbolic"])
def test_a_graph_holds_for_all_sizes(f, way):
    g = torch.jit.trace(f, (values(4, 9),)) if way == "trace" else fx.symbolic_trace(f)
    for seed, n in enumerate(SIZES):
        x = values(n, seed)
        assert same(outcome(g, x), outcome(f, x)), n


def test_the_new_code_gives_what_the_builtin_gives():
    k = 3
    expressions = [
        lambda: (i * k for i in range(7)),
        lambda: (i for i in range(0)),
        lambda: (i - 3 for i in (5, 1, 2) if i > 1),
        lambda: (a * b if a else -b for a in range(3) for b in [4, 5, k] if a != b),
        lambda: ((lambda: i)() for i in range(4)),
        lambda: (i // (i - 2) for i in range(4)),
        lambda: (len([j + k for j in range(i)]) for i in range(300) if i % 2 if i % 3),
    ]
    for function in _folds._FOLDS:
        for make in expressions:
            g = make()
            made = _folds.fold(function, g, (_function_of(make), g.gi_frame.f_locals[".0"]), 1, ())
            expected = outcome_of(lambda: function(make()))  # noqa: B023
            assert outcome_of(lambda: made[0](made[1])) == expected, (function, make)  # noqa: B023


def _function_of(make):
    """The function whose call made the generator."""
    code, cells = make().gi_code, dict(zip(make.__code__.co_freevars, make.__closure__ or (), strict=True))
    return types.FunctionType(code, globals(), code.co_name, None, tuple(cells[name] for name in code.co_freevars))


def outcome_of(call):
    try:
        value = call()
    except Exception as error:  # noqa: BLE001 - compared
        return type(error), str(error)
    return type(value), value


def test_an_error_in_an_element_names_its_line():
    def f(x):
        return sum(
            x[i].reshape(7)
            for i in range(x.shape[0])
        )  # fmt: skip

    with pytest.raises(RuntimeError, match=r"test_kept_generators.py"):
        torch.jit.trace(f, (values(3, 0),))
