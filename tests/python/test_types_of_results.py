"""OrderedDict and torch.Size among the results of a trace, out of a file; functions whose file has parameters that no module of theirs holds; how often
torch.capture runs the function."""

from __future__ import annotations

import collections
from typing import Any

import monograph as torch
import pytest

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")

X = [torch.ones(3, 2), torch.zeros(1, 2), torch.ones(0, 2)]
WEIGHT = torch.full((2,), 3.0, requires_grad=True)


def a_size(x):
    return x * 2, x.shape


def sizes_in_a_tuple(x):
    return (x.shape, (x.sum(), x.size())), 2.5


def an_ordered_dict(x):
    return collections.OrderedDict(b=x, a=x + 1)


def ordered_dicts_in_a_list(x):
    return [collections.OrderedDict(a=x), collections.OrderedDict(b=x * 2, a=x)]


def seen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.tolist()
    if isinstance(value, dict):
        return type(value).__name__, [(k, seen(v)) for k, v in value.items()]
    return (type(value).__name__, [seen(v) for v in value]) if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("f", [a_size, sizes_in_a_tuple, an_ordered_dict, ordered_dicts_in_a_list])
def test_types_of_results_out_of_a_file(f: Any, tmp_path: Any) -> None:
    traced = torch.jit.trace(f, X[0], strict=False)
    torch.jit.save(traced, tmp_path / "f.pt")
    traced.save(tmp_path / "f.mgraph")
    loaded, graph = torch.jit.load(tmp_path / "f.pt"), torch.load_graph(tmp_path / "f.mgraph")
    torch.jit.save(loaded, tmp_path / "again.pt")
    for x in X:
        assert seen(traced(x)) == seen(f(x))
        for run in (loaded, graph, torch.jit.load(tmp_path / "again.pt")):
            assert seen(run(x)) == seen(f(x))


def test_an_edited_graph_gives_what_it_returns(tmp_path: Any) -> None:
    traced = torch.jit.trace(a_size, X[0])
    traced.save(tmp_path / "f.mgraph")
    graph = torch.load_graph(tmp_path / "f.mgraph")
    (output,) = (n for n in graph.nodes if n.op == "output")
    with graph.inserting_before(output):
        output.args = (output.args[0][0],)
    assert seen(graph(X[0])) == seen(X[0] * 2)


def with_a_weight(x):
    return x * WEIGHT, 3


def test_a_function_with_a_parameter_of_its_own(tmp_path: Any) -> None:
    traced = torch.jit.trace(with_a_weight, X[0])
    torch.jit.save(traced, tmp_path / "f.pt")
    loaded = torch.jit.load(tmp_path / "f.pt")
    for x in X:
        assert seen(loaded(x)) == seen(with_a_weight(x))
    assert [p.tolist() for p in loaded.parameters()] == [[3, 3]]


@pytest.mark.parametrize("how", ["trace", "symbolic", "auto"])
def test_the_check_of_a_capture_runs_the_function_once(how: str) -> None:
    runs = []

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(2))

        def forward(self, x):
            runs.append(1)
            self.total.add_(x.sum(0).detach())
            return x + self.total

    captured = torch.capture(Net(), X[0], how=how)
    assert captured.checked and len(runs) <= (1 if how == "trace" else 2)


def test_the_check_of_a_trace_sees_what_the_graph_does_not_write() -> None:
    outside = torch.zeros(2)

    def f(x):
        outside.add_(x.sum(0))
        return x + 1

    with pytest.raises(RuntimeError, match="tensor from outside"):
        torch.capture(f, X[0], how="trace")
