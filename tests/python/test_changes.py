"""What a trace or a symbolic trace read outside of its arguments is part of the capture: where that has changed, a call follows it or raises."""

import collections
import copy
import datetime
import gc
import io
import itertools
import json
import logging
import os
import pickle
import pprint
import random
import subprocess
import sys
import time
import warnings
import weakref
from pathlib import Path

import monograph as torch
import numpy as np
import pytest
from monograph import fx, nn

PROGRAM = Path(os.environ.get("MONOGRAPH_PROGRAM") or Path(__file__).parents[2] / "build" / "release" / "monograph")
SCALE = 2.0
TABLE = {"gain": 2.0}


def ones(*size):
    return torch.ones(*size)


@pytest.fixture(autouse=True)
def as_it_was():
    yield
    globals()["SCALE"] = 2.0
    TABLE.clear()
    TABLE["gain"] = 2.0
    os.environ.pop("MONOGRAPH_TEST_OF_CHANGES", None)


class Config:
    depth = 1

    def __init__(self):
        self.eps = 0.5


def helper(x, by=3.0):
    return x + by


def _programs():
    config, factors, store = Config(), [1.0, 2.0], {"w": torch.full((2,), 3.0)}
    k = 1.0

    def of_closure(x):
        return x * k

    def set_k(value):
        nonlocal k
        k = value

    return {
        "global": (lambda x: x * SCALE, lambda: globals().update(SCALE=5.0), "the global SCALE was 2.0 and is 5.0"),
        "entry": (lambda x: x * TABLE["gain"], lambda: TABLE.update(gain=7.0), r"TABLE\['gain'\] was 2.0 and is 7.0"),
        "new entry": (lambda x: x * sum(TABLE.values()), lambda: TABLE.update(more=1.0), "TABLE had 1 entries and has 2"),
        "attribute": (lambda x: x + config.eps, lambda: setattr(config, "eps", 9.0), "config.eps was 0.5 and is 9.0"),
        "class": (lambda x: x * Config.depth, lambda: setattr(Config, "depth", 4), "Config.depth was 1 and is 4"),
        "list": (lambda x: x * sum(factors), lambda: factors.append(3.0), r"len\(factors\) was 2 and is 3"),
        "closure": (of_closure, lambda: set_k(6.0), "k was 1.0 and is 6.0"),
        "tensor": (lambda x: x * store["w"], lambda: store.update(w=ones(2)), r"store\['w'\] was another Tensor"),
        "default": (lambda x: helper(x), lambda: setattr(helper, "__defaults__", (8.0,)), r"helper.__defaults__ was \(3.0,\) and is \(8.0,\)"),
        "environment": (
            lambda x: x * float(os.environ.get("MONOGRAPH_TEST_OF_CHANGES", "1")),
            lambda: os.environ.update(MONOGRAPH_TEST_OF_CHANGES="2"),
            "MONOGRAPH_TEST_OF_CHANGES",
        ),
    }


@pytest.fixture
def restored():
    yield
    Config.depth, helper.__defaults__ = 1, (3.0,)


def _captures(f, x, **options):
    return {
        "trace": torch.jit.trace(f, x, **options),
        "symbolic": fx.symbolic_trace(f, **options),
        "capture": torch.capture(f, x, **options),
        "capture by trace": torch.capture(f, x, how="trace", **options),
    }


@pytest.mark.parametrize("name", list(_programs()))
@pytest.mark.parametrize("how", ["trace", "symbolic", "capture", "capture by trace"])
def test_what_has_changed_is_an_error_that_names_it(name, how, restored):
    f, change, words = _programs()[name]
    x = ones(2)
    captured = _captures(f, x)[how]
    for n in (2, 2):
        assert torch.equal(captured(ones(n) * 2), f(ones(n) * 2))
    change()
    with pytest.raises(RuntimeError, match=words) as error:
        captured(x)
    assert "has changed since" in str(error.value) and "on_change" in str(error.value) and "test_changes.py" in str(error.value)


@pytest.mark.parametrize("name", list(_programs()))
@pytest.mark.parametrize("how", ["trace", "symbolic", "capture", "capture by trace"])
def test_on_change_captures_again_or_ignores(name, how, restored):
    f, change, _ = _programs()[name]
    x = ones(2)
    again, ignores = _captures(f, x, on_change="recapture")[how], _captures(f, x, on_change="ignore")[how]
    before = f(x)
    change()
    for _ in range(2):
        assert torch.equal(again(x), f(x)) and torch.equal(again(x * 3), f(x * 3)) and torch.equal(ignores(x), before)
    assert not torch.equal(f(x), before)


def test_a_tensor_whose_values_the_graph_holds_may_not_be_written():
    w = torch.full((2,), 3.0)
    traced = torch.jit.trace(lambda x: x * w, ones(2))
    assert traced(ones(2)).tolist() == [3, 3]
    w.add_(1)
    with pytest.raises(RuntimeError, match=r"the values of w were \[3\.0, 3\.0\] and are \[4\.0, 4\.0\]"):
        traced(ones(2))


def test_on_change_takes_three_words():
    for make in (lambda **k: torch.jit.trace(helper, ones(1), **k), lambda **k: fx.symbolic_trace(helper, **k), lambda **k: torch.capture(helper, ones(1), **k)):
        with pytest.raises(ValueError, match="on_change must be one of 'raise', 'recapture', 'ignore', but got 'never'"):
            make(on_change="never")


# Modes --------------------------------------------------------------------------------------------------------------------------------------


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.norm, self.scale = nn.Linear(4, 4), nn.BatchNorm1d(4), 2.0
        self.tail = nn.Sequential(nn.ReLU(), nn.Dropout(0.5))

    def forward(self, x):
        y = self.norm(self.fc(x)) * self.scale
        if self.training:
            y = y + 1
        return self.tail(y)


def same(a, b, x):
    torch.manual_seed(0)
    left = a(x)
    torch.manual_seed(0)
    return torch.equal(left, b(x))


def copied(net):
    made = Net()
    made.load_state_dict({k: v.clone() for k, v in net.state_dict().items()})
    return made.train(net.training)


@pytest.mark.parametrize("first", [True, False])
def test_a_traced_module_follows_its_own_mode(first):
    net = Net().train(first)
    twin = copied(net)
    traced = torch.jit.trace(net, torch.rand(3, 4), check_trace=False)
    twin.load_state_dict(net.state_dict())
    for mode in (first, not first, True, False, True):
        traced.train(mode), twin.train(mode)
        for n in (3, 2, 5):
            assert same(traced, twin, torch.rand(n, 4))
    assert net.training is first and net.norm.training is first  # its modules are others
    assert all(torch.equal(a, b) for a, b in zip(traced.state_dict().values(), net.state_dict().values(), strict=True))
    traced.train(), twin.train()
    traced.norm.eval(), twin.norm.eval()  # one module in another mode than the rest, as one trains with fixed statistics
    assert same(traced, twin, torch.rand(3, 4))


@pytest.mark.parametrize("first", [True, False])
def test_a_symbolic_trace_follows_its_own_mode(first):
    net = Net().train(first)
    twin, gm = copied(net), fx.symbolic_trace(net)
    for mode in (first, not first, True, False):
        gm.train(mode), twin.train(mode)
        assert same(gm, twin, torch.rand(3, 4))


@pytest.mark.parametrize("how", ["symbolic", "trace"])
def test_a_capture_follows_the_mode_of_its_module(how):
    net = Net().train()
    captured, twin = torch.capture(net, torch.rand(3, 4), how=how), copied(net)
    for mode in (True, False, True):
        net.train(mode), twin.train(mode)
        assert same(captured, twin, torch.rand(3, 4))


@pytest.mark.parametrize("first", [True, False])
def test_a_saved_trace_has_both_modes(first, tmp_path):
    net = Net().train(first)
    traced = torch.jit.trace(net, torch.rand(3, 4), check_trace=False)
    torch.jit.save(traced, tmp_path / "net.pt")
    loaded, twin = torch.jit.load(tmp_path / "net.pt"), copied(net)
    for mode in (first, not first, True, False):
        loaded.train(mode), twin.train(mode)
        for n in (3, 2):
            assert same(loaded, twin, torch.rand(n, 4))
    loaded.train(), twin.train()
    loaded.norm.eval(), twin.norm.eval()
    assert same(loaded, twin, torch.rand(3, 4))
    assert net.training is first and traced.training is first and traced.norm.training is first


def test_a_mode_without_a_form_for_both_raises_in_the_file(tmp_path):
    class Two(nn.Module):
        def forward(self, x):
            return (x, x * 2) if self.training else x

    net = Two().eval()
    traced = torch.jit.trace(net, ones(2))
    assert len(traced.train()(ones(2))) == 2 and traced.eval()(ones(3)).tolist() == [1, 1, 1]
    torch.jit.save(traced, tmp_path / "two.pt")
    loaded = torch.jit.load(tmp_path / "two.pt")
    assert loaded(ones(2)).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="compiled for evaluation"):
        loaded.train()(ones(2))


def test_a_module_that_the_graph_holds_inside_of_another_ones_method_has_that_ones_mode(tmp_path):
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.drop = nn.Dropout(0.5)

        def forward(self, x):
            if x.sum() > 0:  # calls inside of a branch have no method of their own
                x = self.drop(x)
            return x * 2

    net = Outer().eval()
    torch.jit.save(torch.jit.trace(net, ones(8)), tmp_path / "outer.pt")
    loaded = torch.jit.load(tmp_path / "outer.pt")
    assert same(loaded, net, ones(8)) and same(loaded.train(), net.train(), ones(8))
    loaded.drop.eval()
    with pytest.raises(RuntimeError, match="the trace was saved for drop in the mode of the whole module"):
        loaded(ones(8))


# A traced module ----------------------------------------------------------------------------------------------------------------------------


def test_a_traced_module_has_a_structure_of_its_own_and_shares_tensors():
    net = Net().eval()
    traced, x = torch.jit.trace(net, torch.rand(2, 4)), torch.rand(2, 4)
    before = traced(x)
    net.fc, net.extra = nn.Linear(4, 4), nn.ReLU()
    net.register_forward_hook(lambda *_: None)
    assert torch.equal(traced(x), before) and not hasattr(traced, "extra")
    with torch.no_grad():
        net.norm.weight.zero_()
        traced.norm.bias.fill_(1.0)
    assert torch.equal(net.norm.bias, ones(4)) and traced(x).tolist() == [[2.0] * 4] * 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.norm.register_forward_hook(lambda *_: None), "norm._forward_hooks"),
        (lambda t: setattr(t.tail[1], "p", 0.1), "tail.1.p was 0.5 and is 0.1"),
        (lambda t: setattr(t, "fc", nn.Linear(4, 4)), "self.fc was an object that is gone, and is another Linear"),
        (lambda t: setattr(t.fc, "weight", nn.Parameter(torch.ones(4, 4))), "self.fc.weight was another Parameter"),
    ],
    ids=["hook", "attribute", "module", "parameter"],
)
def test_changes_to_a_traced_module_raise(change, words):
    traced = torch.jit.trace(Net().eval(), torch.rand(2, 4))
    change(traced)
    with pytest.raises(RuntimeError, match=words):
        traced(torch.rand(2, 4))


def test_an_edited_graph_has_no_other_captures():
    net = Net().eval()
    traced, gm = torch.jit.trace(net, torch.rand(2, 4)), fx.symbolic_trace(net)
    for graph in (traced.inlined_graph, gm.graph):
        node = next(n for n in graph.nodes if n.op == "call_function")
        with graph.inserting_after(node):
            graph.call_function(torch.neg, (node,))
    for captured in (traced, gm):
        with pytest.raises(RuntimeError, match="The graph has been edited, and an edited graph has no other captures"):
            captured.train()(torch.rand(2, 4))


def test_captures_keep_no_module_alive():
    net = Net().eval()
    child = weakref.ref(net.norm)
    traced, x = torch.jit.trace(net, torch.rand(2, 4)), torch.rand(2, 4)
    expected, gone = net(x), weakref.ref(net)
    del net
    gc.collect()
    assert gone() is None and child() is None and torch.equal(traced(x), expected)
    with pytest.raises(RuntimeError, match="captured by torch.jit.trace with self.training = False, and now is in training mode.*is gone"):
        traced.train()(x)


def test_copies_and_pickles_are_not_asked():
    net = Net().eval()
    gm, x = fx.symbolic_trace(net), torch.rand(2, 4)
    copies = [copy.deepcopy(gm), pickle.loads(pickle.dumps(gm))]
    expected, net.scale = net(x), 3.0
    for made in copies:
        assert torch.equal(made(x), expected)


# What the program writes itself -------------------------------------------------------------------------------------------------------------


class Counts(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls, self.log, self.table = 0, [], None

    def forward(self, x):
        if self.table is None:
            self.table = torch.arange(4.0)
        self.calls += 1
        self.log.append(x.shape[0])
        return x * self.calls + self.table[: x.shape[0]]


def test_what_a_program_writes_is_written_by_each_call():
    net, twin = Counts(), Counts()
    traced = torch.jit.trace(net, ones(2), check_trace=False)
    twin(ones(2))
    for n in (2, 3, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2):
        assert torch.equal(traced(ones(n)), twin(ones(n)))
        assert net.calls == twin.calls and net.log == twin.log


def test_a_symbolic_trace_of_a_program_that_counts_gives_what_the_program_gives():
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def forward(self, x):
            self.calls += 1
            return x * self.calls

    net, twin = Scaled(), Scaled()
    gm = fx.symbolic_trace(net)
    twin.calls = net.calls
    for _ in range(4):
        assert torch.equal(gm(ones(2)), twin(ones(2)))


def test_warnings_and_regular_expressions_are_no_state_of_the_program():
    import re
    import warnings

    def f(x):
        warnings.warn("once", stacklevel=1)
        return x * len(re.sub("a+", "b", "aaab"))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced, gm = torch.jit.trace(f, ones(2)), fx.symbolic_trace(f)
        re.sub("x?y", "", "xy")
        assert traced(ones(3)).tolist() == gm(ones(3)).tolist() == [2, 2, 2]


# Files --------------------------------------------------------------------------------------------------------------------------------------


def test_no_file_holds_a_program_whose_graph_changes_with_each_call(tmp_path):
    class Last(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = torch.zeros(1)

        def forward(self, x):
            if x.sum() > 0:
                self.last = x.max().reshape(1)
            return x + self.last

    net, twin = Last(), Last()
    traced = torch.jit.trace(net, ones(2), check_trace=False)
    twin(ones(2))
    for x in (ones(2), -ones(2), torch.full((1,), 3.0), -ones(3)):
        assert torch.equal(traced(x), twin(x))
    for file in ("last.pt", "last.mgraph"):
        with pytest.raises(NotImplementedError, match="the module Last writes to self.__dict__, and reads that at its next call"):
            traced.save(str(tmp_path / file))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("f", [lambda net: net.cached, lambda net: net.counted], ids=["cached", "counted"])
def test_a_file_holds_a_program_that_keeps_what_its_results_do_not_depend_on(f, tmp_path):
    class Keeps(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.calls = None, 0

        def cached(self, x):
            if self.table is None:
                self.table = torch.arange(4.0)
            return x * self.table[: x.shape[0]]

        def counted(self, x):
            self.calls += 1
            return x * 2

    method = f(Keeps())
    traced = torch.jit.trace(method, ones(2))
    expected, state = method(ones(3)), dict(vars(method.__self__))
    torch.jit.save(traced, tmp_path / "f.pt")
    assert torch.equal(torch.jit.load(tmp_path / "f.pt")(ones(3)), expected) and vars(method.__self__) == state


def test_the_order_of_a_dict_is_part_of_what_was_captured(tmp_path):
    one, two = {"a": ones(2), "b": torch.zeros(1)}, {"b": torch.zeros(1), "a": ones(2)}

    def in_order(d):
        return torch.cat(list(d.values()))

    def by_name(d):
        return d["a"].sum() + d["b"]

    for f in (in_order, by_name):
        traced = torch.jit.trace(f, (one,))
        assert torch.equal(traced(one), f(one)) and torch.equal(traced(two), f(two))
        torch.jit.save(traced, tmp_path / "f.pt")
        loaded = torch.jit.load(tmp_path / "f.pt")
        assert torch.equal(loaded(one), f(one))
        if f is by_name:
            assert torch.equal(loaded(two), f(two))
        else:
            with pytest.raises(ValueError, match="the trace holds for a dict d with the keys in this order: a, b"):
                loaded(two)


# Scripts ------------------------------------------------------------------------------------------------------------------------------------


class Options:
    depth = 1


def by_global(x):
    return x * SCALE


def by_class(x):
    for _ in range(Options.depth):
        x = x * 2
    return x


def by_default(x, by: float = 3.0):
    return x + by


def by_other(x):
    return by_default(x)


def test_a_script_is_compiled_anew_when_a_constant_has_changed(restored):
    factors, k = [1.0, 2.0], 1.0

    def by_list(x):
        for f in factors:
            x = x * f
        return x

    def by_cell(x):
        return x * k

    programs = [by_global, by_class, by_other, by_list, by_cell]
    scripted, x = [torch.jit.script(f) for f in programs], ones(2)
    assert all(torch.equal(s(x), f(x)) for s, f in zip(scripted, programs, strict=True))
    globals()["SCALE"], Options.depth, by_default.__defaults__, k = 7.0, 3, (9.0,), 5.0
    factors.append(4.0)
    for s, f in zip(scripted, programs, strict=True):
        assert torch.equal(s(x), f(x)) and torch.equal(s(x * 2), f(x * 2))
    Options.depth, by_default.__defaults__ = 1, (3.0,)


def test_a_class_has_the_attribute_that_it_has_when_the_script_is_made():
    Options.depth = 2
    try:
        assert torch.jit.script(by_class)(ones(1)).tolist() == [4]
    finally:
        Options.depth = 1


def test_an_edited_script_is_not_compiled_anew():
    scripted = torch.jit.script(by_global)
    graph = scripted.graph
    node = next(n for n in graph.nodes if n.op == "call_function")
    node.target = torch.add
    assert scripted(ones(1)).tolist() == [3]
    globals()["SCALE"] = 5.0
    with pytest.raises(RuntimeError, match="the global SCALE was 2.0 and is 5.0.*The graph has been edited"):
        scripted(ones(1))


# What no graph computes again ---------------------------------------------------------------------------------------------------------------

COUNTER = itertools.count()
GENERATOR = np.random.default_rng(0)
LOG = logging.getLogger("monograph.tests.changes")


QUEUE = collections.deque([1.0, 2.0])


def reads_a_queue(x):
    return x * sum(QUEUE)


def makes_a_queue(x):
    queue = collections.deque([x, x + 1], maxlen=2)
    queue.append(x * 3)
    return queue[0] + queue[1]


@pytest.mark.parametrize("make", [lambda f, **k: torch.jit.trace(f, ones(2), **k), lambda f, **k: fx.symbolic_trace(f, **k)], ids=["trace", "symbolic"])
def test_a_deque_from_outside_is_refused_by_line(make):
    with pytest.raises(RuntimeError, match=r"(?s)reads a collections\.deque that was made before.*test_changes\.py:.*torch\.compile"):
        make(reads_a_queue)
    assert make(reads_a_queue, on_change="ignore")(ones(2)).tolist() == [3.0, 3.0]
    assert make(makes_a_queue)(ones(2)).tolist() == makes_a_queue(ones(2)).tolist()


@pytest.mark.parametrize("how", ["trace", "symbolic", "capture", "capture by trace"])
@pytest.mark.parametrize(
    ("f", "words"),
    [
        (lambda x: x * random.random(), "draws from Python's random numbers"),
        (lambda x: x * random.uniform(1, 2), "draws from Python's random numbers"),
        (lambda x: x * time.time(), "reads a clock"),
        (lambda x: x * len(os.urandom(2)), "draws from the system's random numbers"),
        (lambda x: x * float(np.random.rand()), "draws from NumPy's random numbers"),
        (lambda x: x * float(GENERATOR.normal()), "draws from NumPy's random numbers"),
        (lambda x: x * datetime.datetime.now().year, "reads a clock"),
        (lambda x: x * datetime.date.today().year, "reads a clock"),
        (lambda x: x * next(COUNTER), "takes the next value of an iterator"),
    ],
    ids=["random", "uniform", "time", "urandom", "numpy", "generator of numpy", "now", "today", "counter"],
)
def test_random_numbers_clocks_and_counters_of_python_are_refused(f, words, how):
    make = {
        "trace": lambda **k: torch.jit.trace(f, ones(2), check_trace=False, **k),
        "symbolic": lambda **k: fx.symbolic_trace(f, **k),
        "capture": lambda **k: torch.capture(f, ones(2), how="symbolic", check=False, **k),
        "capture by trace": lambda **k: torch.capture(f, ones(2), how="trace", check=False, **k),
    }[how]
    with pytest.raises(RuntimeError, match=words) as error:
        make()
    assert ".py:" in str(error.value) and "on_change" in str(error.value)
    assert make(on_change="ignore")(ones(3)).shape == (3,)


def logs(x):
    LOG.info("shape", extra={"more": 1})
    return x + 1


def warns(x):
    warnings.warn("careful", source=LOG)  # noqa: B028
    return x + 1


def prints_to_a_file(x):
    print("first", file=PRINTED)
    return x + 1


PRINTED = io.StringIO()


@pytest.mark.parametrize(("f", "words"), [(logs, "writes by logging"), (warns, "calls warnings.warn"), (prints_to_a_file, "prints what the graph does not show")])
@pytest.mark.parametrize("how", ["trace", "symbolic"])
def test_what_a_graph_does_not_print_warn_or_log_is_told_by_line(f, words, how):
    LOG.setLevel("INFO")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        torch.jit.trace(f, ones(2), check_trace=False) if how == "trace" else fx.symbolic_trace(f)
    told = [str(w.message) for w in found if w.category is torch.jit.TracerWarning and words in str(w.message)]
    assert len(told) == 1 and f"test_changes.py:{f.__code__.co_firstlineno + 1}" in told[0]


@pytest.mark.parametrize("how", ["trace", "symbolic"])
def test_what_is_recorded_or_not_said_needs_no_warning(how):
    LOG.setLevel("WARNING")

    def f(x):
        LOG.info("nobody hears that")
        print("sum", x.sum())
        return x + 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.jit.trace(f, ones(2), check_trace=False) if how == "trace" else fx.symbolic_trace(f)


@pytest.mark.parametrize("how", ["trace", "symbolic"])
def test_keys_and_addresses_of_inputs_are_not_asked_of_a_graph(how):
    def f(a, b):
        return a * 10 if id(a) == id(b) else a + b

    def make(x, y, **options):
        return torch.jit.trace(f, (x, y), check_trace=False, **options) if how == "trace" else fx.symbolic_trace(f, **options)

    x, y = ones(2), ones(2)
    for inputs in ((x, x), (x, y)):
        with pytest.raises(RuntimeError, match=r"asks whether two inputs are the same tensor(.|\n)*test_changes.py:\d+(.|\n)*on_change"):
            make(*inputs)
    assert make(x, y, on_change="ignore")(x, y).tolist() == [2, 2]
    compiled = torch.compile(f)
    for inputs in ((x, x), (x, y), (y, y)):
        assert torch.equal(compiled(*inputs), f(*inputs))


def test_the_first_import_of_a_module_is_no_write_of_the_program(tmp_path, monkeypatch):
    (tmp_path / "imported_by_a_trace.py").write_text("import collections\nPair = collections.namedtuple('Pair', 'a b')\nSCALE = [3.0]\n")
    monkeypatch.syspath_prepend(str(tmp_path))

    def f(x):
        import imported_by_a_trace

        return x * imported_by_a_trace.SCALE[0]

    traced = torch.jit.trace(f, ones(2), check_trace=False)
    assert not traced._traced.writes and traced(ones(3)).tolist() == [3, 3, 3]


class OfGlobals(nn.Module):
    width = 2.0

    def forward(self, x):
        return x * SCALE + self.width


def test_a_scripted_module_is_compiled_anew_when_a_constant_has_changed():
    net = OfGlobals()
    scripted = torch.jit.script(net)
    twin = pickle.loads(pickle.dumps(scripted))
    assert scripted(ones(1)).tolist() == twin(ones(1)).tolist() == [4]
    globals()["SCALE"] = 5.0
    assert scripted(ones(1)).tolist() == twin(ones(1)).tolist() == [7]
    OfGlobals.width = 3.0
    try:
        assert scripted(ones(1)).tolist() == net(ones(1)).tolist() == [8]
        graph = scripted.inlined_graph
        next(n for n in graph.nodes if n.op == "call_function").target = torch.sub
        globals()["SCALE"] = 2.0
        with pytest.raises(RuntimeError, match="The graph has been edited"):
            scripted(ones(1))
    finally:
        OfGlobals.width = 2.0


def test_a_module_that_gets_a_name_by_its_first_import_has_not_changed(tmp_path, monkeypatch):
    folder = tmp_path / "lazy_package_of_a_trace"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "def __getattr__(name):\n    if name == 'part':\n        import importlib\n        return importlib.import_module('lazy_package_of_a_trace.part')\n    raise AttributeError(name)\n"
    )
    (folder / "part.py").write_text("SCALE = 3.0\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    import lazy_package_of_a_trace as lazy

    for make in (lambda f: torch.jit.trace(f, ones(2)), fx.symbolic_trace, lambda f: torch.capture(f, ones(2))):
        captured = make(lambda x: x * lazy.part.SCALE)
        assert captured(ones(1)).tolist() == [3]
        vars(lazy).pop("part"), sys.modules.pop("lazy_package_of_a_trace.part")


class Reading(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.alpha, self.name = nn.Linear(2, 2), 0.5, "a"

    def forward(self, x):
        return self.layer(x) * SCALE * self.alpha + (TABLE["gain"] if self.name == "a" else 0)


RELIED_ON = {"the global SCALE is 2.0", "self.alpha is 0.5", "self.name is 'a'", "the global TABLE['gain'] is 2.0"}


@pytest.mark.parametrize("capture", [lambda m, x: torch.jit.trace(m, x).inlined_graph, lambda m, x: fx.symbolic_trace(m).graph])
def test_a_graph_and_its_file_say_what_the_program_relied_on(capture, tmp_path):
    graph = capture(Reading(), torch.ones(2, 2))
    assert set(graph.relied_on) == RELIED_ON
    graph.save(tmp_path / "f.mgraph")
    back = torch.load_graph(tmp_path / "f.mgraph")
    assert set(back.relied_on) == RELIED_ON and back.hash() == graph.hash()
    text = subprocess.run([PROGRAM, "info", "f.mgraph"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert all(line in text for line in RELIED_ON)


def test_attributes_of_the_library_s_classes_are_no_choices_of_the_program():
    graph = torch.jit.trace(nn.BatchNorm1d(2).eval(), torch.ones(2, 2)).inlined_graph
    assert set(graph.relied_on) == {"self.eps is 1e-05", "self.momentum is 0.1", "self.track_running_stats is True"}


def test_an_archive_says_what_the_program_relied_on(tmp_path):
    first, again = tmp_path / "first.pt", tmp_path / "again.pt"
    torch.jit.save(torch.jit.trace(Reading(), torch.ones(2, 2)), first)
    loaded = torch.jit.load(first)
    torch.jit.save(loaded, again)
    for path in (first, again):
        files = {"relied_on.txt": ""}
        torch.jit.load(path, _extra_files=files)
        shown = json.loads(subprocess.run([PROGRAM, "info", path, "--json"], capture_output=True, text=True, check=True).stdout)
        assert set(shown["functions"][0]["relied_on"]) == RELIED_ON
        assert {line.removeprefix("forward: ") for line in bytes(files["relied_on.txt"]).decode().splitlines()} == RELIED_ON


def test_a_write_of_what_was_there_is_a_write():
    """The example finds the attribute as the function leaves it. A later call does not, and must write it."""

    class Box:
        pass

    box = Box()

    def straight(x):
        box.value = 0
        return x * 2

    def way(x):
        if x.sum() > 0:
            box.value = 0
        return x * 2

    x = torch.ones(2)
    for f in (straight, way):
        box.value = 0
        traced = torch.jit.trace(f, x, check_trace=False)
        for start in (0, 1, 7):
            for sign in (1, -1):
                box.value = start
                f(x * sign)
                expected = box.value
                box.value = start
                traced(x * sign)
                assert box.value == expected, (f.__name__, start, sign)


class Scaling(nn.Module):
    kind = "plain"

    def __init__(self):
        super().__init__()
        self.k, self.calls, self.name = 2.0, 0, "a"

    def forward(self, x):
        return x * self.k if self.kind == "plain" else x


@pytest.mark.parametrize("name, value", [("k", 3.0), ("kind", "other")])
def test_an_attribute_that_is_assigned_in_the_traced_module(name, value):
    x = torch.ones(2)
    for keep in (Scaling(), None):
        traced = torch.jit.trace(keep or Scaling(), x)
        traced.name, traced.another = "b", 4
        if name == "k":
            traced.k = 2.0
        assert traced(x).tolist() == [2, 2]
        setattr(traced, name, value)
        with pytest.raises(RuntimeError, match=f"captured by torch.jit.trace, and what it read has changed since: .*{name}"):
            traced(x)
    again = torch.jit.trace(keep := Scaling(), x, on_change="recapture")
    setattr(again, name, value)
    with pytest.raises(RuntimeError, match=f"{name} was assigned in the traced module"):
        again(x)
    setattr(keep, name, value)
    ignored = torch.jit.trace(Scaling(), x, on_change="ignore")
    setattr(ignored, name, value)
    assert ignored(x).tolist() == [2, 2]


def test_words_of_control_flow():
    def f(x):
        return x * 2 if x.sum() > 0 else x

    x = torch.ones(2)
    with pytest.raises(ValueError, match="control_flow must be one of 'keep', 'guard', 'error', 'freeze', but got 'nonsense'"):
        torch.capture(f, x, control_flow="nonsense")
    guarded = torch.capture(f, x, control_flow="guard")
    assert guarded(x).tolist() == [2, 2] and not any(n.kind() == "prim::If" for n in guarded.graph.nodes)
    with pytest.raises(RuntimeError, match="the graph was captured where"):
        guarded(-x)
    with pytest.raises(fx.proxy.TraceError, match="control flow"):
        torch.capture(f, x, control_flow="guard", how="symbolic")


COLLECTED = io.StringIO()


def writes_to_stdout(x):
    sys.stdout.write("hello\n")
    return x + 1


def writes_to_a_file(x):
    with open(os.devnull, "w") as out:
        out.write("x")
    return x + 1


def writes_by_its_number(x):
    os.write(2, b"")
    return x + 1


def writes_to_older_memory(x):
    COLLECTED.write("x")
    return x + 1


@pytest.mark.parametrize("f", [writes_to_stdout, writes_to_a_file, writes_by_its_number, writes_to_older_memory])
@pytest.mark.parametrize("capture", [lambda f, **how: torch.jit.trace(f, torch.ones(2), **how), fx.symbolic_trace])
def test_what_is_written_to_files_is_refused_by_line(f, capture):
    with pytest.raises(RuntimeError, match=rf"(?s){f.__name__} .*calls .*write\(\), which writes to a file or stream.*test_changes.py:\d+.*Use print"):
        capture(f)
    assert capture(f, on_change="ignore")(torch.ones(2)).tolist() == [2, 2]


def test_text_in_memory_of_the_program_itself_is_no_output():
    def f(x):
        text = io.StringIO()
        text.write("abc")
        return x * len(text.getvalue())

    def g(x):
        pprint.pprint({"n": 1})
        return x + 1

    for capture in (lambda f: torch.jit.trace(f, torch.ones(2)), fx.symbolic_trace):
        assert capture(f)(torch.ones(2)).tolist() == [3, 3]
        with pytest.warns(torch.jit.TracerWarning, match=r"calls .*write\(\) while it is captured only"):
            assert capture(g)(torch.ones(2)).tolist() == [2, 2]


def test_a_call_for_which_no_capture_is_kept_says_why():
    module = nn.Identity()
    traced, kept_module = torch.jit.trace(lambda x: x * 2, torch.ones(2)), torch.jit.trace(module, torch.ones(2))
    for rank in (0, *range(2, 9)):
        assert traced(torch.ones([1] * rank)).dim() == rank
    with pytest.raises(TypeError, match="must be a float32 tensor with 1 dimension.*\n.*\nAt most 8 captures are kept .*and there are as many. Trace it again"):
        traced(torch.ones([1] * 9))
    assert traced(torch.ones(3)).tolist() == [2, 2, 2]
    del module
    gc.collect()
    with pytest.raises(TypeError, match="what was traced is gone"):
        kept_module(torch.ones(1, 1))
    with pytest.raises(TypeError, match="must be a float32 tensor with 1 dimension, but got a list"):
        traced([1, 2])
