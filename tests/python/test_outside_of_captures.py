"""What a captured program reads and writes outside of its arguments, in places that Python's own dicts and lists do not show: settings, bytes, tensors, imports."""

from __future__ import annotations

import array
import collections
import os
import sys
import types
import weakref

import monograph as torch
import numpy as np
import pytest
from monograph import _C

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")
EXAMPLE = [1.0, 2.0]
CHANGED = "has changed since"


def captured(how, f):
    if how == "compile":
        return torch.compile(f, backend="eager", fullgraph=True)
    return torch.jit.trace(f, torch.tensor(EXAMPLE), check_trace=False) if how == "trace" else torch.fx.symbolic_trace(f)


def deterministic():
    def f(x):
        return x * 2 if torch.are_deterministic_algorithms_enabled() else x * 3

    return f, lambda: torch.use_deterministic_algorithms(True), lambda: torch.use_deterministic_algorithms(False)


def threads():
    before = torch.get_num_threads()
    return lambda x: x * torch.get_num_threads(), lambda: torch.set_num_threads(before + 1), lambda: torch.set_num_threads(before)


def precision():
    def f(x):
        return x * len(torch.get_float32_matmul_precision())

    return f, lambda: torch.set_float32_matmul_precision("high"), lambda: torch.set_float32_matmul_precision("highest")


def bytes_of(held, change):
    return lambda x: x * float(held[0]), lambda: change(held), lambda: None


def proxy_of_dict():
    held = {"k": 2.0}
    shown = types.MappingProxyType(held)
    return lambda x: x * shown["k"], lambda: held.update(k=9.0), lambda: None


def number_of_tensor():
    held = torch.tensor(2.0)
    return lambda x: x * held.item(), lambda: held.fill_(9.0), lambda: None


def truth_of_tensor():
    held = torch.tensor(2.0)
    return lambda x: x * 2 if held > 1 else x * 3, lambda: held.fill_(0.0), lambda: None


def size_of_tensor():
    held = torch.tensor([1.0, 2.0])
    return lambda x: x * held.shape[0], lambda: held.resize_(1), lambda: None


def gradient_of_tensor():
    held = torch.tensor([1.0, 2.0])
    return lambda x: x * 2 + held if held.requires_grad else x * 3 + held, lambda: held.requires_grad_(), lambda: None


def default_list():
    def f(x, w=[1.0, 2.0]):  # noqa: B006
        return x * w[0] + w[1]

    return f, lambda: f.__defaults__[0].__setitem__(1, 9.0), lambda: None


READS = {
    "a flag of torch": deterministic,
    "a number that C++ keeps": threads,
    "a word of torch": precision,
    "bytearray": lambda: bytes_of(bytearray(b"\x02\x03"), lambda b: b.__setitem__(0, 9)),
    "array": lambda: bytes_of(array.array("d", [2.0]), lambda b: b.__setitem__(0, 9.0)),
    "memoryview": lambda: bytes_of(memoryview(bytearray(b"\x02\x03")), lambda b: b.__setitem__(0, 9)),
    "NumPy": lambda: bytes_of(np.array([2.0, 3.0]), lambda b: b.__setitem__(0, 9.0)),
    "MappingProxyType": proxy_of_dict,
    "item": number_of_tensor,
    "truth": truth_of_tensor,
    "size": size_of_tensor,
    "requires_grad": gradient_of_tensor,
    "default list": default_list,
}


@pytest.mark.parametrize("how", ["compile", "trace", "symbolic"])
@pytest.mark.parametrize("make", READS.values(), ids=READS)
def test_a_change_is_seen(make, how):
    """torch.compile captures again; a trace raises and names what has changed."""
    f, change, back = make()
    g = captured(how, f)
    x = torch.tensor(EXAMPLE)
    assert torch.equal(g(x), f(x))
    change()
    try:
        if how == "compile":
            assert torch.equal(g(x), f(x))
        else:
            with pytest.raises(RuntimeError, match=f"{CHANGED}|was captured where"):
                g(x)
    finally:
        back()


@pytest.mark.parametrize("how", ["compile", "trace", "symbolic"])
def test_a_module_that_is_replaced_is_seen(how, monkeypatch):
    def module(k):
        made = types.ModuleType("replaced_module")
        made.K = k
        monkeypatch.setitem(sys.modules, "replaced_module", made)

    def f(x):
        from replaced_module import K

        return x * K

    module(2.0)
    g, x = captured(how, f), torch.tensor(EXAMPLE)
    assert torch.equal(g(x), x * 2)
    module(5.0)
    if how == "compile":
        assert torch.equal(g(x), x * 5)
    else:
        with pytest.raises(RuntimeError, match=CHANGED):
            g(x)


def test_a_symbolic_trace_writes_to_no_tensor():
    """A write that no input takes part in is that of each call, and not one of the trace."""
    count = torch.tensor(0)

    def f(x):
        count.add_(1)
        return x * 2

    g = torch.fx.symbolic_trace(f)
    assert count.item() == 0
    assert g(torch.tensor(EXAMPLE)).tolist() == [2, 4] and count.item() == 1
    assert g(torch.tensor(EXAMPLE)).tolist() == [2, 4] and count.item() == 2
    with pytest.raises(NotImplementedError, match="the program writes to count, a tensor that it holds"):
        torch.jit.save(g, "/nonexistent/f.mgraph")


def test_a_refused_write_does_not_stay():
    """The graph would hold this tensor as a constant. The write of the side that no call has taken is put back."""
    weight = torch.ones(2)

    def f(x):
        if x.sum() > 100:
            weight.add_(1)
        return x * weight

    with pytest.raises(torch.fx.proxy.TraceError, match="writes to a tensor"):
        torch.fx.symbolic_trace(f)
    assert weight.tolist() == [1, 1]


def test_a_symbolic_trace_leaves_no_proxy_behind():
    rows, last = [], {}

    def f(x):
        rows.append(x * 2)
        last["x"] = (x, 1)
        return sum(rows)

    g = torch.fx.symbolic_trace(f)
    assert rows == [] and last == {}
    assert g(torch.ones(2)).tolist() == [2, 2] and len(rows) == 1
    assert g(torch.ones(2)).tolist() == [4, 4] and len(rows) == 2

    def failing(x):
        rows.append(x)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        torch.fx.symbolic_trace(failing)
    assert len(rows) == 2


@pytest.mark.parametrize("how", [lambda x, y: id(x) == id(y), lambda x, y: len({x, y}) == 1, lambda x, y: y in {x: 1}], ids=["id", "set", "dict"])
def test_two_inputs_that_may_be_one_are_told_apart(how):
    def f(x, y):
        return x * (2 if how(x, y) else 3)

    with pytest.raises(RuntimeError, match="whether two inputs are the same tensor"):
        torch.jit.trace(f, (torch.ones(2), torch.ones(2)))
    g, one = torch.compile(f, backend="eager"), torch.ones(2)
    assert g(torch.ones(2), torch.ones(2)).tolist() == [3, 3] and g(one, one).tolist() == [2, 2]


def test_the_order_of_keywords_is_that_of_the_call():
    def f(**kwargs):
        total = 0
        for value in kwargs.values():
            total = total * 2 + value
        return total

    a, b = torch.ones(2), torch.zeros(2)
    g = torch.jit.trace(f, example_kwarg_inputs={"a": a, "b": b})
    assert g(a=a, b=b).tolist() == [2, 2] and g(b=b, a=a).tolist() == [1, 1]
    assert g(a=a, b=b).tolist() == [2, 2]


def test_addresses_and_frames_are_those_of_the_call():
    def same_memory(x, y):
        return x * (2 if x.data_ptr() == y.data_ptr() else 3)

    g, t = torch.compile(same_memory, backend="eager"), torch.ones(2)
    assert g(torch.ones(2), torch.ones(2)).tolist() == [3, 3] and g(t, t[:1]).tolist() == [2, 2]

    def local_names(x):
        unused = x * 2  # noqa: F841
        return sorted(sys._getframe().f_locals)

    assert torch.compile(local_names, backend="eager")(t) == ["unused", "x"]


@pytest.mark.parametrize("backend", [lambda gm, inputs: 1 / 0, lambda gm, inputs: 3], ids=["raises", "no callable"])
def test_an_error_of_a_backend_is_an_error(backend):
    def f(x):
        return x + 1

    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="backend="):
        torch.compile(f, backend=backend)(torch.ones(1))
    with torch._dynamo.config.patch(suppress_errors=True):
        assert torch.compile(f, backend=backend)(torch.ones(1)).tolist() == [2]


def test_settings_of_dynamo():
    def f(x, kind):
        return x * {"a": 2, "b": 3, "c": 4}[kind]

    x, exc = torch.ones(1), torch._dynamo.exc
    g = torch.compile(f, backend="eager", recompile_limit=1)
    assert g(x, "a").item() == 2 and g(x, "b").item() == 3
    with torch._dynamo.config.patch(fail_on_recompile_limit_hit=True), pytest.raises(exc.FailOnRecompileLimitHit, match="kind"):
        g(x, "c")
    h = torch.compile(f, backend="eager")
    assert h(x, "a").item() == 2
    with torch._dynamo.config.patch(error_on_recompile=True), pytest.raises(exc.RecompileError, match="kind"):
        h(x, "b")
    with pytest.raises(AttributeError, match="no setting"):
        torch._dynamo.config.recompile_limits = 3
    assert h._torchdynamo_orig_callable is f


def test_a_counter_is_written_in_place():
    """The first call of a Counter or defaultdict inserts the key, which is no change from outside."""
    counts = collections.Counter()

    def f(x):
        counts["calls"] += 1
        return x * counts["calls"]

    g = torch.compile(f, backend="eager")
    assert [g(torch.ones(1)).item() for _ in range(3)] == [1, 2, 3]


class Ends:
    """An object of which the program sees the end."""

    def __init__(self, log=None):
        self.log = log

    def __del__(self):
        if self.log is not None:
            self.log.append("end")


class Plain:
    pass


def deleted_in_a_branch(x):
    d = Plain()
    r = weakref.ref(d)
    if x.sum() > 0:
        del d
    return x * (2 if r() is None else 3)


def replaced_in_a_branch(x):
    d = Plain()
    r = weakref.ref(d)
    if x.sum() > 0:
        d = None
    y = x * (2 if r() is None else 3)
    return y, d is None


def asked_in_the_branch(x):
    d = Plain()
    r = weakref.ref(d)
    if x.sum() > 0:
        del d
        x = x * (2 if r() is None else 3)
    return x


def deleted_with_its_list(x):
    d = [Plain()]
    r = weakref.ref(d[0])
    if x.sum() > 0:
        del d
    return x * (2 if r() is None else 3)


def not_read_behind_a_branch(x):
    d = Plain()
    r = weakref.ref(d)
    x = x * 2 if x.sum() > 0 else x - 1
    return x * (2 if r() is None else 3)


def not_read_behind_a_loop(x):
    d = Plain()
    r = weakref.ref(d)
    n = 0
    while x.abs().sum() < 10 and n < 6:
        x = x * 2
        n += 1
    return x * (2 if r() is None else 3)


def deleted_in_a_loop(x):
    d = Plain()
    r = weakref.ref(d)
    while x.abs().sum() < 10:
        d = None
        x = x * 2
    return x * (2 if r() is None else 3), d is None


def with_a_finalizer(x):
    log = []
    d = Ends(log)
    if x.sum() > 0:
        del d
    log.append("behind")
    return x * (2 if log[0] == "end" else 3)


def made_in_a_branch(x):
    log = []
    if x.sum() > 0:
        Ends(log)
    log.append("behind")
    return x * (2 if log[0] == "end" else 3)


ENDS = (
    deleted_in_a_branch, replaced_in_a_branch, asked_in_the_branch, deleted_with_its_list, not_read_behind_a_branch, not_read_behind_a_loop, deleted_in_a_loop, with_a_finalizer,
    made_in_a_branch,
)  # fmt: skip


@pytest.mark.parametrize("f", ENDS)
@pytest.mark.parametrize("how", ["compile", "trace", "symbolic"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_object_whose_end_the_program_sees(f, how, sign):
    """It ends in a way where it does in Python, or the capture is guarded there, or refused."""
    try:
        g = (
            torch.compile(f)
            if how == "compile"
            else torch.jit.trace(f, torch.tensor(EXAMPLE) * sign, check_trace=False) if how == "trace" else torch.fx.symbolic_trace(f)
        )  # fmt: skip
    except Exception as error:
        assert how == "symbolic" and __file__ in str(error)
        return
    for v in (EXAMPLE, [-1.0, -2.0], [20.0], [-20.0]):
        x = torch.tensor(v) * sign
        try:
            got = g(x)
        except RuntimeError as error:
            assert how != "compile" and "the graph was captured where" in str(error)
            continue
        want = f(x)
        assert torch.equal(got[0] if isinstance(got, tuple) else got, want[0] if isinstance(want, tuple) else want), v
        assert not isinstance(want, tuple) or got[1] == want[1]


def test_the_end_of_an_object_comes_once_and_in_its_place():
    log = []

    def f(x):
        d = Ends(log)
        y = x + 1
        os.getpid()
        del d
        log.append("behind")
        return y

    def early(x):
        os.getpid()
        d = Ends(log)
        y = x + 1
        del d
        log.append("behind")
        os.getpid()
        return y

    for function in (f, early):
        compiled = torch.compile(function)
        for _ in range(3):
            compiled(torch.ones(2))
            assert log == ["end", "behind"]
            log.clear()
    with pytest.raises(torch._dynamo.exc.Unsupported, match="__del__"):
        torch.compile(f, fullgraph=True)(torch.ones(2))


@pytest.mark.parametrize("error", [ValueError, AssertionError, OverflowError, ZeroDivisionError, KeyError, RuntimeError, TypeError, NotImplementedError])
@pytest.mark.parametrize("words", ["m", ""])
def test_what_a_program_raises_has_its_type_everywhere(error, words, tmp_path):
    def f(x):
        print("", end="")
        if x.sum() > 0:
            raise error(words)
        return x

    def g(x):
        if x.sum() > 0:
            raise error(words)
        return x

    compiled, traced = torch.compile(f), torch.jit.trace(g, -torch.ones(1))
    compiled(-torch.ones(1))
    torch.jit.save(traced, tmp_path / "g.pt")
    traced.save(tmp_path / "g.mgraph")
    for h in (compiled, traced, torch.jit.load(tmp_path / "g.pt"), torch.load_graph(tmp_path / "g.mgraph")):
        with pytest.raises(error) as raised:
            h(torch.ones(1))
        assert words in str(raised.value) and f"{error.__name__}: " not in str(raised.value)
