"""Branches and loops that a symbolic trace keeps: the GraphModule, its graph, the file and the program `monograph` give what the function gives, at sizes 0 and 1
too; or the trace is an error that names the variable, both values and the line."""

from __future__ import annotations

import copy
import gc
import linecache
import os
import subprocess
from pathlib import Path

import monograph as torch
import monograph.nn as nn
import numpy
import pytest
import test_kept_branches as branches
import test_kept_loops as loops
from monograph import fx
from monograph.fx.passes.shape_prop import ShapeProp
from monograph.fx.proxy import TraceError

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("MONOGRAPH_PROGRAM") or ROOT / "build" / "release" / "monograph")
INPUTS = [*branches.INPUTS, *loops.INPUTS, *loops.FUZZED]
pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the capture machine needs Python 3.11")


def result(f, x):
    torch.manual_seed(3)
    try:
        return f(x.clone())
    except Exception as error:
        return error


def equal(a, b):
    if isinstance(a, Exception) or isinstance(b, Exception):
        return isinstance(a, Exception) and isinstance(b, Exception)
    if isinstance(a, torch.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and torch.allclose(a, b, equal_nan=True)
    return type(a) is type(b) and (len(a) == len(b) and all(map(equal, a, b)) if isinstance(a, (list, tuple)) else a == b)


def check(f, inputs=INPUTS, saved=True, file=None):
    """The GraphModule, after every input; how often the function raised."""
    gm = fx.symbolic_trace(f)
    gm.graph.lint()
    runs = [gm]
    if saved:
        gm.graph.save(file)
        runs.append(torch.load_graph(file))
    for x in inputs:
        expected = result(f, x)
        for run in runs:
            got = result(run, x)
            assert equal(expected, got), (x, expected, got, gm.code)
    return gm


# --- The programs of traces.

# What a symbolic trace refuses, of what a trace keeps or guards.
REFUSED = {"default_dict", "arrays", "deques", "caches", "slots", "shared_list", "new_key", "list_that_is_replaced",
           "last_of_the_loop", "of_numbers", "range_with_a_break"}  # fmt: skip
UNSAVED = {"item", "number_or_tensor"}  # a graph in operators has one type for each value
# A trace knows which results are without gradients, that a size is not negative, and dtypes; a range that a value may end is a Loop there, and unrolled here.
OTHER_GRAPH = {"no_grad", "while_continue_else", "item", "range_with_a_return", "range_with_an_else", "range_that_fills_a_list"}
ALL = [f for f in (*branches.KEPT, *branches.GUARDED, *loops.KEPT, *loops.GUARDED) if f.__name__ != "asserted"]  # pytest rewrites that


@pytest.mark.parametrize("f", [f for f in ALL if f.__name__ not in REFUSED], ids=lambda f: f.__name__)
def test_programs(f, tmp_path):
    check(f, saved=f.__name__ not in UNSAVED, file=tmp_path / "f.mgraph")


@pytest.mark.parametrize("f", [f for f in ALL if f.__name__ in REFUSED], ids=lambda f: f.__name__)
def test_refused_programs(f):
    with pytest.raises(TraceError, match=r"test_kept_(branches|loops).py:\d+"):
        fx.symbolic_trace(f)
    assert fx.symbolic_trace(branches.if_else)(torch.ones(2, 3)).sum() == 12  # the process stays usable


@pytest.mark.parametrize("f", [f for f in (*branches.KEPT, *loops.KEPT) if f.__name__ not in REFUSED | OTHER_GRAPH], ids=lambda f: f.__name__)
def test_hashes_are_those_of_traces(f):
    own, found = branches.INPUTS if f in branches.KEPT else loops.INPUTS, set()
    for x in own:
        if isinstance(result(f, x), Exception):
            continue
        traced = torch.jit.trace(f, x.clone(), control_flow="keep", check_trace=False)
        if not traced.graph.guards:
            found.add(traced.graph.hash())
    assert not found or fx.symbolic_trace(f).graph.hash() in found


# --- Programs of our own.


def counts(x):
    n = 0
    while x.sum() < 100 and n < 9:
        x = x * 2 + 1
        n += 1
    return x, n


def rows(x):
    y = torch.zeros(3)
    for i, (a, b) in enumerate(zip(x, x * 2)):
        if a.sum() < 0:
            continue
        y = y + a * b * i
    return y


def nested_loops(x):
    t = torch.zeros(())
    for i in range(x.shape[0]):
        for j in range(0, x.shape[1], 2):
            if x[i, j] > 0:
                t = t + x[i, j] * (i + j)
                if t > 20:
                    break
    return t


def old_number(x):
    i = old = 0
    x = x.abs() + 1
    while x.sum() < 40 and i < 12:
        old = i
        i += 1
        x = x + old
    return x, old


def numbers_of_tensors(x):
    total = 0.0
    for row in x:
        total += float(row.sum())
    return x * total + int(total)


def rank(x):
    if x.dim() == 2:
        return x.sum(1)
    return x * 2


def any_and_all(x):
    y = x + 1 if any([x.sum() > 3, x.shape[0] == 1]) else x
    return y * 2 if all(k < 3 for k in [y.shape[0], len(y)]) else y


def least(x):
    return x * max(x.shape[0], x.shape[1]) + min(3, x.shape[0])


def constant_written(x):
    y = torch.tensor([1.0, 2.0, 3.0]) if x.sum() > 0 else torch.zeros(3)
    for row in x:
        y += row
    return y


def size_lists(x):
    if list(x.shape) == [2, 3]:
        return x.reshape(tuple(x.shape)[::-1]) if False else x + 1
    return x


def steps(x):
    for i in range(1, x.shape[0] + 1, 2):
        x = x + i
    for i in reversed(range(x.shape[0])):
        x = x * 0.5 + i
    return x


def doubled_rows(x):
    ys = []
    for row in x:
        if row.sum() > 0:
            ys.append(row * 2)
        else:
            ys.append(row)
            ys.append(row - 1)
    ys.append(x.sum(0))
    return torch.stack(ys) * len(ys), [y + 0 for y in ys][-1]


def iterated(x):
    return torch.stack([row * i for i, row in enumerate(x)]) if x.shape[0] > 0 else x


def popped(x):
    stack = [x.abs() + 1]
    for _ in range(x.shape[0]):
        top = stack.pop()
        stack.append(top * 0.5)
        stack += [top]
    return torch.cat(stack)


def read_again(x):
    rows, total = [row + 0 for row in x], torch.zeros(3)
    for row in rows:
        rows = rows + [row]
        total = total + row
    return total * len(rows)


OWN = [doubled_rows, iterated, popped, read_again, counts, rows, nested_loops, old_number, numbers_of_tensors, rank, any_and_all, least, constant_written, steps]


@pytest.mark.parametrize("f", OWN, ids=lambda f: f.__name__)
def test_own_programs(f, tmp_path):
    inputs = [*INPUTS, torch.ones(3), torch.ones(2, 3, 2)] if f is rank else INPUTS
    gm = check(f, inputs, file=tmp_path / "f.mgraph")
    # The code of a graph is a program, too. A value that nobody reads behind one way is None there.
    again = fx.symbolic_trace(gm) if "None" not in gm.code else gm
    written, copied = fx.Transformer(gm).transform(), copy.deepcopy(gm)
    for x in inputs:
        expected = result(f, x)
        for run in (again, written, copied, fx.Interpreter(gm).run):
            assert equal(expected, result(run, x))
    assert written.graph.hash() == gm.graph.hash()


def test_the_code_is_python():
    code = fx.symbolic_trace(branches.if_else).code
    assert "    if gt:\n        mul = x * 2\n        if_1 = mul\n    else:\n        sub = x - 1\n" in code
    code = fx.symbolic_trace(rows).code
    assert "for i in range(" in code and "    if lt" in code


@pytest.mark.parametrize("f", [doubled_rows, rows, steps], ids=lambda f: f.__name__)
def test_a_loop_with_a_count_is_a_for_that_is_captured_as_the_same_loop(f):
    gm = fx.symbolic_trace(f)
    assert "    for i in range(" in gm.code and "_runs" not in gm.code
    assert fx.symbolic_trace(gm).graph.hash() == gm.graph.hash()


def test_a_loop_that_carries_nothing_and_does_nothing_has_a_body():
    graph = fx.symbolic_trace(lambda x: x.sum()).graph
    text = str(graph)
    assert "for" not in text
    made = torch._C.parse_ir("graph(%x, %n):\n  %z = prim::Loop(%n, True)\n    block0(%i : int):\n      -> (True)\n  return (%x)\n")
    assert "for i in range(n):\n        pass\n" in made.python_code("self").src


def test_the_text_of_a_trace_with_sizes_is_read():
    def f(x):
        y = torch.zeros(x.shape[0], x.shape[1])
        for i in range(x.shape[0]):
            y = y + x[i]
        return y.reshape(x.shape[0] * x.shape[1])

    graph = torch.jit.trace(f, torch.ones(3, 4)).graph
    assert "s0_0" in str(graph)
    assert str(torch._C.parse_ir(str(graph))) == str(graph)


def test_prints_are_the_graphs(tmp_path, capfd):
    def f(x):
        print("outside")
        for row in x:
            if row.sum() > 0:
                print("row", row.shape[0])
        return x

    gm = fx.symbolic_trace(f)
    assert capfd.readouterr().out == ""
    gm.graph.save(tmp_path / "f.mgraph")
    assert capfd.readouterr().out == ""
    for run in (gm, torch.load_graph(tmp_path / "f.mgraph")):
        run(torch.ones(2, 3))
        assert capfd.readouterr().out == "outside\nrow 3\nrow 3\n"


def test_the_program_monograph_runs_the_file(tmp_path):
    fx.symbolic_trace(nested_loops).graph.save(tmp_path / "f.mgraph")
    for x in (torch.full((2, 3), 2.0), torch.ones(4, 3), torch.zeros(0, 3)):
        numpy.save(tmp_path / "x.npy", x.numpy())
        done = subprocess.run([PROGRAM, "run", "f.mgraph", "--input", "x=x.npy"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        assert f"{nested_loops(x).item():g}" in done.stdout


class Sub(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(3, 3)
        self.register_buffer("steps", torch.zeros(1))

    def forward(self, x):
        if x.sum() > 0:
            self.steps += 1
            return self.line(x)
        return x * self.steps


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.sub, self.weight = Sub(), nn.Parameter(torch.ones(3))

    def forward(self, x):
        y = self.sub(x)
        for i in range(x.shape[0]):
            y = y + self.weight * i
            if y.sum() > 30:
                y = y - self.weight
        return y + self.weight


def test_modules_and_buffers():
    torch.manual_seed(0)
    net, other = Net(), None
    other = copy.deepcopy(net)
    gm = fx.symbolic_trace(net)
    assert {n.target for n in gm.graph.nodes(recursive=True) if n.op == "call_module"} == {"sub.line"}
    for x in INPUTS:
        assert equal(result(other, x), result(gm, x))
    assert net.sub.steps.item() == other.sub.steps.item() > 1
    for run in (other, gm):
        run.zero_grad()
        run(torch.ones(4, 3)).sum().backward()
    for a, b in zip(net.parameters(), other.parameters()):
        assert torch.allclose(a.grad, b.grad)


# --- Errors.


def both_ways(x):
    if x.sum() > 0:
        k = "left"
    else:
        k = 3
    return x, k


def set_in_one(x):
    if x.sum() > 0:
        y = x
    return y


def opening(x):
    while x.sum() < 10:
        open("more")
        x = x + 1
    return x


def dividing(x):
    return x if x.sum() > 0 else 1 // 0


def caught(x):
    try:
        if x.sum() > 0:
            raise ValueError("positive")
    except ValueError:
        return x
    return x + 1


@pytest.mark.parametrize(
    ("f", "line", "words"),
    [
        (both_ways, 1, "`k` cannot be joined: it is 'left' on one side and 3 on the other"),
        (set_in_one, 1, "`y` cannot be joined: it is set on one side only"),
        (opening, 1, "The loop cannot be kept: it calls io.open"),
        (dividing, 1, "it raises ZeroDivisionError: integer division or modulo by zero"),
        (caught, 2, "it raises ValueError: positive"),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_an_error_names_the_variable_the_values_and_the_line(f, line, words, capsys):
    with pytest.raises(TraceError) as error:
        fx.symbolic_trace(f)
    assert words in str(error.value) and f"test_kept_symbolic.py:{f.__code__.co_firstlineno + line}" in str(error.value)
    assert "torch.cond" in str(error.value) or "torch.while_loop" in str(error.value)
    assert capsys.readouterr().out == ""


def test_what_a_way_wrote_is_undone_where_the_trace_fails():
    log, table = [], {"n": 0}

    def f(x):
        if x.sum() > 0:
            log.append(1)
            table["n"] = 5
            open("more")
        return x

    with pytest.raises(TraceError, match="io.open"):
        fx.symbolic_trace(f)
    assert log == [] and table == {"n": 0}


def test_a_symbolic_size_has_no_hash():
    with pytest.raises(TypeError, match="cannot be hashed"):
        fx.symbolic_trace(lambda x: {x.shape[0]: 1})


def test_the_way_of_before():
    for word in ("error", "keep"):
        assert fx.symbolic_trace(lambda x: x + 1, control_flow=word)(torch.ones(1)).item() == 2
    with pytest.raises(TraceError, match="cannot be used as inputs to control flow"):
        fx.symbolic_trace(branches.if_else, control_flow="error")
    with pytest.raises(ValueError, match="control_flow must be one of 'keep', 'error', but got 'freeze'"):
        fx.symbolic_trace(branches.if_else, control_flow="freeze")


# --- raise and assert.


SCOPE: dict = {}
exec('def four_features(x):\n    assert x.size(-1) == 4, "four features"\n    return x * 2\n', SCOPE)  # pytest rewrites what stands in its files
four_features = SCOPE["four_features"]


def checked(x):
    if x.dim() != 2:
        raise ValueError("two dims")
    seen = [x]
    if x.shape[0] > 3:
        seen.append(x)
        raise KeyError("too many")
    return seen[0] + len(seen)


def negative(x):
    for row in x:
        if row.sum() < -5:
            raise RuntimeError("negative")
        x = x + 1
    return x


@pytest.mark.parametrize("f", [four_features, checked, negative], ids=lambda f: f.__name__)
def test_raise(f, tmp_path):
    gm = check(f, [*INPUTS, torch.ones(4), torch.ones(2, 4)], file=tmp_path / "f.mgraph")
    gm.graph.eliminate_dead_code()
    gm.recompile()
    assert "raise " in gm.code
    ShapeProp(gm).propagate(torch.ones(2, 4))
    raised = 0
    for x in (*INPUTS, torch.ones(4), torch.ones(2, 4)):
        expected, got = result(f, x), result(gm, x)
        assert type(expected) is type(got)
        if isinstance(expected, Exception) and "[aten" not in str(expected):
            raised += 1
            assert str(expected) == str(got)
    assert raised


# --- Tracers and proxies of the user.


def test_a_bool_from_to_bool_takes_that_arm():
    class Yes(fx.Tracer):
        asked = 0

        def to_bool(self, obj):
            self.asked += 1
            return True

    tracer = Yes()
    graph = tracer.trace(branches.if_else)
    assert tracer.asked == 1 and not any(n.name.startswith("if") for n in graph.nodes)
    assert fx.GraphModule(torch.nn.Module(), graph)(-torch.ones(1, 3)).tolist() == [[-2.0, -2.0, -2.0]]

    class Asks(fx.Tracer):
        def to_bool(self, obj):
            return super().to_bool(obj)

    graph = Asks().trace(branches.if_else)
    assert equal(fx.GraphModule(torch.nn.Module(), graph)(-torch.ones(1, 3)), -torch.ones(1, 3) - 1)


def test_a_tracer_sees_every_node_and_its_own_writes_last():
    class Watches(fx.Tracer):
        def __init__(self):
            super().__init__()
            self.seen, self.modules = [], []

        def create_proxy(self, kind, target, args, kwargs, name=None, type_expr=None, proxy_factory_fn=None):
            made = super().create_proxy(kind, target, args, kwargs, name, type_expr, proxy_factory_fn)
            self.seen.append(made.node.target)
            return made

        def call_module(self, m, forward, args, kwargs):
            self.modules.append(self.path_of_module(m))
            return super().call_module(m, forward, args, kwargs)

        def is_leaf_module(self, m, name):
            return isinstance(m, nn.Linear)

    tracer = Watches()
    net = Net()
    graph = tracer.trace(net)
    inside = [n.target for n in graph.nodes(recursive=True) if n.op in ("call_function", "call_method", "call_module") and "prim" not in str(n.target)]
    assert {t for t in inside if t != "operator.getitem"} <= set(tracer.seen) and {"sub", "sub.line"} <= set(tracer.modules)
    assert "create_proxy" not in vars(tracer) and "call_module" not in vars(tracer)
    assert equal(fx.GraphModule(net, graph)(torch.ones(2, 3)), fx.symbolic_trace(net)(torch.ones(2, 3))) or net.sub.steps.item() == 2


def test_a_proxy_of_the_user():
    class Known(fx.Proxy):
        def __bool__(self):
            return False

        def __len__(self):
            return 7

    class Makes(fx.Tracer):
        def proxy(self, node):
            return Known(node, self)

    graph = Makes().trace(lambda x: x * len(x) if x.sum() > 0 else x - len(x))
    assert fx.GraphModule(torch.nn.Module(), graph)(torch.ones(2)).tolist() == [-6.0, -6.0]


def test_nothing_is_left_patched():
    before = torch._C._machine_frame_count()
    with pytest.raises(TraceError):
        fx.symbolic_trace(both_ways)
    assert torch._C._machine_frame_count() > before
    count = torch._C._machine_frame_count()
    sorted([3, 1, 2], key=lambda k: -k)
    assert torch._C._machine_frame_count() == count and torch._C._capture_hook() is None
    assert gc.isenabled()


# --- Random programs.


class Alike(branches.Programs):
    """Random functions without what lets most of them be refused: lists that grow, and new keys of dicts."""

    def block(self, indent, depth, loops):
        begin = len(self.lines)
        super().block(indent, depth, loops)
        made = [line for line in self.lines[begin:] if not any(part in line for part in ("xs.append", "d['j']", "ys = xs"))]
        self.lines[begin:] = [*made, f"{'    ' * indent}pass"]


def sorted_in_a_way(x):
    return x.flatten().sort().values if x.numel() > 6 else x.flatten()


def attribute_in_the_other_way(x):
    if x.sum() > 6:
        y = x * 2
    else:
        y = x.abs().mT
    return y + 1


def attribute_in_both_ways(x):
    return x.abs().mT if x.sum() > 6 else (x * 2).mT


@pytest.mark.parametrize("f", [sorted_in_a_way, attribute_in_the_other_way, attribute_in_both_ways])
def test_an_attribute_that_a_way_ends_with(f):
    gm = fx.symbolic_trace(f)
    gm.graph.lint()
    for x in (torch.ones(3, 3), torch.randn(2, 2), torch.zeros(0, 3), torch.full((1, 1), 9.0)):
        assert equal(f(x), gm(x))


class AlikeLoops(loops.LoopPrograms, Alike):
    pass


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("programs", [branches.Programs, loops.LoopPrograms, Alike, AlikeLoops], ids=lambda c: c.__name__)
def test_random_programs(programs, seed, tmp_path):
    source = programs(seed).source()
    scope = {"torch": torch, "Box": branches.Box, "__name__": "program"}
    exec(compile(source, f"<seed {seed}>", "exec"), scope)
    linecache.cache[f"<seed {seed}>"] = (len(source), None, source.splitlines(True), f"<seed {seed}>")
    f = scope["f"]
    try:
        gm = fx.symbolic_trace(f)
    except (TraceError, NotImplementedError) as error:
        assert f"<seed {seed}>" in str(error) or "nests deeper" in str(error)
        return
    runs = [gm]
    try:
        gm.graph.save(tmp_path / "f.mgraph")
        runs.append(torch.load_graph(tmp_path / "f.mgraph"))
    except NotImplementedError as error:
        assert "one type for each value" in str(error)
    for x in (*loops.FUZZED, *branches.INPUTS):
        expected = result(f, x)
        if isinstance(expected, Exception):  # max() of no elements, a name that a loop without rounds did not set
            continue
        for run in runs:
            assert equal(expected, result(run, x)), (seed, source, x, expected, result(run, x), gm.code)


def test_questions_about_the_type_of_a_value_have_the_answer_of_the_program():
    questions = [
        lambda x: x + 1 if type(x.shape[0]) is int else x - 1,
        lambda x: x + 1 if type(x.size(0)) is int else x - 1,
        lambda x: x + 1 if issubclass(type(x.shape[0]), int) else x - 1,
        lambda x: x + 1 if callable(x.shape) else x - 1,
        lambda x: x + 1 if callable(x.shape[0]) else x - 1,
        lambda x: x + 1 if callable(x.relu) else x - 1,
    ]
    x = torch.ones(3)
    for f in questions:
        assert torch.fx.symbolic_trace(f)(x).tolist() == f(x).tolist()
    for f in (lambda x: type(x.sum().item()) is float, lambda x: type(x * 2) is torch.Tensor, lambda x: callable(x)):
        with pytest.raises(torch.fx.proxy.TraceError, match=r"needs the type of (?s:.*)test_kept_symbolic\.py:"):
            torch.fx.symbolic_trace(f)


def test_a_range_of_a_float_is_an_error_when_the_graph_runs():
    def f(x):
        y = x * 0
        for i in range(x.sum().item()):
            y = y + i + 1
        return y

    traced = torch.fx.symbolic_trace(f)
    assert traced(torch.tensor([2])).tolist() == f(torch.tensor([2])).tolist() == [3]
    for g in (f, traced):
        with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
            g(torch.tensor([2.0]))


def test_a_symbolic_trace_loops_over_the_views_of_a_dict():
    def values(d):
        total = 0
        for value in d.values():
            total = total + value
        return total

    def items(d):
        total = 0
        for key, value in d.items():
            total = total + key * value
        return total

    def keyword_arguments(x, **more):
        for value in more.values():
            x = x * value
        return x

    pairs = {3: torch.tensor([1.0, 2.0]), 5: torch.tensor([3.0, 4.0])}
    for f in (values, items):
        traced = torch.fx.symbolic_trace(f)
        assert torch.equal(traced(pairs), f(pairs))
        assert torch.equal(traced({1: torch.ones(2)}), f({1: torch.ones(2)}))
    traced = torch.fx.symbolic_trace(keyword_arguments)
    assert torch.equal(traced(torch.ones(2), a=2, b=3), keyword_arguments(torch.ones(2), a=2, b=3))


def looped(d):
    out = 0.0
    for k in d:
        out = out + k
    return out


def enumerated(d):
    out = 0.0
    for i, k in enumerate(d):
        out = out + i * k
    return out


def zipped(d):
    out = 0.0
    for a, b in zip(d, d):
        out = out + a * b
    return out


def backwards(d):
    out = 0.0
    for k in reversed(d):
        out = out * 2 + k
    return out


def collected(d):
    return [k * 2 for k in d if k > 0]


def lengths(d):
    return sum([len(k) for k in d])


ITERATED = [{0: 1.0, 1: 2.0}, {1: 5.0, 0: 3.0}, {0: torch.ones(1), 1: torch.ones(1)}, {"a": 1.0, "b": 2.0}, [3.0, 4.0], (3.0,), torch.tensor([3.0, 4.0]), "ab", {5, 7},
            range(2), b"ab", [], {}, [[1.0], [2.0, 3.0]], numpy.array([1.0, 2.0]), torch.ones(())]  # fmt: skip


@pytest.mark.parametrize("f", [looped, enumerated, zipped, backwards, collected, lengths])
@pytest.mark.parametrize("again", [False, True])
def test_a_loop_takes_the_elements_of_whatever_it_gets(f, again):
    traced = torch.fx.symbolic_trace(f)
    if again:
        traced = torch.fx.symbolic_trace(traced)
    for values in ITERATED:
        try:
            expected = f(values)
        except Exception as error:
            with pytest.raises(type(error)):
                traced(values)
            continue
        assert repr(traced(values)) == repr(expected), values


@pytest.mark.parametrize("f", [looped, enumerated, zipped, collected])
def test_a_loop_over_an_iterator_is_an_error(f):
    with pytest.raises(TypeError, match="Pass list"):
        torch.fx.symbolic_trace(f)(iter([1.0, 2.0]))
