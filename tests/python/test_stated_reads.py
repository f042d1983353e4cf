"""Reads of a captured program that stand in no dict or list of Python: what C functions give, caches, weak references, classes, attributes and types of tensors. Each
is read again at a call; what cannot be is refused."""

from __future__ import annotations

import abc
import decimal
import functools
import gc
import io
import logging
import os
import subprocess
import sys
import threading
import types
import weakref

import monograph as torch
import numpy as np
import pytest
from monograph import _C, nn
from monograph._compile import compiled_of

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")
CHANGED = "has changed since"
ROWS = {}
# Each gives the function, what changes a place that it reads, and what puts it back.


def row(make):
    ROWS[make.__name__] = make
    return make


def nothing():
    pass


def X():  # noqa: N802
    return torch.tensor([1.0, 2.0])


@row
def stdout_is_another():
    old = sys.stdout
    return lambda x: x * (2 if sys.stdout is old else 3), lambda: setattr(sys, "stdout", io.StringIO()), lambda: setattr(sys, "stdout", old)


@row
def stdout_is_a_terminal():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    old = sys.stdout
    sys.stdout = io.TextIOWrapper(io.BytesIO())
    return lambda x: x * (2 if sys.stdout.isatty() else 3), lambda: setattr(sys, "stdout", Terminal()), lambda: setattr(sys, "stdout", old)


@row
def stderr_is_kept():
    old = sys.stderr

    def f(x):
        stream = sys.stderr
        kept = [stream]
        return x * (2 if kept[0] is old else 3)

    return f, lambda: setattr(sys, "stderr", io.StringIO()), lambda: setattr(sys, "stderr", old)


@row
def a_cached_result_that_is_older():
    held = {1: 2.0}

    @functools.lru_cache
    def h(n):
        return held[n]

    h(1)
    held[1] = 5.0
    return lambda x: x * h(1), h.cache_clear, nothing


@row
def a_cache_that_is_cleared_and_filled():
    held = {1: 2.0}

    @functools.lru_cache
    def h(n):
        return held[n]

    h(1)

    def change():
        h.cache_clear()
        held[1] = 5.0
        h(1)

    return lambda x: x * h(1), change, nothing


@row
def a_small_cache():
    held = {1: 2.0, 2: 3.0}

    @functools.lru_cache(maxsize=1)
    def h(n):
        return held[n]

    h(1)

    def change():
        held[1] = 9.0
        h(2)

    return lambda x: x * h(1), change, nothing


@row
def a_cache_without_bound():
    held = {1: 2.0}

    @functools.cache
    def h(n, k=1):
        return held[n]

    h(1, k=2)
    held[1] = 5.0
    return lambda x: x * h(1, k=2), h.cache_clear, nothing


@row
def a_cached_method():
    class A:
        def __init__(self):
            self.k = 2.0

        @functools.lru_cache  # noqa: B019
        def h(self):
            return self.k

    a = A()
    a.h()
    a.k = 5.0
    return lambda x: x * a.h(), A.h.cache_clear, nothing


@row
def a_class_that_is_registered():
    class A(abc.ABC):  # noqa: B024
        pass

    class B:
        pass

    b = B()
    return lambda x: x * (2 if isinstance(b, (dict, A)) else 3), lambda: A.register(B), nothing


@row
def a_subclass_that_is_registered():
    class A(abc.ABC):  # noqa: B024
        pass

    class B:
        pass

    return lambda x: x * (2 if issubclass(B, A) else 3), lambda: A.register(B), nothing


@row
def a_pattern_of_an_abstract_class():
    class A(abc.ABC):  # noqa: B024
        pass

    class B:
        pass

    b = B()

    def f(x):
        match b:
            case A():
                return x * 2
        return x * 3

    return f, lambda: A.register(B), nothing


@row
def subclasses():
    class A:
        pass

    kept = []
    return lambda x: x * (1 + len(A.__subclasses__())), lambda: kept.append(type("B", (A,), {})), nothing


@row
def a_subclass_that_is_freed():
    class A:
        pass

    kept = [type("B", (A,), {})]
    return lambda x: x * (1 + len(A.__subclasses__())), lambda: (kept.clear(), gc.collect()), nothing


@row
def the_name_of_a_class():
    class A:
        pass

    return lambda x: x * len(A.__name__), lambda: setattr(A, "__name__", "Longer"), nothing


@row
def the_names_in_a_class():
    class A:
        k = 2.0

    return lambda x: x * len([n for n in A.__dict__ if not n.startswith("_")]), lambda: setattr(A, "j", 1), nothing


@row
def the_variables_of_a_class():
    class A:
        k = 2.0

    return lambda x: x * vars(A)["k"], lambda: setattr(A, "k", 3.0), nothing


@row
def the_bases_of_a_class():
    class A:
        pass

    class B:
        pass

    class C(A):
        pass

    return lambda x: x * (2 if A in C.__bases__ else 3), lambda: setattr(C, "__bases__", (B,)), nothing


@row
def an_attribute_of_a_parameter():
    p = nn.Parameter(torch.ones(2))
    p.scale = 2.0
    return lambda x: x * p.detach() * p.scale, lambda: setattr(p, "scale", 3.0), nothing


@row
def a_list_that_is_an_attribute_of_a_tensor():
    t = torch.ones(2)
    t.scales = [2.0]
    return lambda x: x * t.scales[0], lambda: t.scales.__setitem__(0, 3.0), nothing


@row
def an_attribute_that_a_tensor_gets():
    t = torch.ones(2)
    return lambda x: x * getattr(t, "scale", 1.0), lambda: setattr(t, "scale", 3.0), nothing


@row
def whether_a_tensor_has_an_attribute():
    t = torch.ones(2)
    t.scale = 1.0
    return lambda x: x * (2 if hasattr(t, "scale") else 3), lambda: delattr(t, "scale"), nothing


class Tagged(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(2), requires_grad=False)
        self.register_buffer("b", torch.ones(2))
        self.p.scale, self.b.tag = 2.0, 1.0

    def forward(self, x):
        return x * self.p * self.p.scale + self.b.tag


@row
def an_attribute_of_a_modules_parameter():
    m = Tagged()
    return m, lambda: setattr(m.p, "scale", 3.0), nothing


@row
def an_attribute_of_a_modules_buffer():
    m = Tagged()
    return m, lambda: setattr(m.b, "tag", 3.0), nothing


def of_logger(ask):
    log = logging.getLogger("monograph.tests.stated_reads.inner")
    parent = logging.getLogger("monograph.tests.stated_reads")
    parent.setLevel(logging.INFO)
    return lambda x: x * ask(log), lambda: parent.setLevel(logging.DEBUG), lambda: parent.setLevel(logging.NOTSET)


@row
def whether_a_logger_is_enabled():
    return of_logger(lambda log: 2 if log.isEnabledFor(logging.DEBUG) else 3)


@row
def the_level_that_a_logger_inherits():
    return of_logger(lambda log: log.getEffectiveLevel())


@row
def the_level_of_a_logger():
    of_logger(None)
    log = logging.getLogger("monograph.tests.stated_reads")
    return lambda x: x * logging.getLogger("monograph.tests.stated_reads").level, lambda: log.setLevel(logging.DEBUG), lambda: log.setLevel(logging.NOTSET)


@row
def whether_logging_is_disabled():
    log = logging.getLogger("monograph.tests.stated_reads.other")
    log.setLevel(logging.INFO)
    ask = lambda x: x * (2 if log.isEnabledFor(logging.INFO) else 3)  # noqa: E731
    return ask, lambda: logging.disable(logging.CRITICAL), lambda: logging.disable(logging.NOTSET)


@row
def a_weak_reference_that_died():
    class C:
        k = 2.0

    held = [C()]
    w = weakref.ref(held[0])
    return lambda x: x * (7.0 if w() is None else w().k), held.clear, nothing


@row
def the_truth_of_a_weak_reference():
    class C:
        pass

    held = [C()]
    w = weakref.ref(held[0])
    return lambda x: x * (2.0 if w() else 7.0), held.clear, nothing


@row
def the_current_directory():
    old = os.getcwd()
    return lambda x: x * len(os.getcwd()), lambda: os.chdir("/"), lambda: os.chdir(old)


@row
def the_limit_of_recursion():
    old = sys.getrecursionlimit()
    return lambda x: x * sys.getrecursionlimit(), lambda: sys.setrecursionlimit(old + 7), lambda: sys.setrecursionlimit(old)


@row
def the_switch_interval():
    old = sys.getswitchinterval()
    return lambda x: x * sys.getswitchinterval(), lambda: sys.setswitchinterval(0.01), lambda: sys.setswitchinterval(old)


@row
def the_longest_text_of_an_int():
    old = sys.get_int_max_str_digits()
    return lambda x: x * sys.get_int_max_str_digits(), lambda: sys.set_int_max_str_digits(5000), lambda: sys.set_int_max_str_digits(old)


@row
def whether_a_file_exists():
    name = f"/tmp/monograph_stated_{os.getpid()}"
    return lambda x: x * (2 if os.path.exists(name) else 3), lambda: open(name, "w").close(), lambda: os.path.exists(name) and os.remove(name)


@row
def the_files_in_a_directory():
    name = f"/tmp/monograph_stated_{os.getpid()}_d"
    os.makedirs(name, exist_ok=True)

    def back():
        if os.path.exists(name + "/a"):
            os.remove(name + "/a")
        os.rmdir(name)

    return lambda x: x * (1 + len(os.listdir(name))), lambda: open(name + "/a", "w").close(), back


@row
def whether_a_lock_is_held():
    lock = threading.Lock()
    return lambda x: x * (2 if lock.locked() else 3), lock.acquire, nothing


@row
def a_large_array():
    held = np.ones(1 << 18)
    return lambda x: x * float(held[5]), lambda: held.__setitem__(5, 3.0), nothing


@row
def a_large_array_with_gaps():
    held = np.ones((1 << 18, 2))[:, 0]
    return lambda x: x * float(held[5]), lambda: held.__setitem__(5, 3.0), nothing


def replaced(f):
    def put(k):
        made = types.ModuleType("stated_module")
        made.K = k
        sys.modules["stated_module"] = made

    put(2.0)
    return f, lambda: put(5.0), lambda: sys.modules.pop("stated_module", None)


@row
def a_module_that_is_replaced():
    def f(x):
        import stated_module

        return x * stated_module.K

    return replaced(f)


@row
def a_name_of_a_module_that_is_replaced():
    def f(x):
        from stated_module import K

        return x * K

    return replaced(f)


@row
def a_module_that_is_loaded():
    name = "stated_module_2"
    return lambda x: x * (2 if name in sys.modules else 3), lambda: sys.modules.update({name: types.ModuleType(name)}), lambda: sys.modules.pop(name, None)


def captured(how, f):
    if how == "compile":
        return torch.compile(f, backend="eager")
    return torch.jit.trace(f, X(), check_trace=False) if how == "trace" else torch.fx.symbolic_trace(f)


# In a symbolic trace of a module the graph itself reads these.
IN_THE_GRAPH = ("an_attribute_of_a_modules_parameter", "an_attribute_of_a_modules_buffer")


@pytest.mark.parametrize("how", ["compile", "trace", "symbolic"])
@pytest.mark.parametrize("name", ROWS)
def test_a_change_is_seen(name, how):
    """torch.compile captures again; a trace raises and names what has changed. Without a change, calls run what was captured."""
    f, change, back = ROWS[name]()
    try:
        g = captured(how, f)
        for _ in range(3):
            assert torch.equal(g(X()), f(X()))
        count = len(_C._compiled_entries(compiled_of(g))) if how == "compile" else 0
        change()
        expected = f(X())
        if how == "compile" or (how == "symbolic" and name in IN_THE_GRAPH):
            assert torch.equal(g(X()), expected)
            assert torch.equal(g(X()), expected)
            assert how == "symbolic" or len(_C._compiled_entries(compiled_of(g))) >= count
        else:
            with pytest.raises(RuntimeError, match=CHANGED):
                g(X())
    finally:
        back()


@pytest.mark.parametrize("name", ["the_current_directory", "the_limit_of_recursion", "a_class_that_is_registered", "subclasses", "an_attribute_of_a_parameter", "a_small_cache"])
def test_what_is_read_again_breaks_no_graph(name):
    f, change, back = ROWS[name]()
    g = torch.compile(f, backend="eager", fullgraph=True)
    try:
        for _ in range(3):
            assert torch.equal(g(X()), f(X()))
        assert len(_C._compiled_entries(compiled_of(g))) == 1
        change()
        assert torch.equal(g(X()), f(X()))
    finally:
        back()


@pytest.mark.parametrize("how", ["compile", "trace", "symbolic"])
def test_a_print_goes_to_the_stream_of_the_call(how, monkeypatch):
    """A print, to sys.stdout by name or not, is no read of the stream."""

    def f(x):
        print("a line", file=sys.stdout)
        return x * 2

    monkeypatch.setattr(sys, "stdout", io.StringIO())
    g = captured(how, f)
    for _ in range(3):
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stdout", stream)
        assert g(X()).tolist() == [2.0, 4.0]
        assert stream.getvalue() == ("a line\n" if how != "symbolic" else stream.getvalue())
    assert how != "compile" or len(_C._compiled_entries(compiled_of(g))) <= 2


def test_a_cached_function_writes_when_it_runs():
    calls = []

    @functools.lru_cache
    def h(n):
        calls.append(n)
        return 2.0

    @functools.lru_cache
    def drawn(n):
        return torch.rand(n)

    g = torch.compile(lambda x: x * h(1) + drawn(2), backend="eager")
    first = g(X())
    for _ in range(3):
        assert torch.equal(g(X()), first) and calls == [1]
    drawn.cache_clear(), h.cache_clear()
    second = g(X())
    assert calls == [1, 1] and torch.equal(g(X()), second) and calls == [1, 1]


def test_a_small_cache_that_the_call_itself_empties():
    found = []
    for wrap in (lambda f: f, lambda f: torch.compile(f, backend="eager"), lambda f: torch.jit.trace(f, X(), check_trace=False)):
        calls = []

        @functools.lru_cache(maxsize=1)
        def h(n, calls=calls):
            calls.append(n)
            return float(n)

        f = lambda x, h=h: x * h(2) + h(3)  # noqa: E731
        g = wrap(f)
        if g is f:
            f(X())  # the run of the trace
        found.append(([g(X()).tolist() for _ in range(12)], calls[-4:]))
    assert found[0] == found[1] == found[2]


A_SIZE_AS_KEY = """
import functools
import monograph as torch

calls = []

@functools.lru_cache
def h(n):
    calls.append(n)
    return n * 2

g = torch.compile(lambda x: x * h(x.shape[0]), backend="eager")
for n in (3, 3, 4, 3, 4):
    assert g(torch.ones(n)).tolist() == [n * 2.0] * n
assert list(map(int, calls)) == [3, 4], calls
"""


def test_a_size_as_the_key_of_a_cache():
    """In a process that has not loaded torch.fx."""
    assert subprocess.run([sys.executable, "-c", A_SIZE_AS_KEY], capture_output=True, text=True, timeout=120).stderr == ""


def test_another_key_of_a_cache_changes_nothing():
    @functools.lru_cache
    def h(n):
        return float(n)

    h(2)
    g = torch.compile(lambda x: x * h(2), backend="eager")
    t = torch.jit.trace(lambda x: x * h(2), X())
    for k in range(5):
        assert g(X()).tolist() == t(X()).tolist() == [2.0, 4.0]
        h(10 + k)
    assert len(_C._compiled_entries(compiled_of(g))) == 1


def test_guards_keep_no_class_and_no_referent_alive():
    class A:
        pass

    class C:
        k = 2.0

    held, kept = [C()], [type("B", (A,), {})]
    w, of_class = weakref.ref(held[0]), weakref.ref(kept[0])
    traced = torch.jit.trace(lambda x: x * w().k * len(A.__subclasses__()), X())
    held.clear(), kept.clear(), gc.collect()
    assert w() is None and of_class() is None
    with pytest.raises(RuntimeError, match=CHANGED):
        traced(X())


TYPES = {
    "isinstance": lambda x: x * (2 if isinstance(x, nn.Parameter) else 3),
    "of several": lambda x: x * (2 if isinstance(x, (dict, nn.Parameter)) else 3),
    "type": lambda x: x * (2 if type(x) is nn.Parameter else 3),
    "__class__": lambda x: x * (2 if x.__class__ is nn.Parameter else 3),
    "buffer": lambda x: x * (2 if isinstance(x, nn.Buffer) else 3),
    "attribute": lambda x: x * getattr(x, "scale", 3.0),
}


def marked():
    x = X()
    x.scale = 5.0
    return x


def other_input(name):
    return marked() if name == "attribute" else nn.Buffer(X()) if name == "buffer" else nn.Parameter(X())


@pytest.mark.parametrize("name", TYPES)
def test_the_type_of_an_input_is_a_part_of_what_a_trace_holds_for(name):
    f, other = TYPES[name], other_input(name)
    traced = torch.jit.trace(f, X())
    assert torch.equal(traced(X()), f(X()))
    with pytest.raises(RuntimeError, match=r"(?s)asks.*input"):
        traced(other)
    assert torch.equal(traced(X()), f(X()))
    with pytest.raises(RuntimeError, match=r"(?s)asks.*input"):
        torch.jit.trace(f, other)
    compiled = torch.compile(f, backend="eager")
    assert torch.equal(compiled(X()), f(X())) and torch.equal(compiled(other), f(other))


def test_the_type_of_a_tensor_in_a_list_is_too():
    f = lambda xs, d: xs[1] * (2 if isinstance(xs[1], nn.Parameter) else 3) + d["k"] * getattr(d["k"], "scale", 1.0)  # noqa: E731
    traced = torch.jit.trace(f, ([X(), X()], {"k": X()}))
    assert torch.equal(traced([X(), X()], {"k": X()}), f([X(), X()], {"k": X()}))
    for xs, d in (([X(), nn.Parameter(X())], {"k": X()}), ([X(), X()], {"k": marked()})):
        with pytest.raises(RuntimeError, match=r"(?s)asks.*input"):
            traced(xs, d)


def test_a_file_says_what_it_holds_for():
    traced = torch.jit.trace(lambda x: TYPES["isinstance"](x) * sys.getrecursionlimit(), X())
    assert {"the inputs are plain tensors, no parameters", f"sys.getrecursionlimit() is {sys.getrecursionlimit()}"} <= set(traced.graph.relied_on)


def test_a_program_that_does_not_ask_takes_parameters():
    traced = torch.jit.trace(lambda x: x * 2 if isinstance(x, torch.Tensor) else x, nn.Parameter(X()))
    assert traced(nn.Parameter(X())).tolist() == [2.0, 4.0] and traced(X()).tolist() == [2.0, 4.0]


def test_what_a_graph_cannot_ask_again_is_refused(tmp_path):
    (tmp_path / "k").write_text("2")

    def reads(x):
        with open(tmp_path / "k") as file:
            return x * float(file.read())

    held, array = object(), np.array([2.0, None], dtype=object)
    for f, words in ((reads, "opens a file"), (lambda x: x * array[0], "array of Python objects"), (lambda x: x * decimal.getcontext().prec, "decimal"), (lambda x: x * sys.getrefcount(held), "counts the references")):
        for how in ("trace", "symbolic"):
            with pytest.raises(RuntimeError, match=words):
                captured(how, f)
    with pytest.raises(RuntimeError, match="__dict__"):
        torch.fx.symbolic_trace(lambda x: x * len(x.__dict__))
