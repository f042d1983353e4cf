"""One program, two captures, one graph: equal hashes for programs of every kind, unequal ones after any single edit."""

from __future__ import annotations

import copy
from typing import Any

import monograph as torch
import pytest
from capture_programs import PROGRAMS, Knobs
from monograph.jit._trace import _copies, _leaves


def inputs_of(example: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return ((), example) if isinstance(example, dict) else (example, {})


def captured(name: str, turned: str | None = None) -> tuple[Any, Any, Any, Any]:
    program, example = PROGRAMS[name](Knobs(turned))
    args, kwargs = inputs_of(example)
    trace = torch.capture(program, *_copies(args), how="trace", **_copies(kwargs))
    symbolic = torch.capture(program, *_copies(args), how="symbolic", **_copies(kwargs))
    return program, (args, kwargs), trace, symbolic


def knobs(name: str) -> list[str]:
    k = Knobs()
    program, example = PROGRAMS[name](k)
    args, kwargs = inputs_of(example)
    program(*_copies(args), **_copies(kwargs))
    return k.names


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_captures_are_one_graph_and_give_what_the_program_gives(name):
    program, (args, kwargs), trace, symbolic = captured(name)
    assert trace.graph.difference(symbolic.graph) == ""
    assert trace.graph.hash() == symbolic.graph.hash()
    # Nothing is demanded of the programs; how many pieces a size gives is not known ahead.
    assert {guard.expression for guard in trace.guards} <= {f"the number of tensors that aten::{op} gives" for op in ("split.Tensor", "chunk")}
    expected = _leaves(program(*_copies(args), **_copies(kwargs)))
    for run in (trace, symbolic):
        got = _leaves(run(*_copies(args), **_copies(kwargs)))
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
    with pytest.raises(TypeError, match="missing its input rest_1"):
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
    with pytest.raises(RuntimeError, match="64 bits|int64_t without overflow|too large"):
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


def test_a_device_by_place_beside_a_memory_format():
    x = torch.randn(1, 2, 3, 4)
    for device in ("cpu", torch.device("cpu")):
        y = x.to(device, memory_format=torch.channels_last)
        assert y.stride() == (24, 1, 8, 2) and torch.equal(x, y) and x.to(device, memory_format=torch.preserve_format) is x
    program = lambda x: x.to("cpu", copy=True, memory_format=torch.channels_last)  # noqa: E731
    trace, symbolic = torch.jit.trace(program, x).inlined_graph, torch.fx.symbolic_trace(program)
    assert trace.hash() == symbolic.graph.hash() and trace(x).stride() == symbolic.graph(x).stride() == (24, 1, 8, 2)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.empty_like(x, "cpu", memory_format=torch.channels_last)
