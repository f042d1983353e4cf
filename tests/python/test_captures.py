"""One program, two captures, one graph: equal hashes for programs of every kind, unequal ones after any single edit."""

from __future__ import annotations

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
