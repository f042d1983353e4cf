"""One program, two captures, one graph: equal hashes for programs of every kind, unequal ones after any single edit."""

from __future__ import annotations

import copy
import math
from typing import Any

import monograph as torch
import monograph.nn.functional as F
import pytest
from capture_programs import PROGRAMS, Knobs
from monograph.jit._trace import _copied_tensors, _leaves


def inputs_of(example: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return ((), example) if isinstance(example, dict) else (example, {})


def captured(name: str, turned: str | None = None) -> tuple[Any, Any, Any, Any]:
    program, example = PROGRAMS[name](Knobs(turned))
    args, kwargs = inputs_of(example)
    trace = torch.capture(program, *_copied_tensors(args), how="trace", **_copied_tensors(kwargs))
    symbolic = torch.capture(program, *_copied_tensors(args), how="symbolic", **_copied_tensors(kwargs))
    return program, (args, kwargs), trace, symbolic


def knobs(name: str) -> list[str]:
    k = Knobs()
    program, example = PROGRAMS[name](k)
    args, kwargs = inputs_of(example)
    program(*_copied_tensors(args), **_copied_tensors(kwargs))
    return k.names


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_captures_are_one_graph_and_give_what_the_program_gives(name):
    program, (args, kwargs), trace, symbolic = captured(name)
    assert trace.graph.difference(symbolic.graph) == ""
    assert trace.graph.hash() == symbolic.graph.hash()
    # Nothing is demanded of the programs; how many pieces a size gives is not known ahead.
    assert {guard.expression for guard in trace.guards} <= {f"len(aten::{op}(...))" for op in ("split.Tensor", "chunk")}
    expected = _leaves(program(*_copied_tensors(args), **_copied_tensors(kwargs)))
    for run in (trace, symbolic):
        got = _leaves(run(*_copied_tensors(args), **_copied_tensors(kwargs)))
        assert len(got) == len(expected)
        for a, b in zip(expected, got, strict=True):
            if isinstance(a, torch.Tensor):
                assert a.dtype == b.dtype and a.shape == b.shape
                assert torch.equal(a, b) or bool(((a == b) | ((a != a) & (b != b))).all())
            else:
                assert a == b


EDITS = [(name, knob) for name in PROGRAMS for knob in knobs(name)]


def test_there_are_a_hundred_edits():
    assert len(EDITS) >= 100


@pytest.mark.parametrize("name", PROGRAMS)
def test_single_edits_are_unequal(name):
    seen = {captured(name)[2].graph.hash(): "the program itself"}
    for knob in knobs(name):
        _, _, trace, symbolic = captured(name, knob)
        assert trace.graph.difference(symbolic.graph) == "", knob
        digest = trace.graph.hash()
        assert digest not in seen, f"{name}: the edit {knob!r} has the hash of {seen[digest]!r}"
        seen[digest] = knob


def bert(x):
    return x.view(x.size()[:-1] + (2, 4)).permute(0, 2, 1, 3)


def unpacked(x):
    b, n = x.shape[:2]
    return x.view(b * n, -1)


SHAPES = {
    "transpose_for_scores": bert,
    "last": lambda x: x.view(-1, x.shape[-1]),
    "size of last": lambda x: x.view(-1, x.size(-1)),
    "zeros": lambda x: torch.zeros(x.shape[:-1]) + x.sum(-1),
    "all but the first": lambda x: x.flatten(1).view((x.shape[0],) + x.shape[1:]),
    "sums": lambda x: x.reshape(x.shape[:1] + x.shape[1:-1] + (x.shape[-1] // 2, 2)),
    "unpacked": unpacked,
    "whole": lambda x: x.reshape(-1).view(x.shape),
    "of a slice": lambda x: x.view(x.shape[1:][:1] + (-1,)),
    "element of a slice": lambda x: x.reshape(x.shape[1:][0], -1, x.shape[:-1][-2]),
    "new": lambda x: torch.ones(x.size()[:-1] + (x.size()[-1] * 2,)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_parts_of_a_shape_are_one_graph(name):
    """Of any number of dims that the program takes: no capture writes a rank into the graph that the program does not name."""
    f, x, other = SHAPES[name], torch.randn(2, 3, 8), torch.randn(3, 3, 16) if name != "transpose_for_scores" else torch.randn(5, 7, 8)
    trace, symbolic = torch.jit.trace(f, x), torch.fx.symbolic_trace(f)
    assert trace.inlined_graph.difference(symbolic.graph) == ""
    assert trace.inlined_graph.hash() == symbolic.graph.hash()
    assert not trace.inlined_graph.guards
    for run in (trace, symbolic):
        for example in (x, other):
            assert torch.equal(run(example), f(example)), name


def test_a_list_of_unknown_length_cannot_be_starred():
    """Its length is the number of arguments of a call. A trace knows it."""

    def f(x):
        return x.view(*x.shape[:-1], 2, 4)

    trace = torch.jit.trace(f, torch.randn(2, 3, 8))
    x = torch.randn(5, 2, 8)
    assert torch.equal(trace(x), f(x)) and not trace.inlined_graph.guards
    with pytest.raises(torch.fx.proxy.TraceError, match="cannot be iterated"):
        torch.fx.symbolic_trace(f)
    assert torch.capture(f, torch.randn(2, 3, 8)).how == "trace"


@pytest.mark.parametrize("how", ["symbolic", "trace"])
def test_an_example_tells_how_many_inputs_stars_stand_for(how):
    def program(x, *rest, shift=0.0, **options):
        return torch.cat([x, *rest]) * options["scale"] + shift

    x, y = torch.ones(2), torch.full((1,), 3.0)
    captured = torch.capture(program, x, y, x, how=how, scale=torch.tensor(2.0))
    assert captured.how == how and captured(x, y, y, scale=torch.tensor(5.0)).tolist() == [5, 5, 15, 15]
    with pytest.raises(TypeError, match="unexpected or repeated argument 'size'; it takes x, rest_0, rest_1, scale"):
        captured(x, y, y, scale=x, size=x)
    with pytest.raises(TypeError, match="missing the argument 'scale'"):
        captured(x, y, rest_1=y)
    with pytest.raises(TypeError, match="missing the input 'rest_1'"):
        captured(x, y)


def test_stars_without_an_example():
    assert torch.capture(lambda *xs: torch.cat(xs), torch.ones(1), torch.ones(1))(torch.ones(2), torch.ones(1)).shape == (3,)
    with pytest.raises(NotImplementedError, match=r"\*xs takes any number of inputs"):
        torch.capture(lambda *xs: torch.cat(xs))


@pytest.mark.parametrize("number", [-(2**63), -(2**63) + 1, -(2**62) - 1, -(2**62), -1, 2**62 - 1, 2**62, 2**63 - 1])
def test_every_int64_is_a_constant_of_a_graph(number, tmp_path):
    """Also those that are no SymInt: where sizes are symbolic they are numbers still."""

    def program(x):
        return (x + number, x == number, torch.full((x.shape[0],), number), x.clamp(min=number), x[number:], x[:number], x.shape[0] * 0 + number)

    x = torch.tensor([number, 0, 1])
    expected = program(x)
    trace, symbolic = torch.jit.trace(program, x).inlined_graph, torch.fx.symbolic_trace(program).graph
    assert trace.hash() == symbolic.hash()
    symbolic.save(tmp_path / "numbers.mgraph")
    graphs = [trace, symbolic, torch.load_graph(tmp_path / "numbers.mgraph")]
    for form in ("mgraph", "json"):
        (tmp_path / form).write_text(trace._to_text(form))
        graphs.append(torch.load_graph(tmp_path / form))
    for graph in graphs:
        assert graph.hash() == trace.hash()
        assert all(torch.equal(a, b) for a, b in zip(graph(x)[:-1], expected[:-1], strict=True)) and graph(x)[-1] == number
    with pytest.raises(OverflowError, match="the number does not fit into 64 bits"):
        torch.jit.trace(lambda x: x + 2**63, x)


@pytest.mark.parametrize("momentum", [0.1, None])
def test_a_batch_norm_in_training_is_saved_with_the_buffers_that_it_updates(momentum, tmp_path):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.fc = torch.nn.BatchNorm1d(3, momentum=momentum), torch.nn.Linear(3, 2)

        def forward(self, x):
            y = self.fc(self.norm(x))
            return y, self.norm.running_mean * 1, self.norm.running_var * 1, self.norm.num_batches_tracked * 1

    net = Net()
    eager, traced = copy.deepcopy(net), copy.deepcopy(net)
    symbolic, trace = torch.fx.symbolic_trace(net), torch.jit.trace(traced, torch.randn(4, 3), check_trace=False).inlined_graph
    assert symbolic.graph.difference(trace) == "" and symbolic.graph.hash() == trace.hash() and not trace.guards
    traced.load_state_dict(net.state_dict())  # as before the trace's own run
    symbolic.graph.save(tmp_path / "net.mgraph")
    loaded = torch.load_graph(tmp_path / "net.mgraph")
    assert loaded.hash() == symbolic.graph.hash()
    for shift in range(3):
        x = torch.randn(4 + shift, 3) + shift
        expected = eager(x)
        for run in (symbolic, trace, loaded):
            assert all(torch.equal(a, b) for a, b in zip(run(x), expected, strict=True))
    for run in (symbolic, trace, loaded, eager):
        with pytest.raises(ValueError, match=r"Expected more than 1 value per channel when training, got input size torch.Size\(\[1, 3\]\)"):
            run(torch.ones(1, 3))


def test_numbers_of_buffers_belong_to_the_graph():
    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("scale", torch.tensor(2.0))

        def forward(self, x):
            return x * self.scale.item() + torch.full((2,), self.scale)

    net = Scaled()
    graph, symbolic = torch.jit.trace(net, torch.ones(2)).inlined_graph, torch.fx.symbolic_trace(net)
    assert graph.hash() == symbolic.graph.hash()
    net.scale.fill_(5.0)
    for run in (graph, symbolic, symbolic.graph):
        assert run(torch.ones(2)).tolist() == [10, 10]


NUMBERS = {
    "divmod": lambda n: divmod(n, 3)[0] * 100 + divmod(n, 3)[1],
    "divmod of a number": lambda n: divmod(7, n)[1],
    "divmod of a float": lambda n: divmod(n, 2.5)[1],
    ">>": lambda n: n >> 1,
    "number >>": lambda n: 1000 >> n,
    "<<": lambda n: n << 2,
    "number <<": lambda n: 1 << n,
    "&": lambda n: n & 3,
    "number &": lambda n: 6 & n,
    "|": lambda n: n | 8,
    "^": lambda n: n ^ 5,
    "~": lambda n: ~n,
    "abs": lambda n: abs(2 - n),
    "abs of a float": lambda n: abs(1.5 - n),
    "round": lambda n: round(n / 2),
    "round to even": lambda n: round(n - 2.5),
    "round of an int": lambda n: round(n) + round(n, 2),
    "floor": lambda n: math.floor(-n / 2),
    "ceil": lambda n: math.ceil(n / 3),
    "trunc": lambda n: math.trunc(-n / 2) + math.floor(n),
    "flags count": lambda n: (n > 6) + (n > 2) * 3 + True,
    "flags compared": lambda n: ((n > 6) == 1) * 2,
    "+ of a flag": lambda n: +(n > 6),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_python_s_arithmetic_on_sizes_is_recorded(name, tmp_path):
    def program(x):
        return x * NUMBERS[name](x.shape[0]), NUMBERS[name](x.shape[0])

    trace, symbolic = torch.jit.trace(program, torch.ones(5)).inlined_graph, torch.fx.symbolic_trace(program)
    assert not trace.guards and trace.difference(symbolic.graph) == "" and trace.hash() == symbolic.graph.hash()
    symbolic.graph.save(tmp_path / "numbers.mgraph")
    for n in (5, 8, 13):
        y, number = program(torch.ones(n))
        for run in (trace, symbolic, symbolic.graph, torch.load_graph(tmp_path / "numbers.mgraph")):
            got = run(torch.ones(n))
            assert torch.equal(got[0], y) and got[1] == number and type(got[1]) is type(number)


COMPARED = {
    "==": lambda x, y: x.shape == y.shape,
    "!=": lambda x, y: x.shape != y.shape,
    "== tuple": lambda x, y: x.shape == (3, 2),
    "tuple ==": lambda x, y: (3, 2) == x.size(),
    "parts": lambda x, y: x.shape[1:] == y.shape[1:],
    "a list is no tuple": lambda x, y: x.shape == [3, 2],
}


@pytest.mark.parametrize("name", COMPARED)
def test_shapes_are_compared_where_the_graph_runs(name, tmp_path):
    def program(x, y):
        return x * COMPARED[name](x, y)

    gm = torch.fx.symbolic_trace(program)
    gm.graph.save(tmp_path / "shapes.mgraph")
    captured = torch.capture(program, torch.ones(2, 2), torch.ones(3, 2))
    for sizes in (((2, 2), (3, 2)), ((3, 2), (3, 2)), ((3, 2), (3, 3))):
        x, y = (torch.ones(*s) for s in sizes)
        for run in (gm, gm.graph, torch.load_graph(tmp_path / "shapes.mgraph"), captured):
            assert torch.equal(run(x, y), program(x, y))


def test_a_number_of_the_graph_where_a_list_of_dims_may_stand():
    traced = torch.jit.trace(lambda x: x.sum(x.shape[0] - 2), torch.ones(2, 3))
    assert traced(torch.ones(2, 5)).tolist() == [2] * 5 and traced(torch.ones(3, 5)).tolist() == [5] * 3


def test_masks_without_dims(tmp_path):
    def read(x):
        return x[x.sum() > 0]

    def write(x):
        y = x.clone()
        y[x.sum() > 0] = 9
        return y

    for program in (read, write):
        gm = torch.fx.symbolic_trace(program)
        gm.graph.save(tmp_path / "mask.mgraph")
        for x in (torch.ones(2, 3), -torch.ones(2, 3)):
            for run in (gm, gm.graph, torch.load_graph(tmp_path / "mask.mgraph"), torch.capture(program, x)):
                assert torch.equal(run(x), program(x)) and run(x).shape == program(x).shape


def test_shifted_sizes_have_shapes():
    graph = torch.jit.trace(lambda x: x.view(x.shape[0] >> 1, 2), torch.ones(6)).inlined_graph
    assert [n.value_type for n in graph.nodes if n.name == "view"] == ["Float((s0_0 // 2), 2)"]


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (lambda x: x * (x.shape[0] @ 2), r"for @: 'monograph.SymInt' and 'int'"),
        (lambda x: x * round(x.shape[0] / 3, 1), r"round\(\) of %div under capture: digits are not kept"),
        (lambda x: x * x.shape[0].bit_length(), r"the function needs a value here while it is captured"),
        (lambda x: x * round(x[0].item()), r"round\(\) of %item under capture: whether it is an int or a float is not known"),
        (lambda x: torch.tensor(x[0].item()), r"tensor\(\): the dtype of %item is not known while the function is captured; write torch.tensor\(..., dtype=...\)"),
    ],
)
def test_what_a_size_cannot_do_is_an_error_with_the_line(program, text):
    gm = torch.fx.symbolic_trace(program)
    with pytest.raises((TypeError, RuntimeError), match=rf"{text}(.|\n)*\n  at [^\n]*test_captures.py:{program.__code__.co_firstlineno}$"):
        gm.graph.hash()


def test_shifts_that_python_refuses_or_64_bits_do_not_hold():
    x = torch.ones(3)
    for shift, text in ((-1, "negative shift count"), (62, "3 << 62 does not fit into the 64 bits")):
        gm = torch.fx.symbolic_trace(lambda x, shift=shift: x * (x.shape[0] << shift), concrete_args={"shift": shift})
        with pytest.raises(ValueError, match=text):
            gm.graph(x)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: torch.tensor(x.shape[0]),
        lambda x: torch.tensor([[1, x.shape[0]], [x.shape[0] * 2, 3]]),
        lambda x: torch.tensor([x.shape[0], 2.5]),
        lambda x: torch.tensor(x[0].item(), dtype=torch.float32) + 1,
        lambda x: torch.tensor((x.shape[0], x[0]), dtype=torch.float64),
        lambda x: torch.tensor(x) * 2,
        lambda x: torch.as_tensor(x) * 2,
        lambda x: torch.as_tensor(x.shape[0], dtype=torch.float64),
    ],
)
def test_tensors_made_of_what_a_graph_computes(program):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    trace, symbolic = torch.jit.trace(program, x).inlined_graph, torch.fx.symbolic_trace(program)
    assert not trace.guards and trace.difference(symbolic.graph) == "" and trace.hash() == symbolic.graph.hash()
    for example in (x, torch.tensor([4.0, 5.0, 6.0], requires_grad=True)):
        expected = program(example)
        for run in (trace, symbolic, symbolic.graph):
            got = run(example)
            assert torch.equal(got, expected) and got.dtype == expected.dtype and got.requires_grad == expected.requires_grad


def test_a_number_of_the_example_becomes_a_tensor_of_the_graph():
    trace = torch.jit.trace(lambda x: torch.tensor([x[0].item(), 1.0]), torch.ones(2))
    assert trace(torch.tensor([7.0, 2.0])).tolist() == [7, 1] and not trace.inlined_graph.guards


def test_a_device_by_place_beside_a_memory_format():
    x = torch.randn(1, 2, 3, 4)
    for device in ("cpu", torch.device("cpu")):
        y = x.to(device, memory_format=torch.channels_last)
        assert y.stride() == (24, 1, 8, 2) and torch.equal(x, y) and x.to(device, memory_format=torch.preserve_format) is x
    program = lambda x: x.to("cpu", copy=True, memory_format=torch.channels_last)  # noqa: E731
    trace, symbolic = torch.jit.trace(program, x).inlined_graph, torch.fx.symbolic_trace(program)
    assert trace.hash() == symbolic.graph.hash() and trace(x).stride() == symbolic.graph(x).stride() == (24, 1, 8, 2)
    with pytest.raises(TypeError, match=r"empty_like\(\) takes 1 positional argument but 2 were given"):
        torch.empty_like(x, "cpu", memory_format=torch.channels_last)


@pytest.mark.parametrize("call", ["x.size(4)", "x.stride(-5)", "x.softmax(4)", "x.sum(4)", "torch.cat([x], 4)", "x.transpose(0, 4)", "x.unbind(4)", "torch.stack([x], 7)"])
def test_a_dim_out_of_range_names_operator_and_line(call):
    def program(x):
        return eval(call)

    for run in (program, lambda x: torch.jit.trace(program, x), lambda x: torch.fx.symbolic_trace(lambda x: eval(call) * 1)(x)):
        with pytest.raises(IndexError, match=r"Dimension out of range \(expected to be in range of \[-\d, \d\], but got -?\d\)") as caught:
            run(torch.ones(1, 2, 3))
        name = call.split("(")[0].split(".")[-1]
        assert f"in aten::{name}" in str(caught.value) and "\n  at " in str(caught.value)


def test_state_that_a_program_keeps_in_attributes_is_not_lost():
    """The capture could not follow it: its second run would be the first one again."""

    class Recurrent(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.h = None

        def forward(self, x):
            self.h = x if self.h is None else self.h * 0.5 + x
            return x + self.h

    with pytest.raises(torch.jit.TracingCheckError, match="make that a buffer, and write to it in place"):
        torch.capture(Recurrent(), torch.ones(3))


def test_torch_tensor_of_a_shape():
    def program(x):
        return torch.tensor(x.shape) * 2, torch.as_tensor(x.size())

    for run in (torch.jit.trace(program, torch.ones(2, 3)), torch.capture(program, torch.ones(2, 3))):
        assert [t.tolist() for t in run(torch.ones(4, 5))] == [[8, 10], [4, 5]]


def test_a_captured_gradient_of_a_product():
    def program(w):
        return torch.autograd.grad(w.prod(), w)[0]

    traced = torch.jit.trace(program, torch.tensor([1.0, 2.0, 3.0], requires_grad=True), check_trace=False)
    for values in ([2.0, 3.0, 4.0], [0.0, 3.0, 4.0], [0.0, 0.0, 4.0]):
        assert traced(torch.tensor(values)).tolist() == program(torch.tensor(values, requires_grad=True)).tolist()


COUNT, SUM = torch.zeros(1), torch.zeros(2)


def test_writes_to_tensors_from_outside_show_on_the_example():
    """Also those that have nothing to do with the inputs, which happen while the function is traced."""

    def counts(x):
        COUNT.add_(1)
        return x * 2

    closed_over = torch.zeros(1)

    def copies(x):
        closed_over.copy_(torch.tensor([5.0]))
        return x * 2

    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.count = torch.zeros(1)

        def forward(self, x):
            self.count += 1
            return x * 2

    for program in (counts, copies, Counting()):
        with pytest.raises((torch.jit.TracingCheckError, RuntimeError), match="from outside"):
            torch.capture(program, torch.ones(2))
    assert COUNT.item() == 0 and closed_over.item() == 0  # what is found is left as it was


def test_tensors_from_outside_are_read():
    def reads(x):
        return x + SUM

    SUM.fill_(3)
    assert torch.capture(reads, torch.ones(2))(torch.ones(2)).tolist() == [4, 4]


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
def test_interpolation_to_a_part_of_the_shape_is_one_graph(mode):
    def resized(x):
        return F.interpolate(x, size=x.shape[2:], mode=mode)

    traced, symbolic = torch.jit.trace(resized, torch.ones(1, 2, 4, 4)), torch.fx.symbolic_trace(resized)
    assert traced.graph.hash() == symbolic.graph.hash()


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_rows_have_one_hash_however_they_are_taken(dim):
    def unpacked(x):
        a, b, c = x.unbind(dim)
        return a * b - c

    def selected(x):
        return x.select(dim, 0) * x.select(dim, 1) - x.select(dim, 2)

    x = torch.randn(3, 3, 3)
    graphs = [torch.jit.trace(f, x).inlined_graph for f in (unpacked, selected)] + [torch.fx.symbolic_trace(selected).graph]
    assert len({g.hash() for g in graphs}) == 1, graphs[0].difference(graphs[1])
    assert all(torch.equal(g(x), unpacked(x)) for g in graphs)
