"""A capture that is given up never was: what it made ends without a sign, and no effect happens twice. Warnings obey the filters that the program has set, and what
a handler of a logger writes is not read from a graph that has not logged yet."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import io
import logging
import os
import threading
import warnings
import weakref

import monograph as torch
import pytest

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the capture machine runs the code of Python 3.11")

X = torch.ones(2)


class Noisy:
    """An object whose end is seen."""

    def __init__(self, log, name):
        self.log, self.name = log, name

    def __del__(self):
        self.log.append(self.name)


def programs(log):
    @contextlib.contextmanager
    def noted():
        log.append("in")
        try:
            yield 2
        finally:
            log.append("out")

    def numbers(n=3):
        try:
            for i in range(n):
                yield i + 1
        finally:
            log.append("closed")

    def shown():
        try:
            yield 1
        finally:
            print("closed")

    def break_in_with(x):
        with noted() as k:
            os.getpid()
            return x * k

    def return_in_with(x):
        with noted():
            if x.sum() > 0:
                return x * 2
            x = x - 1
        return x

    def break_in_for(x):
        for k in numbers():
            os.getpid()
            x = x + k
        return x

    def generator_in_a_list(x):
        kept = [numbers()]
        k = next(kept[0])
        os.getpid()
        if x.sum() > 0:
            return x * k
        return x - next(kept[0])

    def generator_that_nobody_reads(x):
        it = numbers()
        y = x * next(it)
        os.getpid()
        log.append("behind")
        return y

    def generator_that_prints(x):
        it = shown()
        next(it)
        os.getpid()
        return x + 1 if x.sum() > 0 else x - 1

    def delegated(x):
        def outer():
            yield from numbers()

        it = outer()
        k = next(it)
        os.getpid()
        return x * k if x.sum() > 0 else x - k

    def finalizer(x):
        made = [Noisy(log, "gone")]
        os.getpid()
        log.append("behind")
        return x * len(made)

    def callback(x):
        made = Noisy([], "")
        reference = weakref.ref(made, lambda _: log.append("dead"))
        os.getpid()
        return x * 2 if reference() is made and x.sum() > 0 else x

    def at_the_end(x):
        made = Noisy([], "")
        weakref.finalize(made, log.append, "finalized")
        os.getpid()
        return x * 2 if made.name == "" else x

    def stack(x):
        with contextlib.ExitStack() as exits:
            exits.callback(log.append, "called back")
            k = exits.enter_context(noted())
            os.getpid()
            return x * k

    def raises(x):
        it = numbers()
        k = next(it)
        if x.sum() > 0:
            return x * k
        raise ValueError("negative")

    def coroutine(x):
        async def later():
            log.append("ran")
            await asyncio.sleep(0)
            return 3

        return x * asyncio.run(later())

    return {f.__name__: f for f in (break_in_with, return_in_with, break_in_for, generator_in_a_list, generator_that_nobody_reads, generator_that_prints,
                                    delegated, finalizer, callback, at_the_end, stack, raises, coroutine)}  # fmt: skip


def outcome(f, x, log):
    log.clear()
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            value = f(x).tolist()
        except ValueError as error:
            value = str(error)
        gc.collect()
    return value, list(log), out.getvalue(), [str(w.message) for w in seen if w.category is not torch.jit.TracerWarning]


def flat(graph, examples):
    return graph.forward


@pytest.mark.parametrize("backend", ["monograph", "eager", flat], ids=["monograph", "eager", "callable"])
@pytest.mark.parametrize("name", programs([]))
def test_no_effect_of_a_run_that_is_given_up_happens(name, backend, capfd):
    log, other = [], []
    f, g = programs(log)[name], torch.compile(programs(other)[name], backend=backend)
    for x in (X, X, -X, X, -X, torch.ones(3)):
        assert outcome(g, x, other) == outcome(f, x, log)
    assert "Exception ignored" not in capfd.readouterr().err


def test_a_depth_that_a_context_manager_counts_stays_right():
    depth = [0]

    @contextlib.contextmanager
    def nested():
        depth[0] += 1
        try:
            yield depth[0]
        finally:
            depth[0] -= 1

    def f(x):
        with nested() as d:
            os.getpid()
            return x * d

    g = torch.compile(f)
    assert [g(X).tolist() for _ in range(3)] == [[1.0, 1.0]] * 3
    assert depth == [0]


def test_what_another_thread_made_meanwhile_ends_as_ever():
    log, ready, done = [], threading.Event(), threading.Event()
    kept = []

    def other():
        kept.append(Noisy(log, "theirs"))
        ready.set()
        done.wait(20)

    def f(x):
        return x + 1

    thread = threading.Thread(target=other)

    def backend(graph, examples):
        thread.start()
        ready.wait(20)
        raise ValueError("given up")

    with pytest.raises(Exception, match="given up"):
        torch.compile(f, backend=backend)(X)
    done.set()
    thread.join()
    kept.clear()
    assert log == ["theirs"]


# The collector ------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("capture", [lambda f: torch.jit.trace(f, X, check_trace=False), torch.fx.symbolic_trace], ids=["trace", "symbolic"])
def test_a_program_sees_the_collector_as_it_is(capture):
    def f(x):
        return x * (2 if gc.isenabled() else 3)

    assert gc.isenabled()
    assert capture(f)(X).tolist() == [2.0, 2.0]
    assert gc.isenabled()

    def disables(x):
        gc.disable()
        return x

    try:
        capture(disables)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_collector_runs_again_behind_a_capture():
    torch.jit.trace(lambda x: x * 2, X)
    torch.compile(lambda x: x * 3)(X)
    assert gc.get_count()[0] >= 0


# Warnings -----------------------------------------------------------------------------------------------------------------------------------


def recorded(x):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.warn("hey", stacklevel=1)
    return x * (1 + len(seen))


def recorded_text(x):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.warn("hey", stacklevel=1)
        warnings.warn("you", RuntimeWarning, stacklevel=1)
    return x * len(str(seen[1].message)) + (1 if seen[1].category is RuntimeWarning else 0)


def raised(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            warnings.warn("hey", stacklevel=1)
            return x * 2
        except UserWarning:
            return x * 3


def ignored(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("should not be seen", stacklevel=1)
    return x * 2


def ignored_by_message(x):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="should")
        warnings.warn("should not be seen", stacklevel=1)
        warnings.warn("is seen", stacklevel=1)
    return x * 2


def once_each(x):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        for _ in range(3):
            warnings.warn("hey", stacklevel=1)
    return x * len(seen)


WAYS = {"trace": lambda f: torch.jit.trace(f, X, check_trace=False), "symbolic": torch.fx.symbolic_trace, "compile": torch.compile}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", [recorded, recorded_text, raised, ignored, ignored_by_message, once_each], ids=lambda f: f.__name__)
def test_warnings_obey_the_filters_of_the_program(f, way):
    expected = outcome(f, X, [])
    log = []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        g = WAYS[way](f)
    at_capture = [str(w.message) for w in seen]
    assert at_capture == (expected[3] if way == "trace" else [])
    for _ in range(2):
        assert outcome(g, X, log) == expected


@pytest.mark.parametrize("way", WAYS)
def test_a_warning_that_filters_of_the_program_show_is_shown_or_named(way):
    def f(x):
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.warn("hey", stacklevel=1)
        return x * 2

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        g = WAYS[way](f)
        g(X)
    shown = [str(w.message) for w in seen]
    assert "hey" in shown
    assert way == "compile" or any("calls warnings.warn, while it is captured only" in text and "test_discarded_runs.py:" in text for text in shown)


# Logs ---------------------------------------------------------------------------------------------------------------------------------------


class Counting(logging.Handler):
    count = 0

    def emit(self, record):
        self.count += 1


@pytest.fixture
def logger():
    made = logging.getLogger("test_discarded_runs")
    made.propagate = False
    made.setLevel(logging.DEBUG)
    yield made
    made.handlers.clear()


@pytest.mark.parametrize("way", WAYS)
def test_what_a_handler_counts_is_read_behind_the_log(logger, way):
    handler = Counting()
    logger.addHandler(handler)

    def f(x):
        before = handler.count
        logger.info("x")
        return x * (handler.count - before + 2)

    if way == "compile":
        g = torch.compile(f)
        assert [g(X).tolist() for _ in range(3)] == [[3.0, 3.0]] * 3
        return
    with pytest.raises(RuntimeError, match=r"(?s)reads .*handler.*to which it also writes by.*test_discarded_runs\.py:\d+"):
        WAYS[way](f)(X)


@pytest.mark.parametrize("way", WAYS)
def test_a_list_that_a_handler_fills_is_read_behind_the_log(logger, way):
    messages = []

    class Collecting(logging.Handler):
        def emit(self, record):
            messages.append(record.getMessage())

    logger.addHandler(Collecting())

    def f(x):
        logger.info("x")
        return x * len(messages)

    if way == "compile":
        g = torch.compile(f)
        assert [g(X).tolist() for _ in range(3)] == [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
        return
    with pytest.raises(RuntimeError, match=r"reads messages, to which it also writes"):
        WAYS[way](f)(X)


@pytest.mark.parametrize("way", WAYS)
def test_logs_that_the_program_does_not_read_stay_in_the_graph(logger, way):
    handler = Counting()
    logger.addHandler(handler)

    def f(x):
        logger.info("x")
        return x + 1

    g = WAYS[way](f)
    before = handler.count
    assert g(X).tolist() == [2.0, 2.0]
    assert handler.count == before + 1
