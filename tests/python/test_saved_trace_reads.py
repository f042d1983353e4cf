"""What a saved trace relies on: the order of a dict's keys, the number of a loop's last iteration, buffers that a branch of a layer reads, state that the program keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import monograph as torch
import pytest
from monograph import nn

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")


def runs_over_the_dict(d):
    out = 0
    for k in d:
        out = out * 2 + d[k]
    return out


def runs_over_the_items(d):
    out = 0
    for _, v in d.items():
        out = out * 2 + v
    return out


def unpacks_the_dict(d):
    a, b = d
    return d[a] - d[b]


def unpacks_the_values(d):
    a, b = d.values()
    return a - b


def takes_the_first(d):
    return d[next(iter(d))] * 2 + d[list(d)[0]]


def takes_a_rest(d):
    a, *rest = d
    return d[a] * len(rest)


def stacks_the_values(d):
    return torch.stack(list(d.values()))


ORDERED = [runs_over_the_dict, runs_over_the_items, unpacks_the_dict, unpacks_the_values, takes_the_first, takes_a_rest, stacks_the_values]


def by_key(d):
    return torch.stack([d[k] for k in sorted(d)]) + d["x"] * len(d)


def by_keyword(d):
    return by_key({**d})


def examples() -> list[dict[str, Any]]:
    return [{"x": torch.ones(2), "y": torch.ones(2) * 3}, {"y": torch.ones(2), "x": torch.ones(2) * 3}]


def saved(traced: Any, folder: Path) -> Any:
    traced.inlined_graph.save(folder / "graph.mgraph")
    return torch.load_graph(folder / "graph.mgraph")


@pytest.mark.parametrize("f", ORDERED, ids=lambda f: f.__name__)
def test_a_saved_trace_checks_the_order_of_a_dict_that_it_runs_over(f: Any, tmp_path: Path) -> None:
    first, other = examples()
    traced = torch.jit.trace(f, (first,), strict=False)
    assert traced(other).tolist() == f(other).tolist()
    graph = saved(traced, tmp_path)
    assert graph(first).tolist() == f(first).tolist()
    with pytest.raises(RuntimeError, match=r"(?s)list\(d\) == \['x', 'y'\].*test_saved_trace_reads\.py:"):
        graph(other)


@pytest.mark.parametrize("f", [by_key, by_keyword], ids=lambda f: f.__name__)
def test_a_dict_that_is_read_by_its_keys_may_have_them_in_any_order(f: Any, tmp_path: Path) -> None:
    graph = saved(torch.jit.trace(f, (examples()[0],), strict=False), tmp_path)
    for example in examples():
        assert graph(example).tolist() == f(example).tolist()


def newton(x):
    a = x.abs() + 1
    g = a / 2
    for i in range(20):  # noqa: B007
        new = 0.5 * (g + a / g)
        if (new - g).abs().max() < 1e-4:
            break
        g = new
    else:
        i = -1
    return g, i


def test_the_number_of_the_last_iteration_survives_in_torchscript(tmp_path: Path) -> None:
    traced = torch.jit.trace(newton, (torch.tensor([1.0, 2.0, 3.0]),))
    torch.jit.save(traced, tmp_path / "newton.pt")
    loaded = torch.jit.load(tmp_path / "newton.pt")
    for value in ([1.0, 2.0, 3.0], [100.0], [0.0, 0.0]):
        x = torch.tensor(value)
        assert loaded(x)[1] == traced(x)[1] == newton(x)[1]


class Average(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("average", torch.zeros(2))
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                if self.count == 0:
                    self.average.copy_(x.mean(0))
                else:
                    self.average.mul_(0.9).add_(x.mean(0), alpha=0.1)
                self.count += 1
        return x - self.average


class Averages(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = Average(), nn.Sequential(nn.Linear(2, 2), Average())

    def forward(self, x):
        return self.b(self.a(x)).relu()


def test_a_branch_of_a_layer_reads_the_layers_own_buffer_in_torchscript(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = Averages()
    torch.manual_seed(0)
    other = Averages()
    torch.jit.save(torch.jit.trace(other, (torch.ones(1, 2),), check_trace=False), tmp_path / "net.pt")
    net(torch.ones(1, 2))
    loaded = torch.jit.load(tmp_path / "net.pt")
    for k in range(3):
        x = torch.tensor([[1.0 + k, -2.0]])
        assert loaded(x).tolist() == net(x).tolist()
        assert getattr(loaded.b, "1").average.tolist() == net.b[1].average.tolist()


def test_a_trace_that_counts_its_calls_is_not_saved_as_a_graph(tmp_path: Path) -> None:
    seen: list[int] = []

    def f(x):
        seen.append(1)
        return x * len(seen)

    traced = torch.jit.trace(f, (torch.ones(2),), check_trace=False)
    with pytest.raises(NotImplementedError, match=r"(?s)Graph\.save: .*writes to seen.*no file holds"):
        traced.inlined_graph.save(tmp_path / "graph.mgraph")


def matches_sizes(x):
    match x.shape:
        case (n,) if n > 2:
            return x.cumsum(0)
        case (_, b):
            return x * b
    return x


def matches_a_class(x):
    match x:
        case torch.Tensor():
            return x * 2
    return x


def matches_a_mapping(x):
    match x:
        case {"a": a}:
            return a * 2
    return x


@pytest.mark.parametrize("f", [matches_sizes, matches_a_class, matches_a_mapping], ids=lambda f: f.__name__)
def test_a_symbolic_trace_refuses_a_pattern_that_asks_for_a_type(f: Any) -> None:
    with pytest.raises((RuntimeError, ValueError), match=r"(?s)(pattern that asks for its type|needs the type).*test_saved_trace_reads\.py:"):
        torch.fx.symbolic_trace(f)


def keeps_a_hook(x):
    y = x * 2
    y.register_hook(lambda g: g)
    return y


def carries_two_types(x):
    a = 0.5
    for k in range(x.shape[0]):
        a = a * x[k]
    return a


@pytest.mark.parametrize("f", [keeps_a_hook, carries_two_types], ids=lambda f: f.__name__)
def test_saving_a_symbolic_trace_as_torchscript_names_the_line_of_the_program(f: Any, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"recorded at .*test_saved_trace_reads\.py:\d+\n"):
        torch.jit.save(torch.fx.symbolic_trace(f), tmp_path / "f.pt")
