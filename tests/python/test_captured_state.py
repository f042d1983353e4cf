"""What a program keeps between its calls, hooks that it sets while it runs, and lists whose lengths values decide: equal to the function itself, or refused by
line."""

from __future__ import annotations

import collections
import contextlib
import copy
import dataclasses
import functools
import json
import operator
import pickle
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import monograph as torch
import monograph.nn as nn
import pytest
from monograph._compile import compiled_of

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")

X = [torch.tensor(v) for v in ([1.0, 2.0, 3.0], [-9.0, -1.0], [4.0], [])]


def values(result: Any) -> Any:
    if isinstance(result, torch.Tensor):
        return result.tolist()
    if isinstance(result, dict):
        return {k: values(v) for k, v in result.items()}
    return [values(v) for v in result] if isinstance(result, (list, tuple)) else result


class KeepsItsLastResult(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        out = x * 2 if self.last is None else x * 2 + self.last
        self.last = out.sum()
        return out


class KeepsInABranch(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = torch.zeros(1)

    def forward(self, x):
        if x.sum() > 0:
            self.last = x.max().reshape(1)
        return x + self.last


class KeepsWhatNobodyReads(nn.Module):
    def forward(self, x):
        self.last = x * 2
        return self.last + 1


@pytest.mark.parametrize("capture", [lambda m: torch.jit.trace(m, X[0], check_trace=False), torch.fx.symbolic_trace, torch.compile])
def test_a_tensor_that_is_kept_for_the_next_call_is_read_there(capture: Any) -> None:
    own, other = KeepsItsLastResult(), KeepsItsLastResult()
    captured = capture(other)
    other.last = None
    for x in X:
        assert values(captured(x)) == values(own(x))


def test_a_file_does_not_hold_what_the_next_call_reads(tmp_path: Any) -> None:
    state = {"calls": 0}

    def counts(x):
        state["calls"] += 1
        return x * 2 if state["calls"] % 2 else x - 1

    for program in (KeepsItsLastResult(), KeepsInABranch(), counts):
        made = torch.fx.symbolic_trace(program)
        for save in (lambda made=made: torch.jit.save(made, tmp_path / "f.pt"), lambda made=made: made.graph.save(tmp_path / "f.mgraph")):
            with pytest.raises(NotImplementedError, match="reads that at its next call"):
                save()
    made = torch.fx.symbolic_trace(KeepsWhatNobodyReads())
    made.graph.save(tmp_path / "f.mgraph")
    assert values(torch.load_graph(tmp_path / "f.mgraph")(X[0])) == [3, 5, 7]


class FindsNoAttribute(nn.Module):
    def forward(self, x):
        if not hasattr(self, "first"):
            self.first = x.sum()
        return x + self.first


class FindsNoEntry(nn.Module):
    def __init__(self):
        super().__init__()
        self.entries = {"other": 1}

    def forward(self, x):
        if "first" not in self.entries:
            self.entries["first"] = x.sum()
        return x + self.entries["first"]


class ComputesAPropertyOnce(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))

    @functools.cached_property
    def scale(self):
        return self.weight * 3

    def forward(self, x):
        y = x * self.scale
        with torch.no_grad():
            self.weight.add_(1)
        return y


@pytest.mark.parametrize("program", [FindsNoAttribute, FindsNoEntry, ComputesAPropertyOnce])
def test_what_the_first_call_computes_is_read_by_the_others(program: Any, tmp_path: Any) -> None:
    own, other, compiled = program(), program(), program()
    made, compiled = torch.fx.symbolic_trace(other), torch.compile(compiled)
    for x in X:
        expected = values(own(x))
        assert values(made(x)) == expected and values(compiled(x)) == expected
    made = torch.fx.symbolic_trace(program())
    for save in (lambda: torch.jit.save(made, tmp_path / "f.pt"), lambda: made.graph.save(tmp_path / "f.mgraph")):
        with pytest.raises(NotImplementedError, match=r"reads that at its next call.*(self\.first|self\.entries\['first'\]|self\.scale) was missing and is a traced value"):
            save()


class Collects(nn.Module):
    """Features of inner layers, by hooks that live as long as the call."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Tanh(), nn.Softsign(), nn.Sigmoid())

    def forward(self, x):
        features: dict[str, Any] = {}
        handles = [
            layer.register_forward_hook(lambda module, args, out, name=name: features.__setitem__(name, out))
            for name, layer in self.body.named_children()
            if name != "1"
        ]
        y = self.body(x)
        for handle in handles:
            handle.remove()
        return y, features


def test_hooks_that_the_program_sets_while_it_runs(tmp_path: Any) -> None:
    net = Collects()
    made = torch.fx.symbolic_trace(net)
    for x in X:
        assert values(made(x)) == values(net(x))
    assert [n.target for n in made.graph.nodes if n.op == "call_module"] == ["body.1"]


def halves(x):
    todo, done = [x], []
    while todo:
        part = todo.pop()
        if part.shape[0] > 2:
            todo.extend(part.chunk(2))
        else:
            done.append(part.sum())
    return torch.stack(done)


def pieces_in_a_loop(x):
    k, y = x.shape[0], x
    while k > 1:
        parts = y.split(2)
        y = parts[0] + len(parts)
        k = k - 2
    return y


def pieces_written_in_a_loop(x):
    k, y = x.shape[0], x.clone()
    while k > 1:
        parts = y.split(2)
        parts[-1].add_(len(parts))
        k = k - 2
    return y


@pytest.mark.parametrize("f", [halves, pieces_in_a_loop, pieces_written_in_a_loop])
def test_the_length_of_a_list_in_a_loop_is_that_of_each_round(f: Any) -> None:
    inputs = [torch.arange(float(n)) for n in (3, 2, 7, 1, 5, 6)]
    compiled = torch.compile(f, backend="eager")
    for x in inputs:
        assert values(compiled(x)) == values(f(x))
    for example in inputs:
        try:
            traced = torch.jit.trace(f, (example,), check_trace=False)
        except RuntimeError as error:
            assert "test_captured_state.py:" in str(error)
            continue
        assert values(traced(example)) == values(f(example))
        for x in inputs:
            try:
                got = values(traced(x))
            except RuntimeError as error:
                assert "test_captured_state.py:" in str(error)
                continue
            assert got == values(f(x)), (example, x)


def an_error_under_a_context(x):
    w = torch.zeros_like(x)
    for k in range(5):  # noqa: B007 (it is a result)
        with torch.enable_grad():
            v = w.detach().requires_grad_()
            (g,) = torch.autograd.grad(((v - x) ** 2).sum(), v)
        w = w - 0.4 * g
        if g.abs().sum() < 0.5:
            break
    return w, k


def test_an_error_in_a_branch_leaves_the_context_managers_around_it() -> None:
    """The stack of the frame is that of the place from which the error leaves."""
    try:
        made = torch.fx.symbolic_trace(an_error_under_a_context)
    except torch.fx.proxy.TraceError as error:
        assert "test_captured_state.py:" in str(error)
    else:
        for x in X:
            assert values(made(x)) == values(an_error_under_a_context(x))
    assert torch.is_grad_enabled()


@dataclasses.dataclass(frozen=True)
class Options:
    scale: float = 1.0
    shift: Any = 0


def replaces_a_frozen_dataclass(x):
    options = Options()
    if x.sum() > 0:
        options = dataclasses.replace(options, scale=3.0)
    return x * options.scale + options.shift


def asks_for_an_abstract_class(x):
    if x.sum() > 0:
        parts = [x, x + 1]
        y = parts[1] if isinstance(parts, Sequence) else parts[0]
    else:
        y = x * 2
    return y


def takes_by_position(x):
    take, scale = operator.itemgetter(0, -1), functools.partial(torch.mul, other=2.0)
    if x.sum() > 0:
        a, b = take([x, x + 1, scale(x)])
    else:
        a, b = functools.reduce(operator.add, [x, x, x]), x
    return a + b


@pytest.mark.parametrize("f", [replaces_a_frozen_dataclass, asks_for_an_abstract_class, takes_by_position])
@pytest.mark.parametrize("capture", [lambda f: torch.jit.trace(f, (X[0],)), torch.fx.symbolic_trace, lambda f: torch.compile(f, fullgraph=True)])
def test_calls_that_a_branch_may_make(f: Any, capture: Any) -> None:
    captured = capture(f)
    for x in X:
        assert values(captured(x)) == pytest.approx(values(f(x)))


class Interval:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def __bool__(self):
        return bool(self.low.sum() < self.high.sum())


class Unequal:
    def __bool__(self):
        return 3  # type: ignore[return-value]


def asks_an_object(x):
    interval = Interval(x, x * 0)
    y = x + 1 if interval else x - 1
    if not interval:
        y = y * 2
    return y


@pytest.mark.parametrize("capture", [lambda f: torch.jit.trace(f, (X[0],)), torch.fx.symbolic_trace, lambda f: torch.compile(f, fullgraph=True)])
def test_an_object_whose_truth_a_value_decides(capture: Any) -> None:
    captured = capture(asks_an_object)
    for x in X:
        assert values(captured(x)) == values((x + 1) if x.sum() < 0 else (x - 1) * 2)


def test_a_wrong_bool_is_python_s_error() -> None:
    def f(x):
        return x if Unequal() else x + 1

    with pytest.raises(TypeError, match="__bool__ should return bool, returned int"):
        torch.jit.trace(f, (X[0],))


class Restores(nn.Module):
    """A number of an attribute is returned to it: a constant among what the graph gives."""

    def __init__(self):
        super().__init__()
        self.factor = 1.0

    @contextlib.contextmanager
    def using(self, factor):
        before, self.factor = self.factor, factor
        try:
            yield
        finally:
            self.factor = before

    def forward(self, x):
        with self.using(3.0 if x.shape[0] > 1 else 0.5):
            y = x * self.factor
        return y + x * self.factor


def test_a_number_that_is_put_back_behind_a_context() -> None:
    net = Restores()
    compiled = torch.compile(net)
    for factor in (1.0, 2.0, 1.0, 0.5, 3.0):
        net.factor = factor
        for x in X:
            assert values(compiled(x)) == values(net(x))
            assert net.factor == factor


def test_scalars_of_numpy_are_constants_of_a_compiled_function() -> None:
    np = pytest.importorskip("numpy")
    scale = [np.float32(2), np.sqrt(np.float64(9.0)), np.int64(3)]

    def f(x):
        return x * float(scale[0]) + float(scale[1]) + int(scale[2])

    compiled = torch.compile(f, fullgraph=True)
    for x in X:
        assert values(compiled(x)) == values(f(x))
    scale[0] = np.float32(5)
    assert values(compiled(X[0])) == values(f(X[0]))


def uses_numbers_of_a_dict(x, options):
    options["seen"] = options["shift"]
    return x * options["scale"] + options["weights"][0] - options["weights"][-1] * options["pair"][1]


def test_numbers_in_lists_and_dicts_among_the_arguments_become_inputs() -> None:
    compiled = torch.compile(uses_numbers_of_a_dict, fullgraph=True)

    def options_of_call(k: int) -> Any:
        return {"scale": k / 2, "shift": k, "weights": [k * 1.5, 2.0, k + 0.25], "pair": (1, 3.0), "seen": 0}

    for k in range(1, 9):
        mine, other = options_of_call(k), options_of_call(k)
        assert values(compiled(X[0], mine)) == pytest.approx(values(uses_numbers_of_a_dict(X[0], other)))
        assert mine == other and [type(v) for v in mine.values()] == [type(v) for v in other.values()]
    assert len(torch._C._compiled_entries(compiled_of(compiled))) <= 6


def test_a_number_of_a_dict_that_the_function_writes() -> None:
    def counts(x, state):
        state["calls"] += 1
        return x * state["calls"]

    compiled = torch.compile(counts, fullgraph=True)
    mine, other = {"calls": 0}, {"calls": 0}
    for _ in range(5):
        assert values(compiled(X[0], mine)) == values(counts(X[0], other))
        assert mine == other and type(mine["calls"]) is int
    assert len(torch._C._compiled_entries(compiled_of(compiled))) == 2


def test_a_call_that_fails_leaves_the_numbers_of_its_arguments() -> None:
    def fails(x, state):
        if state["k"] > 2:
            raise ValueError(f"too many: {state['k']}")
        return x + state["k"]

    compiled = torch.compile(fails)
    for k in (1, 2, 3, 4):
        state = {"k": k}
        try:
            assert values(compiled(X[0], state)) == values(fails(X[0], state))
        except ValueError as error:
            assert str(error) == f"too many: {k}" and k > 2
        assert state == {"k": k} and type(state["k"]) is int


class SetsANumberInABranch(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = 0

    def forward(self, x):
        if x.sum() > 0:
            self.last = 5
        return x + self.last


class Holder:
    last = 0


def test_what_a_branch_sets_is_read_by_the_next_call() -> None:
    for capture in (lambda m: torch.jit.trace(m, X[1]), torch.fx.symbolic_trace, torch.compile):
        own, other = SetsANumberInABranch(), SetsANumberInABranch()
        captured = capture(other)
        for x in [X[1], *X]:
            assert values(captured(x)) == values(own(x)) and other.last == own.last


def test_what_a_branch_sets_on_another_object() -> None:
    def program():
        holder = Holder()
        holder.last = 0

        def f(x):
            if x.sum() > 0:
                holder.last = 5
            return x + holder.last

        return f, holder

    for capture in (lambda f: torch.jit.trace(f, X[1]), torch.fx.symbolic_trace, torch.compile):
        (own, its), (other, holder) = program(), program()
        captured = capture(other)
        for x in [X[1], *X]:
            assert values(captured(x)) == values(own(x)) and holder.last == its.last


def test_what_a_function_writes_before_it_raises() -> None:
    state = Holder()

    def f(x):
        x.mul_(2)
        state.last += 1
        if x.sum() < 0:
            raise ValueError("negative")
        state.last += 10
        return x

    seen = []
    for g in (f, torch.compile(f)):
        state.last = 0
        for x in [X[0], X[0], X[1], X[1], X[0]]:
            given = x.clone()
            try:
                result = values(g(given))
            except ValueError as error:
                result = str(error)
            seen.append((result, values(given), state.last))
    assert seen[:5] == seen[5:]


class DecaysAtTheThirdCall(nn.Module):
    def __init__(self):
        super().__init__()
        self.step, self.rate = 0, 0.5

    def forward(self, x):
        self.step += 1
        if self.step % 3 == 0:
            self.rate *= 0.5
        return x * self.rate


def test_a_file_is_refused_if_one_of_the_next_three_calls_has_another_graph(tmp_path: Any) -> None:
    net = DecaysAtTheThirdCall()
    traced = torch.jit.trace(net, X[0])
    with pytest.raises(NotImplementedError, match="each call has another graph"):
        torch.jit.save(traced, tmp_path / "f.pt")
    assert (net.step, net.rate) == (1, 0.5)


def test_saving_what_writes_a_global_leaves_the_globals_of_python(tmp_path: Any) -> None:
    (tmp_path / "writes_a_global.py").write_text(
        "CALLS, SEEN = 0, {}\n"
        "def f(x):\n"
        "    global CALLS, MADE\n"
        "    CALLS = CALLS + 1\n"
        "    SEEN['n'] = MADE = 1\n"
        "    return x + 1\n"
    )
    # In another process, since one without builtins is lost.
    program = (
        "import builtins, sys\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "import monograph as torch, writes_a_global as w\n"
        "t = torch.jit.trace(w.f, torch.ones(2))\n"
        "before, own, calls = dict(vars(builtins)), {k: v for k, v in vars(w).items() if k[:2] == '__'}, w.CALLS\n"
        f"torch.jit.save(t, {str(tmp_path / 'f.pt')!r})\n"
        "assert vars(builtins) == before\n"
        "assert {k: v for k, v in vars(w).items() if k[:2] == '__'} == own and w.CALLS == calls and w.SEEN == {'n': 1}\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 or "NotImplementedError" in done.stderr.splitlines()[-1], done.stderr


SEEN: list[Any] = []
BY_SIZE: dict[Any, Any] = {}
LAST = 0


def test_what_a_trace_leaves_in_the_programs_objects_are_numbers() -> None:
    holder = type("Holder", (), {})()
    last = 0

    def f(x: Any) -> Any:
        nonlocal last
        global LAST
        LAST = last = holder.n = x.shape[0]
        SEEN.append([x.shape[0]])
        BY_SIZE[x.shape[0]] = (x.shape[0],)
        return x + 1

    torch.jit.trace(f, torch.ones(2))
    assert json.dumps([SEEN, list(BY_SIZE.items()), holder.n, last, LAST]) == "[[[2]], [[2, [2]]], 2, 2, 2]"
    assert pickle.loads(pickle.dumps((SEEN, BY_SIZE, holder.n, last, LAST))) == (SEEN, BY_SIZE, 2, 2, 2)
    assert {type(v) for v in (SEEN[0][0], *BY_SIZE, BY_SIZE[2][0], holder.n, last, LAST)} == {int}
    SEEN.clear(), BY_SIZE.clear()


HELD = torch.ones(1)


def test_a_write_in_one_arm_to_a_copy_is_done_in_that_arm_or_refused() -> None:
    def copied(x):
        c = copy.deepcopy(HELD)
        if x.sum() > 0:
            c += 1
        return x * c

    def in_a_list(x):
        c = [HELD.clone()]
        for _ in x:
            c[0].mul_(2)
        return x * c[0]

    def made(x):
        c = torch.tensor([1.0])
        if x.sum() > 0:
            c += 1
        return x * c

    def outside_of_it(x):
        c = copy.deepcopy(HELD)
        c += 1
        if x.sum() > 0:
            d = HELD.clone()
            d += 1
            x = x * d
        return x * c

    for f in (copied, in_a_list, made, outside_of_it):
        for capture in (torch.fx.symbolic_trace, lambda f: torch.jit.trace(f, X[0], check_trace=False), torch.compile):
            if capture is torch.fx.symbolic_trace and f in (copied, in_a_list):
                with pytest.raises(torch.fx.proxy.TraceError, match="a branch or loop on traced values writes to a tensor that is not an input"):
                    capture(f)
                continue
            g = capture(f)
            for x in (X[0], X[1], X[2]):
                assert values(g(x)) == values(f(x)), f.__name__


GENERATED = {
    "join": lambda x: len("".join("a" if r > 0 else "bb" for r in x)),
    "join over a range": lambda x: len("".join("a" if x.sum() > i else "bb" for i in range(3))),
    "set": lambda x: len({*("a" if r > 0 else "bb" for r in x)}) + len(set("a" if r > 0 else "bb" for r in x)),  # noqa: C401
    "list and tuple": lambda x: len(list("a" if r > 0 else "bb" for r in x)) + 2 * len(tuple("a" if r > 0 else "bb" for r in x)),  # noqa: C400, C409
    "counter": lambda x: collections.Counter("a" if r > 0 else "bb" for r in x)["a"],
    "none": lambda x: len(set(None if r > 0 else 1 for r in x)),  # noqa: C401
    "tuples": lambda x: len(set((1, 2) if r > 0 else (3,) for r in x)),  # noqa: C401
    "for": lambda x: sum(len(s) for s in ("a" if r > 0 else "bb" for r in x)),
}


@pytest.mark.parametrize("count", GENERATED.values(), ids=GENERATED)
@pytest.mark.parametrize("how", ["compile", "trace", "symbolic"])
def test_a_generator_whose_elements_a_branch_chooses(count: Any, how: str) -> None:
    """What cannot join at a `yield` is a guard, or refused. The ways of a fork in a generator never run on to its return."""

    def f(x):
        return x * count(x)

    inputs = [torch.tensor(v) for v in ([1.0, -2.0], [-1.0, 2.0], [3.0])]
    try:
        g = torch.compile(f) if how == "compile" else torch.jit.trace(f, inputs[0]) if how == "trace" else torch.fx.symbolic_trace(f)
    except Exception as error:
        assert how == "symbolic" and __file__ in str(error)
        return
    for x in inputs:
        try:
            got = g(x)
        except RuntimeError as error:
            assert how != "compile" and "the graph was captured where" in str(error)
        else:
            assert torch.equal(got, f(x))
