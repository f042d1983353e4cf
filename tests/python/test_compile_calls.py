"""torch.compile call by call: which calls are captured, which run the backend's callable, what its errors become, and what torch._dynamo counts."""

from __future__ import annotations

import contextlib

import monograph as torch
import pytest
from monograph import _C, nn
from monograph._compile import compiled_of
from monograph._dynamo.utils import counters

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")


def X(*sizes):  # noqa: N802
    return torch.ones(*(sizes or (2,)))


class Log(list):
    """A backend that notes what it does."""

    def __call__(self, gm, inputs):
        self.append("compile")

        def run(*args):
            self.append("run")
            return gm.forward(*args)

        return run

    def taken(self):
        taken = list(self)
        self.clear()
        return taken


def test_a_stance_that_forbids_captures_forbids_the_first_one_too():
    log = Log()
    g = torch.compile(lambda x: x * 2 + 1, backend=log)
    with torch.compiler.set_stance("fail_on_recompile"):
        with pytest.raises(RuntimeError, match=r"Detected recompile when torch.compile stance is 'fail_on_recompile'. filename: '.*test_compile_calls.py'.*'<lambda>'"):
            g(X())
    assert log.taken() == []
    g(X()), log.clear()
    with torch.compiler.set_stance("fail_on_recompile"):
        assert g(X()).tolist() == [3.0, 3.0] and log.taken() == ["run"]
        with pytest.raises(RuntimeError, match=r"(?s)triggered by the following guard failure.*x had the dtype"):
            g(X().double())
        assert torch.compile(lambda n: n + 1, backend=log)(1) == 2  # no tensor: PyTorch does not capture such a call either
        with pytest.raises(RuntimeError, match="Detected recompile"):
            torch.compile(nn.Linear(2, 2), backend=log)(X())


def test_a_stance_that_is_eager_on_recompile_captures_nothing():
    log = Log()
    g = torch.compile(lambda x: x * 2 + 1, backend=log)
    with torch.compiler.set_stance("eager_on_recompile"):
        assert g(X()).tolist() == g(X()).tolist() == [3.0, 3.0]
    assert torch._dynamo.run(g)(X()).tolist() == [3.0, 3.0] and log.taken() == []


@pytest.mark.parametrize("stance", ["eager_then_compile", "aot_eager_then_compile"])
def test_eager_then_compile_captures_at_the_second_call(stance):
    log = Log()
    g = torch.compile(lambda x, n: x * n, backend=log)
    with torch.compiler.set_stance(stance):
        for n, expected in ((2, []), (3, ["compile", "run"]), (4, ["run"]), (5, ["run"])):
            assert g(X(), n).tolist() == [float(n)] * 2
            assert log.taken() == expected, n
        assert g(X(3), 5).tolist() == [5.0] * 3 and log.taken() == ["run"]


def test_the_first_call_runs_what_the_backend_made():
    log = Log()
    g = torch.compile(lambda x: x * 2 + 1, backend=log)
    for expected in (["compile", "run"], ["run"], ["run"]):
        assert g(X()).tolist() == [3.0, 3.0] and log.taken() == expected
    tripled = torch.compile(lambda x: x * 2, backend=lambda gm, inputs: lambda *args: [r + 1 for r in gm(*args)])
    assert tripled(X()).tolist() == tripled(X()).tolist() == [3.0, 3.0]


class Writer(nn.Module):
    def __init__(self):
        super().__init__()
        self.line, self.calls, self.seen, self.norm = nn.Linear(2, 2), 0, [], nn.BatchNorm1d(2)
        self.register_buffer("total", torch.zeros(2))

    def forward(self, x, out):
        self.calls += 1
        self.seen.append(self.calls)
        self.total += x.sum(0)
        out["y"] = self.norm(self.line(x.clone())) + torch.rand(2)
        x.mul_(2)
        return out["y"] + self.total


def test_the_first_call_has_its_effects_once():
    found = []
    for wrap in (lambda m: m, lambda m: torch.compile(m, backend=Log()), lambda m: torch.compile(m, backend=lambda gm, inputs: gm.forward)):
        torch.manual_seed(0)
        m = Writer()
        g = wrap(m)
        for _ in range(3):
            x, out = torch.ones(3, 2), {}
            y = g(x, out)
            y.sum().backward()
        found.append((y.tolist(), out["y"].tolist(), x.tolist(), m.calls, m.seen, m.total.tolist(), m.norm.running_mean.tolist(), m.norm.num_batches_tracked.item(), m.line.weight.grad.tolist(), torch.rand(1).item()))
    for other in found[1:]:
        torch.testing.assert_close(list(found[0]), list(other))


def test_the_first_call_of_each_piece_runs_its_graph():
    log, written = Log(), []

    class Text:
        def write(self, text):
            written.append(text)

    def f(x, k):
        y = x * k
        print("half", file=text)
        return y + 1

    text = Text()
    g = torch.compile(f, backend=log)
    assert g(X(), 2).tolist() == [3.0, 3.0]
    assert log.taken() == ["compile", "run"] * 2 and "".join(written) == "half\n"
    assert g(X(), 2).tolist() == [3.0, 3.0] and log.taken() == ["run"] * 2 and "".join(written) == "half\n" * 2


def test_a_call_that_changes_a_tensor_as_a_whole_runs_once():
    for f in (lambda x: x.unsqueeze_(0) * 2, lambda x: x.t_() * 2):
        g = torch.compile(f, backend=Log())
        a, b = torch.ones(2, 3), torch.ones(2, 3)
        assert torch.equal(g(a), f(b)) and a.shape == b.shape
    w = torch.ones(2, requires_grad=True)
    for wrap in (lambda f: f, lambda f: torch.compile(f, backend=Log())):
        w.grad, x = None, torch.ones(2)
        wrap(lambda x: x.add_(w) * 2)(x)
        x.sum().backward()
        assert w.grad.tolist() == [1.0, 1.0]


def test_operators_of_a_users_own_run_once():
    ran = []

    @torch.library.custom_op("stated_calls::noted", mutates_args=())
    def noted(x: torch.Tensor) -> torch.Tensor:
        ran.append(1)
        return x * 2

    @noted.register_fake
    def _(x):
        return torch.empty_like(x)

    g = torch.compile(lambda x: noted(x) + 1, backend=Log())
    assert g(X()).tolist() == [3.0, 3.0] and ran == [1]
    assert g(X()).tolist() == [3.0, 3.0] and ran == [1, 1]


def in_try(x):
    try:
        y = x * 2
    except ValueError:
        y = x
    return y


def in_suppress(x):
    y = x
    with contextlib.suppress(ValueError):
        y = x * 2
    return y


def plain(x):
    return x * 2


@pytest.mark.parametrize("f", [plain, in_try, in_suppress])
def test_an_error_of_a_backend_is_never_swallowed(f):
    def fails(gm, inputs):
        raise ValueError("in the backend")

    def gives_a_faulty_callable(gm, inputs):
        def run(*args):
            raise ValueError("in the callable")

        return run

    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="in the backend"):
        torch.compile(f, backend=fails)(X())
    g = torch.compile(f, backend=gives_a_faulty_callable)
    for _ in range(2):
        with pytest.raises(ValueError, match="in the callable"):
            g(X())


def test_an_error_of_an_operator_is_still_the_functions():
    def f(x):
        try:
            y = x.view(2, 2)
        except RuntimeError:
            y = x
        return y * 2

    for backend in (Log(), lambda gm, inputs: gm.forward):
        g = torch.compile(f, backend=backend)
        for sizes in ((4,), (4,), (3,), (4,), (5,)):
            assert torch.equal(g(X(*sizes)), f(X(*sizes)))


def test_counters():
    counters.clear()

    def f(x):
        y = x * 2
        torch._dynamo.graph_break()
        return y + 1

    torch.compile(f, backend=Log())(X())
    assert counters["stats"] == {"calls_captured": 2, "unique_graphs": 2}
    assert counters["frames"] == {"total": 2, "ok": 2}
    ((reason, count),) = counters["graph_break"].items()
    assert count == 1 and "graph_break()" in reason and __file__ not in reason
    counters.clear()
    g = torch.compile(lambda x: x.sin().cos(), backend="eager")
    g(X()), g(X()), g(X().double())
    assert counters["stats"] == {"calls_captured": 4, "unique_graphs": 2} and not counters["graph_break"]


# --- Branches on sizes, inside of a branch on a value.


def key_in_a_branch(x):
    if x.sum() > 0:
        table = {x.shape[0]: 2}
        return x * table[x.shape[0]]
    return x


def text_in_a_branch(x):
    if x.sum() > 0:
        return x * len("a" * x.shape[0])
    return x


def branch_in_a_branch(x):
    if x.sum() > 0:
        y = (x, 1) if x.shape[0] > 3 else (x * 2, 3, 4)
        return y[0] * len(y)
    return x


def quotient_in_a_branch(x):
    if x.sum() > 0:
        table = {x.shape[0] // 2: 5}
        return x * sum(table)
    return x


def raise_in_a_branch(x):
    if x.sum() > 0:
        if x.shape[0] > 6:
            raise ValueError("long")
        return x * 2
    return x


@pytest.mark.parametrize("f", [key_in_a_branch, text_in_a_branch, branch_in_a_branch, quotient_in_a_branch, raise_in_a_branch])
@pytest.mark.parametrize("first", [1.0, -1.0])
def test_sizes_in_a_branch_on_a_value(f, first):
    g = torch.compile(f, fullgraph=True, recompile_limit=100)
    for n, sign in ((3, first), (3, first), (5, first), (3, -first), (5, -first), (4, -first), (2, -1.0), (2, 1.0), (1, 1.0), (8, -1.0), (8, 1.0)):
        x = X(n) * sign
        try:
            expected = f(x)
        except (ZeroDivisionError, ValueError) as error:
            with pytest.raises((type(error), torch._dynamo.exc.Unsupported)):
                g(x)
            continue
        assert torch.equal(g(x), expected), (n, sign)
    assert all(e["runs"] for e in _C._compiled_entries(compiled_of(g)))


class HasGraph(nn.Module):
    """A layer that is a graph, as packages make with fx."""

    def __init__(self):
        super().__init__()
        self.graph_module = torch.fx.symbolic_trace(nn.Linear(3, 2))

    def forward(self, x):
        return self.graph_module(x)


@pytest.mark.parametrize("called_before", [0, 1, 3])
@pytest.mark.parametrize("make", [HasGraph, lambda: torch.fx.symbolic_trace(nn.Linear(3, 2))])
def test_a_graph_module_is_no_break(make, called_before):
    m = make()
    for _ in range(called_before):  # the first call compiles the code, the second makes a plan of it
        m(X(2, 3))
    g = torch.compile(m, backend="eager", fullgraph=True)
    for n in (2, 4, 2):
        x = torch.randn(n, 3)
        assert torch.equal(g(x), m(x))


def test_a_compiled_graph_module_follows_its_edits():
    m = torch.fx.symbolic_trace(nn.Linear(3, 2))
    g, x = torch.compile(m, backend="eager"), torch.randn(4, 3)
    assert torch.equal(g(x), m(x))
    was = m(x)
    layer = list(m.graph.nodes)[-2]
    with m.graph.inserting_after(layer):
        negative = m.graph.call_function(torch.neg, (layer,))
    layer.replace_all_uses_with(negative, lambda user: user is not negative)
    m.recompile()
    assert torch.equal(g(x), -was) and torch.equal(g(x), m(x))


def test_a_check_of_torch_is_a_branch_of_the_program():
    def asserted(x, c):
        torch._assert_async(c, "none")
        return x + 1

    def checked(x, c):
        torch._check_tensor_all(c.reshape(1), lambda: f"none of {x.shape[0]}")
        return x + 1

    for f in (asserted, checked):
        g = torch.compile(f, backend="eager", fullgraph=True)
        assert g(X(), torch.tensor(True)).tolist() == [2.0, 2.0]
        g = torch.compile(f, backend="eager")
        t = torch.jit.trace(f, (X(), torch.tensor(True)))
        assert g(X(), torch.tensor(True)).tolist() == t(X(), torch.tensor(True)).tolist() == [2.0, 2.0]
        for h in (g, t):
            with pytest.raises(RuntimeError, match="^none"):
                h(X(), torch.tensor(False))
