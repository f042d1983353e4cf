"""torch.compile: random programs with graph breaks at random places do what the function itself does. No effect happens twice, and none is lost."""

from __future__ import annotations

import collections
import contextlib
import io
import os

import monograph as torch
import pytest
from break_grammar import BREAKS, Program
from monograph import _C
from monograph._compile import compiled_of

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")
SEED = int(os.environ.get("MONOGRAPH_SEED", "0"))
COUNT = int(os.environ.get("MONOGRAPH_BREAK_PROGRAMS", "150"))
SIZES = (3, 0, 1)


class World:
    """One program in a module of its own, with all that can be seen of it."""

    def __init__(self, text, name, **options):
        self.names = {"__name__": name}
        exec(compile(text, f"<{name}>", "exec"), self.names)
        self.f = torch.compile(self.names["f"], **options) if options else self.names["f"]
        self.printed = io.StringIO()
        torch.manual_seed(SEED)
        self.random = torch.get_rng_state()

    def call(self, x, y, n):
        """What the call gives or raises. Each world has its own state of the random generator."""
        torch.set_rng_state(self.random)
        try:
            with contextlib.redirect_stdout(self.printed):
                return self.f(x, y, n)
        except torch._dynamo.exc.Unsupported:
            raise
        except Exception as error:
            return type(error), str(error)
        finally:
            self.random = torch.get_rng_state()

    def outside(self):
        """What a graph can never do."""
        m = self.names
        return [m["OUT"].getvalue(), repr(m["COUNTER"]), m["Config"].width, list(m["QUEUE"])]

    def state(self):
        m = self.names
        layer = m["LAYER"]
        found = [self.printed.getvalue(), self.outside(), m["LOG"], m["STATE"], m["WEIGHT"].grad, layer.calls, layer.seen, self.random, torch.is_grad_enabled()]
        return snapshot([*found, m["WEIGHT"], list(m["NORM"].state_dict().values())])


def snapshot(value):
    """A copy that later writes do not reach."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, dict):
        return {k: snapshot(v) for k, v in value.items()}
    return [snapshot(v) for v in value] if isinstance(value, list | tuple) else value


def same(a, b):
    """Whether b is a, of which eager Python made a. What an If or Loop gives requires grad if any of its ways or rounds does, though another one ran."""
    if isinstance(a, torch.Tensor):
        if not isinstance(b, torch.Tensor) or a.shape != b.shape or a.dtype != b.dtype or a.requires_grad > b.requires_grad:
            return False
        a, b = a.detach(), b.detach()
        return torch.equal(a, b) if not a.is_floating_point() else torch.allclose(a, b, rtol=1e-6, atol=0, equal_nan=True)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple | collections.deque):
        return len(a) == len(b) and all(same(p, q) for p, q in zip(a, b, strict=True))
    return a == b


def inputs(size, turn):
    x = torch.arange(size).to(torch.float32) - turn
    return x, torch.ones(size) * (turn + 1), 1 + turn


def difference(text, **options):
    """Where a compiled program differs from the function itself: "" if nowhere."""
    eager, compiled = World(text, "eager"), World(text, "compiled", **options)
    for size in SIZES:
        for turn in (0, 1):
            mine, other = inputs(size, turn), inputs(size, turn)
            wanted, got = eager.call(*mine), compiled.call(*other)
            for what, p, q in (("result", wanted, got), ("inputs", mine, other), ("state", eager.state(), compiled.state())):
                if not same(p, q):
                    return f"{what} at size {size}, turn {turn}: {p} and {q}"
    return ""


@pytest.mark.parametrize("backend", ["monograph", "eager"])
def test_random_programs_with_breaks_equal_eager(backend):
    wrong, kinds = [], collections.Counter()
    for k in range(COUNT):
        program = Program(SEED * 100_003 + k)
        kinds.update(program.kinds)
        found = difference(program.text, backend=backend)
        if found:
            wrong.append(f"program {k} of MONOGRAPH_SEED={SEED}: {found}\n{program.text[program.text.index('def f(') :]}")
    assert not wrong, f"{len(wrong)} of {COUNT} differ; the first: {wrong[0]}"
    assert COUNT < 100 or set(kinds) == set(BREAKS), kinds


def test_fullgraph_never_passes_with_an_outside_effect_and_does_none():
    passed, refused, wrong = 0, 0, []
    for k in range(COUNT):
        text = Program(SEED * 100_003 + k).text
        eager, whole = World(text, "eager"), World(text, "whole", fullgraph=True)
        before, x = eager.outside(), inputs(3, 0)
        eager.call(*inputs(3, 0))
        acts = not same(before, eager.outside())
        state = whole.state()
        try:
            whole.call(*x)
        except torch._dynamo.exc.Unsupported as error:
            refused += 1
            words = str(error)
            told = all(word in words for word in ("Cause: ", "Cost: ", "Cure: "))
            if not told or not same(state, whole.state()) or not same(x, inputs(3, 0)):
                wrong.append(f"program {k} of MONOGRAPH_SEED={SEED}, refused with an effect, or without cause, cost and cure: {words}\n{text[text.index('def f(') :]}")
            continue
        passed += 1
        if acts or not same(eager.state(), whole.state()):
            wrong.append(f"program {k} of MONOGRAPH_SEED={SEED} passed:\n{text[text.index('def f(') :]}")
    assert not wrong, f"{len(wrong)} wrong, {refused} refused, {passed} passed; the first: {wrong[0]}"
    assert refused > 0


def test_a_break_is_kept_and_found_again():
    """The calls after a break are not captured anew: the graph before it and the one behind it have guards of their own."""
    world = World(Program(20261127).text.replace("return a, b", 'OUT.write("end;")\n    return a, b'), "kept", backend="eager")
    for calls in range(3):
        world.call(*inputs(3, 0))
        found = _C._compiled_entries(compiled_of(world.f))
        assert [(bool(entry["kind"]), entry["calls"]) for entry in found] == [(True, calls), (False, calls)]


def count_by_layer(world, x, n):
    return world["LAYER"](x)


def write_to_input(world, x, n):
    x.add_(1)
    return x * 2


def write_to_a_view(world, x, n):
    x[:1].mul_(2)
    return x * 2


def write_to_a_parameter(world, x, n):
    with torch.no_grad():
        world["WEIGHT"].add_(1)
    return x * 2


def write_running_statistics(world, x, n):
    return world["NORM"](x.reshape(-1, 1)).reshape(-1)


@pytest.mark.parametrize("write", [count_by_layer, write_to_input, write_to_a_view, write_to_a_parameter, write_running_statistics])
def test_what_a_loop_of_the_graph_wrote_is_put_back_at_a_break(write):
    """The branch makes n a value of the graph, so the loop is a Loop. A break behind it ends the capture, and the call runs anew."""

    def run(compiled):
        world = World(Program(SEED).text, "loop").names
        out, seen = io.StringIO(), []

        def f(x, n):
            if x.shape[0] > 4:
                n = n + 1
            while n < 3:
                n = n + 1
                x = write(world, x, n)
            out.write("end;")
            return x, n

        f = torch.compile(f) if compiled else f
        for size in (3, 6, 2):
            for n in (1, 2):
                x = torch.arange(size).to(torch.float32)
                seen.append((f(x, n), x, out.getvalue(), world["LAYER"].seen.clone(), world["WEIGHT"].detach().clone()))
                seen.append([v.clone() for v in world["NORM"].state_dict().values()])
        return seen

    assert same(run(False), run(True))


def test_a_way_that_does_not_run_leaves_running_statistics_alone():
    norm = torch.nn.BatchNorm1d(1)

    def f(x):
        while x.sum() < 1:
            x = norm(x.reshape(-1, 1)).reshape(-1, 1).detach() if x.shape[0] > 1 else x
        return x

    torch.compile(f)(torch.ones(3, 1))
    assert norm.running_mean.item() == 0 and norm.running_var.item() == 1 and norm.num_batches_tracked.item() == 0


def test_a_parameter_written_in_a_loop_that_does_not_run_at_first():
    def run(compiled):
        weight, seen = torch.ones(1).requires_grad_(), []

        def f(x, n):
            while x.sum() < 1 and n < 3:
                n = n + 1
                with torch.no_grad():
                    weight.add_(1)
            return x + n

        f = torch.compile(f) if compiled else f
        for size in (3, 0, 3, 0):
            seen.append((f(torch.ones(size), 1), weight.detach().clone()))
        return seen

    assert same(run(False), run(True))


def test_a_parameter_written_without_gradients_is_written_at_each_call():
    weight, other = torch.ones(1).requires_grad_(), torch.ones(1).requires_grad_()

    def f(x, w):
        with torch.no_grad():
            w.add_(1)
        return x * w

    g = torch.compile(f)
    for size in (2, 2, 3):
        assert same(f(torch.ones(size), weight), g(torch.ones(size), other)) and same(weight, other)
    with torch.no_grad():
        for size in (2, 2, 3):
            assert same(f(torch.ones(size), weight), g(torch.ones(size), other)) and same(weight, other)


class Inner(torch.nn.Module):
    def forward(self, x):
        os.getpid()
        return x + 1


class Outer(Inner):
    def forward(self, x):
        y = super().forward(x * 2)
        os.getpid()
        return super().forward(y)


def test_super_behind_a_break_finds_the_object():
    module = Outer()
    compiled = torch.compile(module)
    for n in (2, 3):
        assert torch.equal(compiled(torch.ones(n)), module(torch.ones(n)))


def reads_by_name(x):
    y = x + 1  # noqa: F841
    z = x * 2  # noqa: F841
    os.getpid()
    return sorted(vars()), sorted(dir()), eval("y + z")


def test_locals_that_are_read_by_name_live_behind_a_break():
    compiled = torch.compile(reads_by_name)
    for n in (2, 3):
        got, want = compiled(torch.ones(n)), reads_by_name(torch.ones(n))
        assert got[:2] == want[:2] and torch.equal(got[2], want[2])


def drops_what_a_break_gives(x):
    for _ in range(2):
        os.urandom(4)
        x = x + 1
    return x


def names_what_a_break_gives(x):
    token = os.urandom(4)  # noqa: F841
    y = x * 2
    token = os.urandom(4)  # noqa: F841
    return y + 1


def counts_what_a_break_gives(x):
    token = os.urandom(4)
    y = x * len(token)
    token = None
    return y + 1


@pytest.mark.parametrize("f", [drops_what_a_break_gives, names_what_a_break_gives])
def test_what_a_break_gives_and_nobody_reads_makes_no_new_capture(f):
    made = []
    compiled = torch.compile(f, backend=lambda module, inputs: made.append(module) or module.forward)
    for k in range(4):
        assert torch.equal(compiled(torch.ones(2) * k), f(torch.ones(2) * k))
        if k == 0:
            first = len(made)
    assert len(made) == first


def test_what_a_break_gives_ends_where_the_program_drops_it():
    ends = []

    class Ends:
        def __del__(self):
            ends.append(len(ends))

    class Makes:
        def __call__(self, text):
            return Ends()

    def f(x, make):
        int.__call__  # noqa: B018
        for n in map(make, ("a", "b")):  # noqa: B007
            open(os.devnull).close()
            seen = len(ends)
            x = x + seen
        return x

    make = Makes()
    want = f(torch.zeros(1), make)
    counted = len(ends)
    ends.clear()
    assert torch.equal(torch.compile(f)(torch.zeros(1), make), want)
    assert len(ends) == counted


def test_locals_behind_a_break_are_those_of_python():
    compiled = torch.compile(counts_what_a_break_gives)
    for n in (2, 3):
        assert torch.equal(compiled(torch.ones(n)), counts_what_a_break_gives(torch.ones(n)))


def caught(x):
    try:
        return x[2] + 1
    except IndexError:
        return x.sum()


def suppressed(x):
    y = x
    with contextlib.suppress(IndexError):
        y = x + x[1]
    return y


LOG = []


def caught_and_logged(x):
    try:
        y = x[2] * 2
        LOG.append("good")
    except IndexError as error:
        LOG.append(type(error).__name__)
        y = x
    finally:
        LOG.append("done")
    return y + 1


def caught_in_a_comparison(x):
    try:
        return (x < torch.ones(3)).sum()
    except RuntimeError:
        return x.sum()


@pytest.mark.parametrize("f", [caught, suppressed, caught_and_logged, caught_in_a_comparison])
@pytest.mark.parametrize("backend", ["eager", lambda gm, ex: gm.forward], ids=["eager", "callable"])
def test_a_program_catches_what_a_graph_raises_for_another_size(f, backend):
    compiled = torch.compile(f, backend=backend)
    for n in (3, 5, 1, 0, 3):
        LOG.clear()
        want, logged = f(torch.ones(n)), LOG[:]
        LOG.clear()
        assert torch.equal(compiled(torch.ones(n)), want) and logged == LOG, n
