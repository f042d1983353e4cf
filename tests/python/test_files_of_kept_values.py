"""What a program keeps at its first call and reads at the next ones (`if self.cache is None: self.cache = x * 2`). In the process the trace does as the program;
a file gives what the program would, or is not written."""

from __future__ import annotations

import functools
import gc
from typing import Any

import monograph as torch
import monograph.nn as nn
import pytest

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")

X = [torch.tensor(v) for v in ([1.0, 2.0, 3.0], [-9.0, -1.0, 5.0], [4.0, 0.5, -2.0], [7.0])]


class Keeps(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache: Any = None
        self.entries: dict[str, Any] = {}
        self.ready = False
        self.weight = nn.Parameter(torch.ones(1) * 3)

    def from_values(self, x):
        if self.cache is None:
            self.cache = x * 2
        return x + self.cache.sum()

    def from_a_number(self, x):
        if self.cache is None:
            self.cache = x.sum().item()
        return x + self.cache

    def from_random_numbers(self, x):
        if self.cache is None:
            self.cache = torch.rand(1)
        return x + self.cache

    def by_a_view_that_is_written(self, x):
        if self.cache is None:
            table = torch.zeros(2)
            table[0].copy_(x[0])
            self.cache = table
        return x + self.cache[0]

    def from_what_it_writes(self, x):
        if self.cache is None:
            self.cache = self.buffer + 1
        self.buffer += 1
        return x * self.cache

    def in_a_dict(self, x):
        if "first" not in self.entries:
            self.entries["first"] = x.sum()
        return x + self.entries["first"]

    def in_a_missing_attribute(self, x):
        if not hasattr(self, "first"):
            self.first = x.sum()
        return x + self.first

    @functools.cached_property
    def kept_property(self):
        return self.seen.sum()

    def by_a_cached_property(self, x):
        self.seen = x
        return x + self.kept_property

    def a_flag(self, x):
        if not self.ready:
            self.ready = True
            return x * 100
        return x

    def from_sizes(self, x):
        if self.cache is None:
            self.cache = torch.linspace(0, 1, x.shape[0])
        return x + self.cache[: x.shape[0]].sum()

    def a_table(self, x):
        if self.cache is None:
            self.cache = torch.arange(4.0)
        return x * self.cache[: x.shape[0]]

    def a_table_of_weights(self, x):
        if self.cache is None:
            self.cache = self.weight.detach() * 2
        return x * self.cache

    def triangle(self, x):
        if self.cache is None:
            self.cache = torch.ones(x.shape[0], x.shape[0]).tril()
        return self.cache[: x.shape[0], : x.shape[0]] @ x

    def counts(self, x):
        self.ready += 1
        return x * 2

    def collects(self, x):
        self.entries.setdefault("seen", []).append(x)
        return x * 2


def keeps() -> Keeps:
    net = Keeps()
    net.register_buffer("buffer", torch.zeros(1))
    return net


REFUSED = ["from_values", "from_a_number", "from_random_numbers", "by_a_view_that_is_written", "from_what_it_writes", "in_a_dict", "in_a_missing_attribute", "by_a_cached_property",
           "a_flag", "from_sizes"]  # fmt: skip
WRITTEN = ["a_table", "a_table_of_weights", "counts"]


@pytest.mark.parametrize("alive", [True, False])
@pytest.mark.parametrize("name", REFUSED)
def test_a_file_is_refused_where_the_next_call_reads_what_the_first_one_computed(name, alive, tmp_path):
    net = keeps()
    traced = torch.jit.trace(getattr(net, name), X[0], check_trace=False)
    words = r"(?s)from_\w+|writes to .*reads that at its next call|reads that at its next call|has other results"
    if not alive:
        del net
        gc.collect()
    for save in (lambda: torch.jit.save(traced, tmp_path / "f.pt"), lambda: traced.save(tmp_path / "f.mgraph"), lambda: traced.graph.save(tmp_path / "f.mgraph")):
        with pytest.raises(NotImplementedError, match=words):
            save()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [*REFUSED, *WRITTEN, "triangle", "collects"])
@pytest.mark.parametrize("alive", [True, False])
def test_in_the_process_a_trace_does_as_its_program(name, alive):
    own, other = keeps(), keeps()
    for net in (own, other):
        torch.manual_seed(1)
        traced = torch.jit.trace(getattr(net, name), X[0], check_trace=False) if net is other else getattr(net, name)(X[0])
    state = vars(other)
    del net, other
    if not alive:
        state = None
    gc.collect()
    for x in X[1:]:
        assert traced(x).tolist() == getattr(own, name)(x).tolist()
    if alive:
        assert state["ready"] == own.ready and (state["cache"] is None) == (own.cache is None)


def test_the_line_that_computes_what_is_kept_is_named(tmp_path):
    traced = torch.jit.trace(keeps().from_values, X[0], check_trace=False)
    words = r"(?s)computes self\.cache in its first call, from its inputs.*test_files_of_kept_values\.py:\d+.*call the program once before you trace it"
    with pytest.raises(NotImplementedError, match=words):
        torch.jit.save(traced, tmp_path / "f.pt")


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_holds_what_is_computed_anew_without_the_inputs(name, tmp_path):
    own, net = keeps(), keeps()
    torch.jit.save(torch.jit.trace(getattr(net, name), X[0]), tmp_path / "f.pt")
    loaded = torch.jit.load(tmp_path / "f.pt")
    for x in X:
        assert loaded(x).tolist() == getattr(own, name)(x).tolist()


@pytest.mark.parametrize("name", REFUSED[:1] + REFUSED[2:-1])
def test_the_way_out_is_a_call_before_the_trace(name, tmp_path):
    net, own = keeps(), keeps()
    for n in (net, own):
        torch.manual_seed(1)
        getattr(n, name)(X[0])
    torch.jit.save(torch.jit.trace(getattr(net, name), X[1], check_trace=False), tmp_path / "f.pt")
    loaded = torch.jit.load(tmp_path / "f.pt")
    for x in X[1:]:
        assert loaded(x).tolist() == getattr(own, name)(x).tolist()


def test_a_function_that_keeps_its_first_value(tmp_path):
    state: dict[str, Any] = {}
    first = None

    def in_a_closure(x):
        if "first" not in state:
            state["first"] = x.sum()
        return x + state["first"]

    def in_a_cell(x):
        nonlocal first
        if first is None:
            first = x.sum()
        return x + first

    for f in (in_a_closure, in_a_cell):
        state.clear()
        first = None
        traced = torch.jit.trace(f, X[0], check_trace=False)
        kept = dict(state), first
        with pytest.raises(NotImplementedError, match="reads that at its next call"):
            torch.jit.save(traced, tmp_path / "f.pt")
        assert (dict(state), first) == kept
        for x in X:
            assert traced(x).tolist() == (x + X[0].sum()).tolist()


def test_the_state_of_a_function_is_as_before_the_file(tmp_path):
    state = {"calls": 0}

    def counts(x):
        state["calls"] += 1
        return x * 2

    torch.jit.save(torch.jit.trace(counts, X[0]), tmp_path / "f.pt")
    assert state == {"calls": 1}


@pytest.mark.parametrize("name", [*REFUSED, *WRITTEN, "collects"])
def test_a_symbolic_trace_whose_module_is_gone_does_as_its_program(name, tmp_path):
    class Calls(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = keeps()

        def forward(self, x):
            return getattr(self.net, name)(x)

    if name in ("from_a_number", "by_a_view_that_is_written", "from_random_numbers"):
        return
    own = Calls()
    if name in ("a_flag", "counts"):
        own(X[0])  # a symbolic trace runs the program once, and leaves what is no traced value
    made = torch.fx.symbolic_trace(Calls())
    gc.collect()
    for x in X:
        try:
            got = made(x).tolist()
        except RuntimeError as error:
            assert "test_files_of_kept_values.py" in str(error) or "has changed since" in str(error)
            return
        assert got == own(x).tolist()
