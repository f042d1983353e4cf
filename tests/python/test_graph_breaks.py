"""torch.compile: a graph ends before what it cannot record, Python runs that once, and another graph begins after it."""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import sys
import threading
import weakref

import monograph as torch
import pytest
from monograph import _C, nn
from monograph._compile import compiled_of
from monograph._dynamo.testing import CompileCounter

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")
OUT = io.StringIO()  # its methods are C functions that a capture does not know


def say(text):
    OUT.write(f"{text};")


def said():
    text = OUT.getvalue()
    OUT.seek(0)
    OUT.truncate()
    return text


def entries(f):
    return _C._compiled_entries(compiled_of(f))


def pieces(f):
    """How many graphs the captures of a function have."""
    return sum(e["runs"] and e["graph"] is not None for e in entries(f))


def whole_calls(f):
    return [e for e in entries(f) if not e["runs"]]


def compare(f, *calls, backend="monograph", **options):
    """The compiled function does on each call what the function does, and each effect happens once. The compiled function."""
    g = torch.compile(f, backend=backend, **options)
    for make in calls:
        mine, others = make(), make()
        said()
        wanted, told = f(*mine), said()
        got, told_by_compiled = g(*others), said()
        assert same(wanted, got), (wanted, got)
        assert same(mine, others) and told == told_by_compiled
    return g


def same(a, b):
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and a.shape == b.shape and a.requires_grad == b.requires_grad and torch.equal(a, b)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    return a == b


def vectors(*sizes):
    return [lambda n=n: (torch.arange(n).to(torch.float32) - 1,) for n in sizes]


def test_one_break_makes_two_graphs():
    def f(x):
        y = x * 2 + 1
        say(f"{y.shape[0]} elements")
        return y.sin() * x

    g = compare(f, *vectors(3, 0, 1, 3))
    assert not whole_calls(g)
    report = torch._dynamo.explain(f)(torch.ones(3))
    assert report.graph_count == 2 and report.graph_break_count == 1 and [len(ops) for ops in report.ops_per_graph] == [2, 2]
    (reason,) = report.break_reasons
    assert all(word in reason.reason for word in ("write", "test_graph_breaks.py", "Cause: ", "Cost: A graph ends before it", "Cure: "))


@pytest.mark.parametrize(("backend", "graphs"), [("monograph", 1), (lambda gm, inputs: gm, 2)], ids=["own", "flat"])
def test_print_is_printed_once(backend, graphs):
    """A node of the graph; between two graphs where a backend takes graphs as PyTorch's do."""

    def f(x):
        y = x + 1
        print("between", y.shape)
        return y * 2

    g = torch.compile(f, backend=backend)
    for _ in range(3):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            assert torch.equal(g(torch.ones(2)), torch.full((2,), 4.0))
        assert out.getvalue() == "between torch.Size([2])\n"
    assert pieces(g) == graphs


def test_fullgraph_raises_before_anything_happens():
    def f(x):
        x.add_(1)
        say("effect")
        return x

    x = torch.zeros(2)
    said()
    with pytest.raises(torch._dynamo.exc.Unsupported, match="Cost: A graph ends before it"):
        torch.compile(f, fullgraph=True)(x)
    assert said() == "" and torch.equal(x, torch.zeros(2))


def test_a_loop_with_a_break_needs_as_many_graphs_as_its_code_has_places():
    def f(x):
        for _ in range(6):
            x = x * 2 + 1
            say("round")
        return x - 1

    counter = CompileCounter()
    g = compare(f, *vectors(3, 2), backend=counter)
    assert not whole_calls(g)
    assert pieces(g) <= 4 and counter.frame_count == pieces(g)


def test_a_loop_over_tensors_and_modules():
    layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def f(x):
        for layer in layers:
            x = layer(x).relu()
            say("layer")
        return x.sum()

    g = compare(f, lambda: (torch.ones(2, 4),), lambda: (torch.ones(3, 4),))
    assert not whole_calls(g)


def test_a_break_in_a_called_function_and_its_caller_goes_on():
    def inner(x, k):
        y = x + k
        say("inner")
        return y * 2

    def middle(x):
        return inner(inner(x, 1) - 3, 2) + 5

    def f(x):
        return middle(x * 3) - x

    g = compare(f, *vectors(3, 0, 1))
    assert pieces(g) == 3 and not whole_calls(g)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.calls = 0

    def forward(self, x):
        y = self.linear(x)
        self.calls += 1
        say(f"call {self.calls}")
        return y.relu()


def test_a_break_inside_of_submodules():
    torch.manual_seed(0)
    model = nn.Sequential(Block(), nn.Linear(3, 3), Block())
    g = torch.compile(model)
    x = torch.ones(2, 3)
    said()
    wanted = model(x)
    assert said() == "call 1;call 1;"
    for k in range(2, 5):
        assert torch.equal(g(x), wanted) and said() == f"call {k};call {k};"
    assert not whole_calls(g)


def test_gradients_flow_through_the_graphs():
    torch.manual_seed(0)
    model = Block()
    x = torch.randn(2, 3, requires_grad=True)
    model(x).sum().backward()
    wanted = [x.grad.clone(), *(p.grad.clone() for p in model.parameters())]
    x.grad = None
    model.zero_grad()
    g = torch.compile(model)
    for _ in range(2):
        g(x).sum().backward()
        assert all(map(torch.equal, wanted, [x.grad, *(p.grad for p in model.parameters())]))
        x.grad = None
        model.zero_grad()


def test_backward_inside_of_the_function():
    def f(x, w):
        loss = (x * w).sum()
        loss.backward()
        grad = w.grad
        w.grad = None
        return grad * 2 + x

    compare(f, *[lambda n=n: (torch.ones(n), torch.ones(n).requires_grad_()) for n in (3, 0, 1, 3)])


def test_what_was_written_stands_before_the_break_runs():
    seen = []

    def look(x, items):
        seen.append((x.clone(), list(items)))
        OUT.write("seen;")

    def f(x, items):
        x.add_(1)
        items.append(x.sum().item())
        look(x, items)
        x.mul_(2)
        items.append("end")
        return x[:1]

    g = torch.compile(f)
    for n in (3, 3, 1):
        x, items = torch.ones(n), []
        y = g(x, items)
        assert torch.equal(seen[-1][0], torch.full((n,), 2.0)) and seen[-1][1] == [2.0 * n]
        assert items == [2.0 * n, "end"] and torch.equal(x, torch.full((n,), 4.0))
        y.zero_()
        assert x[0] == 0  # a view of the input


def test_no_grad_is_open_around_a_break():
    def f(x, w):
        a = x * w
        with torch.no_grad():
            b = a * 2
            say(f"{torch.is_grad_enabled()}")
            c = b + w
        d = c + w
        say(f"{torch.is_grad_enabled()}")
        return a, b, c, d

    make = lambda: (torch.ones(2), torch.ones(2).requires_grad_())
    g = compare(f, make, make, make)
    assert torch.is_grad_enabled() and not whole_calls(g)
    with torch.no_grad():
        said()
        assert not any(t.requires_grad for t in g(*make())) and said() == "False;False;" and not torch.is_grad_enabled()
    with pytest.raises(ZeroDivisionError):
        torch.compile(lambda x: raise_in_no_grad(x))(torch.ones(1))
    assert torch.is_grad_enabled() and sys.exc_info()[0] is None


def raise_in_no_grad(x):
    with torch.no_grad():
        y = x + 1
        say("before")
        y = y / (1 // len(""))
    return y


@pytest.mark.parametrize("catches", [True, False])
def test_an_exception_at_the_break(catches):
    def fail(x):
        OUT.write(x)  # a TypeError

    def f(x):
        y = x + 1
        caught = TypeError if catches else KeyError
        try:
            fail(3)
            y = y * 100
        except caught as error:
            say(type(error).__name__)
            y = y * 2
        finally:
            say("finally")
        return y - x

    g = torch.compile(f)
    for n in (2, 3, 2):
        x = torch.ones(n)
        said()
        if catches:
            assert torch.equal(g(x), f(x)) and said() == "TypeError;finally;" * 2
            continue
        with pytest.raises(TypeError) as raised:
            g(x)
        assert said() == "finally;"
        names = []
        tb = raised.value.__traceback__
        while tb:
            names.append(tb.tb_frame.f_code.co_name)
            tb = tb.tb_next
        assert names[-2:] == ["f", "fail"]


def test_closures_cells_and_objects_of_the_call():
    class Counter:
        def __init__(self, start):
            self.n, self.items = start, []

    def f(x):
        counter = Counter(1)
        total = x * 0

        def add(v, by=2):
            nonlocal total
            total = total + v * by
            counter.items.append(counter.n)
            return counter.n

        add(x)
        say("one")
        counter.n += 1
        add(x + 1)
        say("two")
        add(x, by=3)
        return total, counter.items, counter.n

    g = compare(f, *vectors(3, 3, 2, 1))
    assert not whole_calls(g) and len(entries(g)) <= 6


def test_breaks_inside_of_comprehensions_and_displays():
    def loud(v):
        say("item")
        return v + 1

    def f(x):
        items = [loud(x * k) for k in range(3)]
        table = {k: loud(x - k) for k in range(2)}
        numbers = {int(loud(k)) for k in range(3)}
        more = [x, *(loud(v) for v in (x, x * 2)), *[loud(x)]]
        return items, table, sorted(numbers), more, {**table, "z": loud(x)}

    compare(f, *vectors(2, 2, 0, 1))


class Slotted:
    __slots__ = ("v",)


def of_slots(x):
    s = Slotted()
    s.v = x * 2
    say("s")
    return s.v + 1


def in_inference_mode(x):
    with torch.inference_mode():
        y = x + 1
        say("inside")
        z = y * 2
    return z.shape, torch.is_inference_mode_enabled()


def in_an_expression(x):
    return x + (say("p") or 1) if 0 < x.shape[0] < (say("q") or 5) else x - 1


def in_try_in_a_loop(x):
    out = []
    for k in range(4):
        try:
            x = x + 1
            if k % 2:
                say(k)
                raise KeyError(k)
            say("even")
            out.append(x.sum())
        except KeyError as error:
            out.append(str(error))
            continue
        finally:
            say("finally")
        x = x * 2
    return x, out


def over_pairs_and_entries(x):
    out = []
    for i, (a, b) in enumerate(zip([x, x + 1, x + 2], [1, 2, 3], strict=False)):
        out.append(a * b + i)
        say(i)
    for k, v in {"p": x, "q": x * 2}.items():
        out.append(v)
        say(k)
    for v in reversed([x, x * 3]):
        out.append(v)
        say("reversed")
    return out


def with_functions_made_in_a_loop(x):
    made = []
    for k in range(3):

        def h(v, k=k):
            return v * k + total[0]

        made.append(h)
    total = [x.sum()]
    say("made")
    first = [h(x) for h in made]
    total[0] = total[0] * 2
    say("again")
    return first, [h(x) for h in made]


def with_other_calls_of_a_dict(x):
    table = {"a": x}
    for k in table:
        table[k] = table[k] + 1
        say(k)
        table[k] = table[k] * 2
    return table


def with_an_early_return(x):
    for k in range(5):
        x = x + 1
        say(k)
        if k == 2:
            return x, "early"
    return x, "late"


@pytest.mark.parametrize("backend", ["monograph", "flat"])
@pytest.mark.parametrize(
    "f",
    [of_slots, in_inference_mode, in_an_expression, in_try_in_a_loop, over_pairs_and_entries, with_functions_made_in_a_loop, with_other_calls_of_a_dict, with_an_early_return],
)
def test_programs_with_breaks(f, backend):
    compare(f, *vectors(3, 3, 1, 0, 6), backend=CompileCounter() if backend == "flat" else backend)
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


def test_lists_that_are_the_same_stay_the_same():
    def f(x):
        a = [x]
        b = a
        c = {"a": a}
        say("x")
        a.append(x + 1)
        say("y")
        return b, c, b is a, c["a"] is a

    compare(f, *vectors(2, 2, 3))


def test_data_dependent_python_with_a_flat_backend():
    def f(x):
        y = x * 2
        if y.sum() > 0:
            y = y + 1
        else:
            y = y - 1
        n = int(y.sum())
        return y * n

    counter = CompileCounter()
    g = torch.compile(f, backend=counter)
    for x in (torch.ones(3), -torch.ones(3), torch.ones(3), torch.zeros(0)):
        assert torch.equal(g(x), f(x))
    assert not whole_calls(g) and counter.frame_count >= 3
    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(f, backend=CompileCounter(), fullgraph=True)(torch.ones(3))


def test_while_loop_on_values_with_a_flat_backend():
    def f(x):
        n = 0
        while x.sum() < 40:
            x = x * 2 + 1
            n += 1
        return x, n

    counter = CompileCounter()
    g = compare(f, *[lambda k=k: (torch.full((3,), float(k)),) for k in (0, 3, 30, 1)], backend=counter)
    assert not whole_calls(g)


def test_a_break_in_a_branch_on_a_value():
    def f(x):
        y = x + 1
        if y.sum() > 0:
            say("positive")
            y = y * 2
        else:
            y = y - 5
        return y.abs()

    g = compare(f, lambda: (torch.ones(2),), lambda: (-torch.ones(2) * 3,), lambda: (torch.ones(2),), lambda: (torch.ones(0),))
    assert not whole_calls(g)


def test_disabled_functions_run_once_in_python():
    frames = []

    @torch.compiler.disable
    def left_alone(x):
        frames.append(sys._getframe(2).f_code.co_name)  # behind what disable() gives
        return x + 1

    def f(x):
        y = left_alone(x * 2)
        return left_alone(y) * 3

    g = torch.compile(f)
    x = torch.ones(2)
    for _ in range(3):
        assert torch.equal(g(x), torch.full((2,), 12.0))
    assert frames == ["f"] * 6 and not whole_calls(g)


def test_what_cannot_be_a_value_at_a_break_runs_whole():
    def f(x):
        lines = map(str, [1, 2])  # an iterator that cannot be made again
        y = x + 1
        say("a")
        return y, list(lines)

    g = compare(f, *vectors(2, 2))
    assert whole_calls(g)


def test_generators_and_callbacks_run_whole_at_the_place_outside():
    def numbers(k):
        for j in range(k):
            say(f"yield {j}")
            yield j

    def key(v):
        say("key")
        return -v

    def f(x):
        y = x + 1
        for j in numbers(2):
            y = y + j
        z = sorted([1, 2], key=key)
        return y * z[0]

    compare(f, *vectors(2, 0, 2))


def test_stacklevels_and_frames_are_those_of_the_function():
    import warnings

    def f(x):
        y = x + 1
        warnings.warn("here", stacklevel=1)
        return y, sys._getframe().f_code.co_name

    for g in (f, torch.compile(f)):
        for _ in range(2):
            with warnings.catch_warnings(record=True) as found:
                warnings.simplefilter("always")
                assert g(torch.ones(1))[1] == "f"
            assert [w.filename for w in found] == [__file__]


def test_breaks_under_a_debugger():
    def f(x, k):
        y = x + 1
        say("a")
        z = y * 2 + len(say.__name__)
        say("b")
        return z - k

    def trace(frame, event, arg):
        return trace

    g = torch.compile(f)
    for turn in range(4):
        before = sys.gettrace()
        if turn % 2 == 0:
            sys.settrace(trace)
        try:
            got = [g(torch.ones(2), k) for k in (1, 2, 1)]
        finally:
            sys.settrace(before)
        assert same(got, [f(torch.ones(2), k) for k in (1, 2, 1)])


def test_values_live_no_longer_than_in_the_function():
    def f(x):
        y = x * 2
        alive = weakref.ref(y)
        say("break")
        z = y + 1
        del y
        gc.collect()
        say(f"{alive() is None}")
        return z

    compare(f, *vectors(2, 2))


def test_keyword_calls_and_partial_at_breaks():
    def speak(*args, sep=" ", **more):
        OUT.write(sep.join([*args, *more]))
        return len(args)

    def f(x, *args, k=1, **kwargs):
        y = x + k
        n = speak("a", "b", sep="-", end=1)
        m = functools.partial(speak, "c")(sep="+", **kwargs)
        return y * n + m, args, kwargs

    g = torch.compile(f)
    for n in (2, 2, 3):
        x = torch.ones(n)
        said()
        wanted, told = f(x, 1, 2, k=3, z=4), said()
        assert same(g(x, 1, 2, k=3, z=4), wanted) and said() == told


def test_globals_that_the_break_changes_are_read_again():
    state = {"scale": 1}

    def change():
        say("change")
        state["scale"] += 1

    def f(x):
        y = x * state["scale"]
        OUT.write("x")
        change()
        return y + state["scale"]

    other = dict(state)
    g = torch.compile(f)
    results = [g(torch.ones(1)).item() for _ in range(3)]
    state.update(other)
    assert results == [f(torch.ones(1)).item() for _ in range(3)]


def test_random_numbers_go_on_behind_a_break():
    def f(x):
        a = torch.rand(2)
        say("x")
        return a + torch.rand(2) + x

    g = torch.compile(f)
    for n in (1, 1, 2):
        torch.manual_seed(n)
        wanted = [f(torch.ones(2)), torch.rand(1)]
        torch.manual_seed(n)
        assert same(wanted, [g(torch.ones(2)), torch.rand(1)])


def test_recursion_with_breaks():
    def f(x, n):
        if n == 0:
            return x
        y = f(x + 1, n - 1)
        say(f"{n}")
        return y * 2

    compare(f, *[lambda n=n: (torch.ones(2), n) for n in (0, 1, 3, 3)])


def test_a_thousand_rounds_do_not_fill_the_stack():
    def f(x):
        for _ in range(3000):
            x = x + 1
            OUT.write("")
        return x

    g = torch.compile(f)
    assert g(torch.zeros(1)).item() == 3000 and not whole_calls(g)


def test_an_int_that_changes_is_an_input():
    counter = CompileCounter()

    def f(x, n):
        return x * n + n

    g = torch.compile(f, backend=counter)
    for n in range(12):
        assert torch.equal(g(torch.ones(2), n), f(torch.ones(2), n))
    assert counter.frame_count == 2
    for n in (True, 2.5, -3):
        assert torch.equal(g(torch.ones(2), n), f(torch.ones(2), n))

    def numbers(x, n):
        y = x[:n] if n >= 0 else x
        for k in range(n):
            y = y + k
        return y, n // 2, n % 3, str(n), [n] * 2, {n: n}, n == 3, -n, type(n)

    h = torch.compile(numbers)
    for n in (1, 2, 3, 0, 5, -1, 2):
        assert same(h(torch.ones(4), n), numbers(torch.ones(4), n))


def test_sixteen_threads_break_at_once():
    lock, told = threading.Lock(), []

    def tell(n):
        with lock:
            told.append(n)

    def f(x, n):
        y = x * 2
        tell(n)
        z = y + n
        tell(n)
        return z.sum()

    g = torch.compile(f)
    wrong = []

    def work(n):
        for k in range(5):
            if g(torch.full((n + 1,), float(k)), n % 3).item() != (n + 1) * (2 * k + n % 3):
                wrong.append((n, k))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and sorted(told) == sorted(n % 3 for n in range(16) for _ in range(10))


def test_reset_forgets_what_runs_behind_breaks():
    def f(x):
        y = x + 1
        say("x")
        return y * 2

    counter = CompileCounter()
    g = torch.compile(f, backend=counter)
    g(torch.ones(1))
    before = counter.frame_count
    torch._dynamo.reset()
    assert not entries(g)
    g(torch.ones(1))
    assert counter.frame_count == 2 * before == 4


def test_compiled_functions_with_breaks_are_collected():
    class Model(nn.Module):
        def forward(self, x):
            y = x + 1
            say("x")
            return y * 2

    model = Model()
    g = torch.compile(model)
    g(torch.ones(1))
    alive = weakref.ref(model)
    del model, g
    gc.collect()
    assert alive() is None


def test_explain_counts_as_pytorch():
    """Graphs, breaks and operators of programs that both break at the same places; a size that is read, and a text, are no operators."""
    layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))

    def plain(x):
        return torch.sin(x) + x * 2

    def broken(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    def network(x):
        return layers(x)

    @torch._dynamo.disable
    def left_out(x):
        return x + 3

    def calls_what_is_left_out(x):
        return left_out(x * 2) * 2

    def repeated(x, n=3):
        return [x + k for k in range(n)]

    def sized(x):
        return x * len(x.shape) + x.shape[0]

    for f, graphs, breaks, operators in (
        (plain, 1, 0, 3), (broken, 2, 1, 2), (network, 1, 0, 3), (calls_what_is_left_out, 2, 1, 2), (repeated, 1, 0, 3), (sized, 1, 0, 2),
    ):  # fmt: skip
        torch._dynamo.reset()
        report = torch._dynamo.explain(f)(torch.arange(8.0).reshape(2, 4))
        assert (report.graph_count, report.graph_break_count, report.op_count, len(report.break_reasons)) == (graphs, breaks, operators, breaks)
