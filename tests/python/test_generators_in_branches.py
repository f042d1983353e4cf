"""A branch may step a generator that it has made itself, as a `with` over one does. What it leaves suspended runs nothing where the branch is not the program's."""

from __future__ import annotations

import contextlib

import monograph as torch
import pytest

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the capture machine runs the code of Python 3.11")

INPUTS = [torch.tensor(v) for v in ([1.0, 2.0], [-3.0, 1.0], [0.5], [])]


@contextlib.contextmanager
def scaled(k):
    yield k * 2


def with_in_one_branch(x):
    y = x - 1
    if x.sum() > 0:
        with scaled(3) as k:
            y = x * k
    return y


def with_in_a_branch_of_a_with(x):
    with scaled(3) as q:
        if x.sum() > 0:
            y = x * q
        else:
            with scaled(q) as z:
                y = x - z
    return y


def both_leave_their_own(x):
    if x.sum() > 0:
        with scaled(x) as k:
            return k + 1
    with scaled(x + 3) as k, scaled(2) as m:
        return k - m


def next_of_a_generator(x):
    def numbers():
        yield 3
        yield x.numel()

    if x.sum() > 0:
        it = numbers()
        y = x * next(it) + next(it)
    else:
        y = x - 1
    return y


def with_that_prints(x):
    @contextlib.contextmanager
    def shown():
        print("in")
        yield 2
        print("out")

    if x.sum() > 0:
        with shown() as k:
            y = x * k
    else:
        y = x - 1
    return y


WAYS = {"trace": lambda f: torch.jit.trace(f, INPUTS[0]), "symbolic": torch.fx.symbolic_trace, "fullgraph": lambda f: torch.compile(f, fullgraph=True)}
PROGRAMS = [with_in_one_branch, with_in_a_branch_of_a_with, both_leave_their_own, next_of_a_generator, with_that_prints]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_with_inside_of_a_branch_is_kept(f, way, capsys):
    if (f, way) == (with_that_prints, "fullgraph"):
        with pytest.raises(torch._dynamo.exc.Unsupported, match=r"may catch an error of an operator, and writes by prim::Print"):
            WAYS[way](f)(INPUTS[0])
        return
    g = WAYS[way](f)
    capsys.readouterr()
    for x in INPUTS:
        expected, shown = f(x), capsys.readouterr().out
        assert torch.equal(g(x), expected)
        assert capsys.readouterr().out == shown


def test_a_generator_that_the_other_branch_leaves_suspended_runs_nothing(capsys):
    log = []

    def noted(word):
        try:
            yield 2
        finally:
            log.append(word)
            print(word)

    def f(x):
        if x.sum() > 0:
            it = noted("first")
            y = x * next(it)
        else:
            other = noted("second")
            y = x - next(other)
        return y

    for x, word in ((INPUTS[0], "first"), (INPUTS[1], "second")):
        log.clear()
        capsys.readouterr()
        g = torch.jit.trace(f, x, check_trace=False)
        assert (log, capsys.readouterr().out) == ([word], word + "\n")
        log.clear()
        with contextlib.suppress(RuntimeError):
            g(INPUTS[0])
        assert "second" not in log or x is INPUTS[1]


class Slotted:
    __slots__ = ("v",)


def test_a_write_to_a_slot_is_named_with_both_values():
    def f(x):
        o = Slotted()
        o.v = 1
        if x.sum() > 0:
            o.v = 2
        return x * o.v

    with pytest.raises(torch.fx.proxy.TraceError, match="sets the attribute v of an object of type Slotted, which has __slots__, from 1 to 2"):
        torch.fx.symbolic_trace(f)


def test_a_try_that_could_catch_a_raise_in_a_branch_is_named():
    def f(x):
        try:
            if x.sum() > 0:
                raise ValueError("positive")
            y = x - 1
        except ValueError:
            y = x * 10
        return y

    with pytest.raises(torch.fx.proxy.TraceError, match=r"raises ValueError: positive, which the `try` around .*test_generators_in_branches\.py:\d+ could catch"):
        torch.fx.symbolic_trace(f)


def test_del_of_an_element_of_a_symbolic_list_says_what_to_do():
    def f(x, values: list[torch.Tensor]):
        del values[0]
        return x * 2

    with pytest.raises(TypeError, match=r"(?s)del values\[0\].*test_generators_in_branches\.py:\d+: del values\[0\].*torch\.jit\.trace"):
        torch.fx.symbolic_trace(f)
