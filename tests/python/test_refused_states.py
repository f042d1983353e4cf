"""What a graph cannot do or know again: seeds, random numbers of Python, addresses, the default dtype, and what handlers of loggers count."""

from __future__ import annotations

import gc
import logging
import random
import uuid

import monograph as torch
import pytest
from monograph import _C, fx

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")
CAPTURES = {"trace": lambda f, x: torch.jit.trace(f, x, check_trace=False), "symbolic": lambda f, x: fx.symbolic_trace(f)}
X = torch.tensor([1.0, 2.0])


def seeded(x):
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return x + torch.rand(2)


REFUSED = {
    "gauss": (lambda x: x * random.gauss(0, 1), "Python's random numbers"),
    "Random without a seed": (lambda x: x * random.Random().random(), "Python's random numbers"),
    "uuid1": (lambda x: x * (uuid.uuid1().int % 7), "clock"),
    "seed": (lambda x: x * (torch.seed() % 3), r"seed\(\)"),
    "set_rng_state": (lambda x: (torch.set_rng_state(STATE), x + torch.rand(2))[1], "set_rng_state|state of the default random generator"),
    "fork_rng": (seeded, "fork_rng|state of the default random generator|manual_seed"),
    "id of an input": (lambda x: x * (id(x) % 5), r"id\(\) of an input"),
    "hash of an input": (lambda x: x * (hash(x) % 5), r"hash\(\) of an input|hash"),
}
STATE = torch.get_rng_state()


@pytest.mark.parametrize("capture", CAPTURES)
@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_line(name, capture):
    f, words = REFUSED[name]
    for begin in (lambda: random.seed(0), lambda: random.gauss(0, 1)):  # gauss() keeps every second number
        begin()
        with pytest.raises((RuntimeError, TypeError), match=words) as caught:
            CAPTURES[capture](f, X)
        assert "test_refused_states.py" in str(caught.value) or capture == "symbolic", caught.value


@pytest.mark.parametrize("name", ["gauss", "Random without a seed", "fork_rng"])
def test_compile_does_what_the_function_does(name):
    f, _ = REFUSED[name]
    compiled = torch.compile(f, backend="interpreter")
    for _ in range(2):
        random.seed(0)
        expected = [f(X) for _ in range(4)]
        random.seed(0)
        got = [compiled(X) for _ in range(4)]
        assert name.startswith("Random") or all(map(torch.equal, got, expected))


@pytest.mark.parametrize("capture", CAPTURES)
def test_a_seeded_random_is_a_constant(capture):
    captured = CAPTURES[capture](lambda x: x * random.Random(3).gauss(0, 1), X)
    assert torch.equal(captured(X), X * random.Random(3).gauss(0, 1))


@pytest.mark.parametrize("capture", CAPTURES)
def test_whether_the_collector_is_on(capture):
    captured = CAPTURES[capture](lambda x: x * (2 if gc.isenabled() else 3), X)
    assert torch.equal(captured(X), X * 2)
    gc.disable()
    try:
        with pytest.raises(RuntimeError, match=r"gc\.isenabled\(\) was True and is False"):
            captured(X)
    finally:
        gc.enable()
    assert torch.equal(captured(X), X * 2)


DTYPES = {
    "asked": lambda x: x * (2 if torch.get_default_dtype() == torch.float32 else 3),
    "given": lambda x: x + torch.zeros(2, dtype=torch.get_default_dtype()),
    "implied": lambda x: x + torch.zeros(2),
    "of numbers": lambda x: x + torch.tensor([1.0, 2.0]),
    "of an old constructor": lambda x: x + torch.Tensor([1.0, 2.0]),
    "of an operator": lambda x: x + torch.tensor([1, 2]) / 3,
    "of a number": lambda x: x * torch.tensor(0.1).item(),
    "none": lambda x: x * 2,
}


@pytest.mark.parametrize("capture", [*CAPTURES, "compile"])
@pytest.mark.parametrize("name", DTYPES)
def test_default_dtype(name, capture):
    f = DTYPES[name]
    captured = torch.compile(f, backend="interpreter") if capture == "compile" else CAPTURES[capture](f, X)
    try:
        for dtype in (torch.float32, torch.float64, torch.float32, torch.float64):
            torch.set_default_dtype(dtype)
            expected = f(X)
            got = captured(X)
            assert got.dtype == expected.dtype and torch.equal(got, expected)
    finally:
        torch.set_default_dtype(torch.float32)


def test_default_dtype_of_an_edited_graph():
    traced = fx.symbolic_trace(DTYPES["of numbers"])
    for node in traced.graph.nodes:
        if node.op == "output":
            node.args = (node.args[0],)
    traced.recompile()
    torch.set_default_dtype(torch.float64)
    try:
        with pytest.raises(RuntimeError, match="default_dtype"):
            traced.graph.lint()
            traced.graph.eliminate_dead_code()
            next(n for n in traced.graph.nodes if n.op == "call_function").name = "renamed"
            traced(X)
    finally:
        torch.set_default_dtype(torch.float32)


COUNT, LINES = 0, []


def count():
    global COUNT
    COUNT += 1


class Counts(logging.Handler):
    def emit(self, record):
        global COUNT
        COUNT += 1


class CountsElsewhere(logging.Handler):
    def emit(self, record):
        count()


class Filters(logging.Filter):
    def filter(self, record):
        global COUNT
        COUNT += 1
        return True


class Collects(logging.Handler):
    def emit(self, record):
        LINES.append(record.getMessage())


def logger_with(listener):
    logger = logging.getLogger(f"test_refused_states.{type(listener).__name__}")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.handlers.clear()
    logger.filters.clear()
    if isinstance(listener, logging.Handler):
        logger.addHandler(listener)
    else:
        logger.addFilter(listener)
    return logger


@pytest.mark.parametrize("listener", [Counts, CountsElsewhere, Filters])
def test_what_a_handler_counts_in_a_global(listener):
    logger = logger_with(listener())

    def behind(x):
        logger.info("a")
        return x * COUNT

    def before(x):
        y = x * COUNT
        logger.info("a")
        return y

    def unread(x):
        logger.info("a")
        return x * 2

    global COUNT
    for f in (behind, before):
        for capture in CAPTURES.values():
            with pytest.raises(RuntimeError, match="the global COUNT, to which it also writes by warning or logging"):
                capture(f, X)
        compiled = torch.compile(f, backend="interpreter")
        for _ in range(5):
            begun = COUNT
            expected, ended = f(X), COUNT
            COUNT = begun
            assert torch.equal(compiled(X), expected) and ended == COUNT
    for capture in CAPTURES.values():
        captured, begun = capture(unread, X), COUNT
        for k in range(3):
            assert torch.equal(captured(X), X * 2) and begun + k + 1 == COUNT


def test_arrays_of_objects_and_deques_have_words_of_their_own():
    numpy = pytest.importorskip("numpy")
    array = numpy.array([1, "a", None], dtype=object)
    with pytest.raises(RuntimeError, match="array of Python objects"):
        torch.jit.trace(lambda x: x * array[0], X)
