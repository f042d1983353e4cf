"""Branches inside of a `with` that was opened before them, where one side or both leave the function: trace, symbolic trace and compile beside the function."""

from __future__ import annotations

import collections
import contextlib

import monograph as torch
import pytest
from monograph import _C, fx

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")

ENTERED: list[str] = []


class Plain:
    """A context manager of the user's."""

    def __enter__(self):
        self.inside = True
        return self

    def __exit__(self, *error):
        self.inside = False


class Counted:
    def __init__(self, holder):
        self.holder = holder

    def __enter__(self):
        self.holder["depth"] = self.holder.get("depth", 0) + 1
        return self.holder

    def __exit__(self, *error):
        self.holder["depth"] -= 1


@contextlib.contextmanager
def plain():
    yield 3


@contextlib.contextmanager
def without_gradients():
    with torch.no_grad():
        yield


@contextlib.contextmanager
def with_finally(log):
    value = len(log)
    try:
        yield value
    finally:
        log.append(value)


@contextlib.contextmanager
def nested(log):
    for k in range(2):
        with plain() as three, with_finally(log):
            yield three + k
            return


@contextlib.contextmanager
def delegated(log):
    def inner():
        yield len(log)
        log.append(1)

    yield from inner()


MANAGERS = {
    "no_grad": torch.no_grad,
    "enable_grad": torch.enable_grad,
    "set_grad_enabled": lambda: torch.set_grad_enabled(False),
    "inference_mode": torch.inference_mode,
    "nullcontext": contextlib.nullcontext,
    "class": Plain,
    "class that counts": lambda: Counted({}),
    "generator": plain,
    "generator with no_grad": without_gradients,
    "generator with finally": lambda: with_finally([]),
    "generator that nests": lambda: nested([]),
    "generator that delegates": lambda: delegated([]),
    "exit stack": contextlib.ExitStack,
}


def one_returns(x, manager):
    with manager():
        if x.sum() > 0:
            return x * 2
        y = x - 1
    return y * 3


def both_return(x, manager):
    with manager():
        if x.sum() > 0:
            return x * 2
        return x - 1


def else_returns(x, manager):
    with manager():
        if x.sum() > 0:
            y = x * 2
        else:
            return x - 1
        y = y * x
    return y + 1


def inner_if(x, manager):
    with manager():
        if x.sum() > 0:
            if x.sum() > 10:
                return x * 5
            y = x * 2
        elif x.sum() < -10:
            return x
        else:
            y = x * 7
    return y + 1


def two_managers(x, manager):
    with manager(), manager():
        if x.sum() > 0:
            return x * 2
    with manager():
        if x.sum() < -7:
            return x * 3
    return x * 4


def opened_in_a_side(x, manager):
    if x.sum() > 0:
        with manager():
            if x.sum() > 10:
                return x * 2
            x = x + 1
    return x * 3


def called(x, manager):
    def inner(y):
        with manager():
            if y.sum() > 0:
                return y * 2
        return y - 3

    return inner(x) + inner(x - 5)


def unrolled(x, manager):
    with manager():
        for k in range(3):
            if x.sum() > 5 * (k + 1):
                return x + k
            x = x * 2
    return x - 1


def joined_inside(x, manager):
    with manager():
        if x.sum() > 0:
            y = x * 2
        else:
            y = x - 1
        z = y + 1
    return z * y


BODIES = [one_returns, both_return, else_returns, inner_if, two_managers, opened_in_a_side, called, unrolled, joined_inside]
CAPTURES = {
    "trace": lambda f, x: torch.jit.trace(f, x, check_trace=False),
    "symbolic": lambda f, x: fx.symbolic_trace(f),
    "compile": lambda f, x: torch.compile(f, backend="interpreter", fullgraph=True),
}
INPUTS = [[1.0, 2.0], [-1.0, -2.0], [9.0, 9.0], [-9.0, -9.0], [0.0, 0.0]]
# What is captured under a guard, or not at all.
GUARDED = {("trace", "unrolled"), ("symbolic", "unrolled")}


@pytest.mark.parametrize("capture", CAPTURES)
@pytest.mark.parametrize("body", BODIES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", MANAGERS)
def test_each_side(name, body, capture):
    manager = MANAGERS[name]

    def f(x):
        return body(x, manager)

    for example in (INPUTS[0], INPUTS[1]):
        try:
            captured = CAPTURES[capture](f, torch.tensor(example))
        except RuntimeError as error:
            assert (capture, body.__name__) in GUARDED, error
            continue
        for values in INPUTS:
            x = torch.tensor(values, requires_grad=True)
            expected = f(x)
            try:
                got = captured(x)
            except RuntimeError as error:
                assert "the graph was captured where" in str(error)
                assert (capture, body.__name__) in GUARDED, (example, values)
                continue
            assert torch.equal(got, expected) and got.requires_grad == expected.requires_grad, (example, values)
            assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


@pytest.mark.parametrize("capture", ["trace", "symbolic"])
@pytest.mark.parametrize("name", ["no_grad", "enable_grad", "generator", "generator with finally", "class"])
def test_is_kept_in_the_graph(name, capture):
    manager = MANAGERS[name]
    captured = CAPTURES[capture](lambda x: one_returns(x, manager), torch.ones(2))
    assert "if " in captured.code


def test_autocast():
    w = torch.nn.Parameter(torch.randn(2, 2))

    def f(x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = x @ w
            if x.sum() > 0:
                return y * 2 + x @ w
            z = x @ w
            if x.sum() < -5:
                return z
            z = z + x @ w
        return z * 3

    x = torch.ones(2, 2)
    captured = torch.jit.trace(f, x, check_trace=False)
    for values in (x, -x, x * 3, -x * 3, x * 0):
        assert torch.equal(captured(values), f(values))
        assert captured(values).dtype == f(values).dtype
    assert not torch.is_autocast_enabled("cpu")


def test_of_the_effects_of_each_side_one_happens():
    log: list[int] = []

    def f(x):
        with with_finally(log):
            if x.sum() > 0:
                return x * 2
            y = x - 1
        return y

    compiled = torch.compile(f, backend="interpreter")
    for k in range(6):
        x = torch.ones(2) * (-1) ** k
        expected, before = f(x), len(log)
        log.pop()
        assert torch.equal(compiled(x), expected)
        assert len(log) == before


@pytest.mark.parametrize("capture", CAPTURES)
def test_raise(capture):
    """An `__exit__` of torch.no_grad() lets the error pass."""

    def f(x):
        with torch.no_grad(), torch.autocast("cpu", enabled=False):
            if x.sum() < -5:
                raise ValueError("too small")
            y = x + 1
        return y

    if capture == "symbolic":

        def f(x):
            with torch.no_grad():
                if x.sum() < -5:
                    raise ValueError("too small")
                y = x + 1
            return y

    captured = CAPTURES[capture](f, torch.ones(2))
    assert torch.equal(captured(torch.ones(2)), torch.ones(2) + 1)
    with pytest.raises((ValueError, RuntimeError), match="too small"):
        captured(torch.ones(2) * -9)
    assert torch.is_grad_enabled()


def test_one_that_may_catch_stays_refused():
    def f(x):
        with contextlib.suppress(ValueError):
            if x.sum() < -5:
                raise ValueError("too small")
            return x + 1
        return x * 2

    with pytest.raises(fx.proxy.TraceError, match="could catch"):
        fx.symbolic_trace(f)
    compiled = torch.compile(f, backend="interpreter")
    for x in (torch.ones(2), -torch.ones(2) * 9):
        assert torch.equal(compiled(x), f(x))


def test_generators_and_deques_are_put_back():
    """Each side goes on with a generator and a deque that were there before."""

    def f(x):
        numbers, line = (k * k for k in range(9)), collections.deque([1, 2, 3])
        next(numbers)
        if x.sum() > 0:
            y = x * next(numbers) + line.popleft()
            line.append(7)
        else:
            y = x * (next(numbers) + 1) - line.popleft()
            line.append(7)
        return y + next(numbers) + sum(line)

    x = torch.tensor([1.0, 2.0])
    for captured in (torch.jit.trace(f, x, check_trace=False), torch.jit.trace(f, -x, check_trace=False), fx.symbolic_trace(f), torch.compile(f)):
        for values in (x, -x):
            assert torch.equal(captured(values), f(values))


def test_sides_that_leave_another_mode():
    def f(x):
        if x.sum() > 0:
            torch.set_grad_enabled(False)
        y = x * 2
        torch.set_grad_enabled(True)
        return y

    compiled = torch.compile(f)
    for k in (1, -1):
        x = (torch.ones(2) * k).requires_grad_()
        assert compiled(x).requires_grad == f(x).requires_grad
