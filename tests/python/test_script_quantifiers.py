"""any() and all() of a generator in scripts end at the first element that decides, as in Python; captures have one hash."""

import monograph as torch
import pytest
from monograph import fx


def any_row(x):
    return x.sum() if any(row.sum() > 2 for row in x) else x.prod()


def all_rows(x):
    return x * 2 if all(row.min() > 0 for row in x) else x - 1


def over_a_range(n: int, limit: int):
    return any(k * k > limit for k in range(n)), all(k * k < limit for k in range(n))


def over_pairs(x, y):
    return any(bool((a > b).all()) for a, b in zip(x, y))


def with_a_condition(x: list[int]):
    return any(k > 3 for k in x if k % 2 == 0), all(k > 3 for k in x if k % 2 == 0)


def stops_before_an_error(x: list[int]):
    return any(10 // k > 2 for k in x)


def of_a_tuple(a: int, b: int):
    return any(k > 2 for k in (a, b)), all(k > 2 for k in (a, b))


def outer_names_stay(x: list[int], k: int):
    found = any(k > 3 for k in x)
    return found, k


@pytest.mark.parametrize(
    ("f", "calls"),
    [
        (any_row, [(torch.ones(2, 2),), (torch.ones(3, 5),), (torch.zeros(0, 2),), (-torch.ones(2, 2),)]),
        (all_rows, [(torch.ones(2, 2),), (-torch.ones(3, 2),), (torch.zeros(0, 2),)]),
        (over_a_range, [(5, 3), (2, 3), (0, 0), (3, 100)]),
        (over_pairs, [(torch.ones(2, 2), torch.zeros(2, 2)), (torch.zeros(2, 2), torch.zeros(2, 2))]),
        (with_a_condition, [([1, 2, 4],), ([5],), ([],), ([4, 6],)]),
        (stops_before_an_error, [([1, 0],), ([5, 2],), ([],)]),
        (of_a_tuple, [(1, 2), (3, 1), (4, 5)]),
        (outer_names_stay, [([1, 5], 7), ([], 2)]),
    ],
)
def test_as_in_python(f, calls):
    scripted = torch.jit.script(f)
    for args in calls:
        got, expected = scripted(*args), f(*args)
        assert torch.equal(got, expected) if isinstance(expected, torch.Tensor) else got == expected, args


@pytest.mark.parametrize("f", [any_row, all_rows])
def test_the_captures_have_one_hash(f):
    x = torch.ones(3, 2)
    assert torch.jit.trace(f, x).graph.hash() == fx.symbolic_trace(f).graph.hash() == torch.jit.script(f).graph.hash()
