"""What a captured program reads and writes outside of its arguments, in places that Python's own dicts and lists do not show: settings, bytes, tensors, imports."""

from __future__ import annotations

import array
import collections
import sys
import types

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


@pytest.mark.parametrize("how", ["compile", "trace"])
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
    with pytest.raises(NotImplementedError, match="writes to a tensor that it holds"):
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
