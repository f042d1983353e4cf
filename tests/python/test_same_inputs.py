"""Inputs that are one tensor: `a is b` in a captured program, and what it does to tensors that another input shows too."""

import gc
import weakref

import monograph as torch
import pytest
from monograph import fx, nn


def captured(how, f, *inputs, **options):
    if how == "trace":
        return torch.jit.trace(f, inputs, check_trace=False, strict=False, **options)
    if how == "symbolic":
        return fx.symbolic_trace(f, **options)
    return torch.compile(f, backend="eager", fullgraph=True)


def one(n=3):
    x = torch.arange(1.0, n + 1)
    return x, x


def two(n=3):
    return torch.arange(1.0, n + 1), torch.arange(1.0, n + 1)


def views(n=3):
    x = torch.arange(1.0, n + 1)
    return x, x.view(-1)


def asks(a, b):
    return a * 10 if a is b else a + b


def asks_not(a, b):
    if a is not b:
        a.add_(1)
    return a * b


def after_a_write(a, b):
    a.mul_(3)
    scale = 5 if a is b else 7
    return b * scale


def of_lists(pair, b):
    first, second = pair
    return first * 2 if first is second or second is b else first + b


def among(a, b):
    return a * 2 if any(b is t for t in [a]) else b + 5


def in_a_loop(a, b):
    while a.sum() < 100:
        a.add_(10)
        if b is not a:
            b.add_(5)
    return b.clone()


@pytest.mark.parametrize("how", ["trace", "symbolic", "compile"])
@pytest.mark.parametrize("f", [asks, asks_not, after_a_write, among, in_a_loop])
def test_a_program_may_ask_whether_two_inputs_are_one(f, how):
    for example in (one, two, views):
        capture = captured(how, f, *example())
        for make in (one, two, views):
            for n in (3, 1, 5):
                expected, inputs = make(n), make(n)
                assert torch.equal(capture(*inputs), f(*expected)), (example, make, n)
                assert all(map(torch.equal, inputs, expected))


@pytest.mark.parametrize("how", ["trace", "compile"])
def test_a_program_may_ask_for_parts_of_an_input(how):
    a, b, c = torch.ones(2), torch.zeros(2), torch.full((2,), 4.0)
    for pair, other in (((a, b), c), ((a, a), c), ((a, b), b), ((a, a), a)):
        capture = captured(how, of_lists, list(pair), other)
        for pair, other in (((a, b), c), ((a, a), c), ((a, b), b), ((b, a), b), ((c, c), c)):
            assert torch.equal(capture(list(pair), other), of_lists(list(pair), other))


def test_parts_of_an_input_in_a_symbolic_trace():
    def f(pair: list[torch.Tensor], b):
        return pair[0] * 2 if pair[0] is pair[1] or pair[1] is b else pair[0] + b

    a, b, c = torch.ones(2), torch.zeros(2), torch.full((2,), 4.0)
    traced = fx.symbolic_trace(f)
    for capture in (traced, traced.graph):
        for pair, other in (((a, b), c), ((a, a), c), ((a, b), b), ((b, a), b), ((c, c), c)):
            assert torch.equal(capture([*pair], other), f([*pair], other))


def test_rows_of_a_tensor_are_other_tensors_each_time():
    def f(x):
        return x * 2 if x[0] is x[0] else x + 1

    x = torch.ones(2, 2)
    for capture in (torch.jit.trace(f, x), fx.symbolic_trace(f), fx.symbolic_trace(f).graph):
        assert torch.equal(capture(x), f(x))


@pytest.mark.parametrize("f", [asks, asks_not, after_a_write])
def test_the_captures_have_one_hash_and_their_files_ask(f, tmp_path):
    traced, symbolic, scripted = (torch.jit.trace(f, one(), check_trace=False), fx.symbolic_trace(f), torch.jit.script(f))
    assert traced.graph.hash() == symbolic.graph.hash() == scripted.graph.hash()
    traced.graph.save(tmp_path / "asks.mgraph")
    torch.jit.save(traced, tmp_path / "asks.pt")
    for loaded in (torch.load_graph(tmp_path / "asks.mgraph"), torch.jit.load(tmp_path / "asks.pt"), scripted):
        for make in (one, two):
            assert torch.equal(loaded(*make()), f(*make()))


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2))
        self.register_buffer("mean", torch.full((2,), 3.0))

    def forward(self, x):
        return (x * 2 if x is self.weight else x + 1), (x * 3 if self.mean is not x else x - 1)


@pytest.mark.parametrize("how", ["trace", "symbolic", "compile"])
def test_an_input_may_be_a_parameter_or_buffer(how):
    net = Weighted()
    for example in (torch.ones(2), net.weight, net.mean):
        capture = captured(how, net, example)
        for x in (torch.ones(2), net.weight, net.mean):
            assert all(map(torch.equal, capture(x), net(x)))


OUTSIDE = torch.ones(2)


@pytest.mark.parametrize("how", ["trace", "symbolic"])
def test_whether_an_input_is_a_tensor_from_outside_is_refused(how):
    def f(x):
        return x * 2 if x is OUTSIDE else x + 1

    with pytest.raises(RuntimeError, match=r"asks whether an input is a tensor from outside(.|\n)*test_same_inputs.py:\d+(.|\n)*on_change"):
        captured(how, f, torch.ones(2))


@pytest.mark.parametrize("how", ["trace", "symbolic"])
def test_addresses_and_keys_that_are_inputs_are_refused_by_line(how):
    for f in (lambda a, b: a * len({id(a), id(b)}), lambda a, b: a * 2 if b in {a: 1} else b + 5):
        with pytest.raises((RuntimeError, TypeError), match=r"test_same_inputs.py:\d+"):
            captured(how, f, *one())


class Keyed(nn.Module):
    """Asks in several ways which tensor an input is."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.full((2,), 3.0))
        self.plain = torch.full((2,), 5.0)
        self.table = {self.mean: 1, torch.ones(2): 2}

    def by_is(self, x):
        return x * 2 if x is self.mean else x + 1

    def by_is_not(self, x):
        return x * 2 if self.plain is not x else x + 1

    def by_id(self, x):
        return x * 2 if id(x) == id(self.mean) else x + 1

    def among(self, x):
        return x * 2 if any(x is t for t in (self.mean, self.plain)) else x + 1

    def as_key(self, x):
        return x * 2 if x in self.table else x + 1

    def by_get(self, x):
        return x * self.table.get(x, 7)

    def in_a_set(self, x):
        return x * len({x, self.mean, self.plain})


@pytest.mark.parametrize("name", ["by_is", "by_is_not", "by_id", "among", "as_key", "by_get", "in_a_set"])
def test_a_compiled_function_tells_its_input_from_tensors_that_it_reads(name):
    net = Keyed()
    f = getattr(net, name)
    key = list(net.table)[1]
    others = [torch.ones(2), net.mean, net.plain, key]
    for first in others:
        compiled = torch.compile(f, backend="eager")
        for x in (first, *others, torch.ones(2)):
            assert torch.equal(compiled(x), f(x))


def test_a_compiled_function_keeps_no_input_that_it_tells_from_others():
    def f(a, b):
        return a * 2 if a in {b: 1} or a is b else a + b

    compiled = torch.compile(f, backend="eager")
    a, b = torch.ones(2), torch.ones(2)
    gone = weakref.ref(a), weakref.ref(b)
    compiled(a, b), compiled(a, a)
    del a, b
    gc.collect()
    assert [r() for r in gone] == [None, None]
