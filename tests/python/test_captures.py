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
    assert not trace.guards
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
