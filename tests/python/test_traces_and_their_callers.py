"""What a traced program shares with its caller and its process: lists and dicts that it is given, attributes of classes, the default dtype, context variables, weak
references, and the class of a size. Each call gives what the function gives, or raises an error; a file that could not is not written."""

from __future__ import annotations

import collections
import contextvars
import functools
import random
import re
import weakref

import monograph as torch
import pytest

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")


def appends(xs):
    xs.append(xs[0] * 2)
    return torch.stack(xs).sum(0)


def replaces(xs):
    xs[0] = xs[0] + 1
    return xs[0]


def sets_and_pops(d):
    d["new"] = d["x"] * 2
    d.pop("y", None)
    return sum(d.values())


def writes_within(d):
    d["list"][1] = d["x"]
    return d["list"][0] + d["list"][1]


def X(*values):  # noqa: N802
    return torch.tensor([float(v) for v in values])


def seen(tree):
    if isinstance(tree, torch.Tensor):
        return tree.dtype, tree.tolist()
    return [(k, seen(v)) for k, v in tree.items()] if isinstance(tree, dict) else [seen(v) for v in tree] if isinstance(tree, list) else tree


WRITES = {
    appends: [[X(1, 2)], [X(3), X(4)], [X(0, 1, 2)]], replaces: [[X(1, 2)], [X(3), X(4)], [X(0, 1, 2)]],
    sets_and_pops: [{"x": X(1), "y": X(2)}, {"x": X(1, 2)}, {"y": X(5), "x": X(6)}],
    writes_within: [{"x": X(1), "list": [X(2), X(3)]}, {"x": X(1, 2), "list": [X(2, 3), X(3, 4)]}],
}  # fmt: skip


def copied(tree):
    if isinstance(tree, torch.Tensor):
        return tree.clone()
    return {k: copied(v) for k, v in tree.items()} if isinstance(tree, dict) else [copied(v) for v in tree]


@pytest.mark.parametrize("f", WRITES, ids=lambda f: f.__name__)
def test_the_lists_and_dicts_of_the_caller_are_written(f, tmp_path):
    traced = torch.jit.trace(f, (copied(WRITES[f][0]),))
    for given in WRITES[f] * 2:
        own, of_trace = copied(given), copied(given)
        assert seen(traced(of_trace)) == seen(f(own)) and seen(of_trace) == seen(own)
    for name in ("f.mgraph", "f.pt"):
        with pytest.raises(NotImplementedError, match=r"changes (xs|d), a list or dict that it is given"):
            traced.save(tmp_path / name)
    with pytest.raises(NotImplementedError, match="a list or dict that it is given"):
        torch.capture(f, copied(WRITES[f][0]), how="trace")


class Counts:
    n = 0

    @classmethod
    def up(cls):
        cls.n += 1
        return cls.n


def test_an_attribute_of_a_class_counts(tmp_path):
    Counts.n = 0
    traced = torch.jit.trace(lambda x: x * Counts.up(), X(1, 2), check_trace=False)
    assert [traced(X(1)).item() for _ in range(3)] == [2, 3, 4] and Counts.n == 4
    for name in ("f.mgraph", "f.pt"):
        with pytest.raises(NotImplementedError, match=r"writes to Counts\.n was 0 and is 1"):
            traced.save(tmp_path / name)
    assert Counts.n == 4


@pytest.fixture
def default_dtype():
    yield torch.set_default_dtype
    torch.set_default_dtype(torch.float32)


def test_the_default_dtype_is_part_of_a_capture(default_dtype):
    def f(x):
        return torch.tensor([1.0]) + x.shape[0], torch.zeros(x.shape[0])

    traced = torch.jit.trace(f, X(1, 2))
    for dtype in (torch.float64, torch.float32, torch.float16):
        default_dtype(dtype)
        for x in (X(1), X(1, 2, 3)):
            assert [seen(t) for t in traced(x)] == [seen(t) for t in f(x)]


def sets_the_default_dtype(x):
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        y = torch.ones(2)
    finally:
        torch.set_default_dtype(before)
    return x.sum() + y


def test_a_program_that_sets_the_default_dtype(default_dtype):
    compiled = torch.compile(sets_the_default_dtype)
    for x in (X(1, 2), X(3), X(4, 5)):
        assert seen(compiled(x)) == seen(sets_the_default_dtype(x)) and torch.get_default_dtype() == torch.float32
    for capture in (lambda: torch.jit.trace(sets_the_default_dtype, X(1)), lambda: torch.fx.symbolic_trace(sets_the_default_dtype)):
        with pytest.raises(RuntimeError, match=r"(?s)sets the default dtype, which a graph does not do:.*test_traces_and_their_callers\.py:\d+\nGive the dtype"):
            capture()
        assert torch.get_default_dtype() == torch.float32


SCALE = contextvars.ContextVar("SCALE", default=2.0)


def test_a_context_variable_is_refused_by_line():
    with pytest.raises(RuntimeError, match=r"(?s)reads a context variable.*test_traces_and_their_callers\.py:\d+"):
        torch.jit.trace(lambda x: x * SCALE.get(), X(1))
    compiled = torch.compile(lambda x: x * SCALE.get())
    for value in (2.0, 5.0):
        SCALE.set(value)
        assert compiled(X(1)).item() == value


def test_a_context_variable_that_the_program_sets_is_its_own():
    """As the models of transformers do, which collect the outputs of layers."""

    def f(x):
        token = SCALE.set(4.0)
        try:
            return x * SCALE.get()
        finally:
            SCALE.reset(token)

    for captured in (torch.jit.trace(f, X(1)), torch.fx.symbolic_trace(f), torch.compile(f)):
        assert captured(X(2)).item() == f(X(2)).item() == 8


OTHER_SCALE = contextvars.ContextVar("OTHER_SCALE", default=3.0)


def reads_another_variable(x):
    token = SCALE.set(4.0)
    try:
        return x * SCALE.get() * OTHER_SCALE.get()
    finally:
        SCALE.reset(token)


def reads_before_it_sets(x):
    token = SCALE.set(SCALE.get() + 1)
    y = x * SCALE.get()
    SCALE.reset(token)
    return y


def reads_after_the_reset(x):
    SCALE.reset(SCALE.set(4.0))
    return x * SCALE.get()


def reads_outside_of_a_context(x):
    contextvars.copy_context().run(SCALE.set, 4.0)
    return x * SCALE.get()


@pytest.mark.parametrize("f", [reads_another_variable, reads_before_it_sets, reads_after_the_reset, reads_outside_of_a_context])
def test_what_the_caller_has_set_is_not_the_programs_own(f):
    for capture in (lambda: torch.jit.trace(f, X(1)), lambda: torch.fx.symbolic_trace(f)):
        with pytest.raises(RuntimeError, match=r"(?s)reads a context variable.*test_traces_and_their_callers\.py:\d+: calls ContextVar.get\(\)"):
            capture()
    compiled = torch.compile(f)
    for value in (2.0, 5.0):
        token, other = SCALE.set(value), OTHER_SCALE.set(value + 1)
        assert compiled(X(1)).item() == f(X(1)).item()
        SCALE.reset(token), OTHER_SCALE.reset(other)


def test_a_context_variable_that_stays_set_is_refused_by_line():
    def f(x):
        SCALE.set(4.0)
        return x * SCALE.get()

    for capture in (lambda: torch.jit.trace(f, X(1)), lambda: torch.fx.symbolic_trace(f)):
        token = SCALE.set(1.0)
        with pytest.raises(RuntimeError, match=r"(?s)leaves it set, and a run of the graph does not set it:.*test_traces_and_their_callers\.py:\d+\nReset it by the token"):
            capture()
        SCALE.reset(token)
    token = SCALE.set(1.0)
    assert torch.compile(f)(X(2)).item() == 8 and SCALE.get() == 4
    SCALE.reset(token)


class Holder:
    scale = 3.0


@pytest.mark.parametrize("how", ["trace", "symbolic", "compile"])
def test_what_a_weak_reference_gives_is_read(how):
    holder = Holder()
    weak = weakref.ref(holder)

    def f(x):
        held = weak()
        return x * (held.scale if held is not None else 0.0)

    captured = {"trace": lambda: torch.jit.trace(f, X(1)), "symbolic": lambda: torch.fx.symbolic_trace(f), "compile": lambda: torch.compile(f)}[how]()
    assert captured(X(1)).item() == 3
    for change in (lambda: setattr(holder, "scale", 4.0), None):
        if change is None:
            del holder
        else:
            change()
        if how == "compile":
            assert captured(X(2)).item() == f(X(2)).item()
        else:
            with pytest.raises(RuntimeError, match="what it read has changed since"):
                captured(X(2))


@functools.singledispatch
def by_class(value):
    return value * 100


@by_class.register
def _(value: int):
    return value + 1


@by_class.register
def _(value: float):
    return value + 0.5


@by_class.register
def _(value: torch.Tensor):
    return value * 2


def test_the_class_of_a_size_is_int():
    def f(x):
        n = x.shape[0]
        return by_class(x) + by_class(n) + (1 if n.__class__ is int else 50) + by_class(n * 0.5) + isinstance(n, int)

    traced, compiled = torch.jit.trace(f, X(1, 2)), torch.compile(f)
    for x in (X(1, 2), X(3), X(4, 5, 6)):
        assert seen(traced(x)) == seen(compiled(x)) == seen(f(x))


def test_a_refusal_names_the_line_of_the_program_before_that_of_pythons_library():
    class Values(collections.UserDict):
        def __missing__(self, key):
            return SCALE.get()

    def f(x):
        return x * Values()["scale"]

    def random_of_the_library(x):
        return x * random.randint(1, 6)

    for program, words in ((f, "reads a context variable"), (random_of_the_library, "draws from Python's random numbers")):
        with pytest.raises(RuntimeError, match=words) as error:
            torch.jit.trace(program, X(1))
        place = next(line for line in str(error.value).splitlines() if ".py:" in line and line.startswith("  "))
        assert place.strip().startswith(f"{__file__}:"), place
    assert re.search(r"\(through .*random\.py:\d+\)", place)


WEIGHT = torch.ones(2, requires_grad=True)


def test_backward_to_a_tensor_that_is_no_input_is_refused_by_line():
    held = torch.ones(2, requires_grad=True)

    def to_a_global(x):
        (x * WEIGHT).sum().backward()
        return x + 1

    def to_a_closure(x):
        (x * held).sum().backward()
        return x + 1

    def to_its_own(x):
        own = x.detach().clone().requires_grad_()
        (own * own).sum().backward()
        return own.grad

    for f in (to_a_global, to_a_closure):
        with pytest.raises(RuntimeError, match=rf"(?s)adds to the \.grad of a parameter or input, or of another tensor.*{re.escape(__file__)}:\d+"):
            torch.jit.trace(f, X(1, 2))
    assert torch.jit.trace(to_its_own, X(1, 2))(X(3, 4)).tolist() == [6, 8]
