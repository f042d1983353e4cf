"""What a script gives before saving, it gives after loading, here and in PyTorch: text beyond ASCII, isinstance(x, list), flags, NamedTuples, several methods."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, NamedTuple  # noqa: UP035 - as PyTorch's users write

import monograph as torch
import pytest
from monograph import Tensor, nn


def again(scripted: Any) -> Any:
    file = io.BytesIO()
    torch.jit.save(scripted, file)
    file.seek(0)
    return torch.jit.load(file)


def text() -> str:
    return "é日本 \t'\""


def first(x: int | list[str]) -> str:
    if isinstance(x, list):
        return x[0]
    return str(x)


def stacked(x: Tensor | list[Tensor]) -> Tensor:
    if isinstance(x, list):
        return torch.stack(x)
    return x


def of_dict(x: int | dict[str, int] | list[int]) -> int:
    if isinstance(x, dict):
        return x["a"]
    if isinstance(x, list):
        return len(x)
    return x


def flags(b: bool, c: bool, x: list[bool]) -> tuple[int, int, bool, bool, int, int]:
    return max(b, c), min(b, c), max(x), min(x), sum(x), abs(b)


PROGRAMS: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (text, [()]),
    (first, [(["a"],), (7,), (["b", "c"],)]),
    (stacked, [([torch.ones(2), torch.zeros(2)],), (torch.ones(3),)]),
    (of_dict, [({"a": 3},), ([1, 2],), (5,)]),
    (flags, [(True, False, [True, True, False]), (False, False, [False])]),
]


def plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, Tensor) else [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize(("function", "calls"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_a_loaded_function_gives_what_python_gives(function, calls):
    scripted = torch.jit.script(function)
    loaded = again(scripted)
    for args in calls:
        expected = plain(function(*args))
        assert plain(scripted(*args)) == expected and plain(loaded(*args)) == expected
        assert type(scripted(*args)) is type(loaded(*args))


@pytest.mark.oracle
def test_pytorch_gives_the_same_from_the_files(oracle, tmp_path):
    for function, _ in PROGRAMS:
        torch.jit.save(torch.jit.script(function), tmp_path / f"{function.__name__}.pt")
    found = oracle.run(
        """
from pathlib import Path
calls = {"text": [()], "first": [(["a"],), (7,)], "stacked": [([torch.ones(2), torch.zeros(2)],)], "of_dict": [({"a": 3},), ([1, 2],), (5,)],
         "flags": [(True, False, [True, True, False])]}
result = {name: [str(torch.jit.load(str(Path(folder) / f"{name}.pt"))(*args)) for args in of] for name, of in calls.items()}
""",
        folder=str(tmp_path),
    )
    assert found["text"] == [text()] and found["first"] == ["a", "7"] and found["of_dict"] == ["3", "2", "5"]
    assert found["stacked"] == [str(torch.stack([torch.ones(2), torch.zeros(2)]))] and found["flags"] == ["(1, 0, True, False, 2, 1)"]


def test_octal_escapes_are_bytes_in_texts_of_torchscript_alone():
    unit = torch.jit.CompilationUnit('def f() -> str:\n    return "\\303\\251"\n')
    assert unit.f() == "é"

    def in_python() -> str:
        return "\303"

    assert torch.jit.script(in_python)() == "Ã"


class Sizes(NamedTuple):
    n: int
    w: Tensor


class HoldsSizes(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.sizes = Sizes(3, torch.ones(2))

    def forward(self, x: Tensor):
        return self.sizes, x + self.sizes.n


def test_an_attribute_that_is_a_named_tuple_is_one_after_loading():
    sizes, total = again(torch.jit.script(HoldsSizes()))(torch.zeros(2))
    assert type(sizes).__name__ == "Sizes" and sizes.n == 3 and sizes.w.tolist() == [1, 1] and total.tolist() == [3, 3]


class Two(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        return self.linear(x) + 1

    def other(self, x, y):
        return self.linear(x) * y, x


def test_a_trace_of_two_methods_is_saved_with_both():
    x = torch.ones(1, 2)
    traced = torch.jit.trace_module(Two(), {"forward": x, "other": (x, 2 * x)})
    loaded = again(traced)
    assert list(loaded.state_dict()) == ["linear.weight", "linear.bias"]
    assert torch.equal(loaded(3 * x), traced(3 * x)) and torch.equal(loaded.other(x, 3 * x)[0], traced.other(x, 3 * x)[0])


class Branches(nn.Module):
    def forward(self, x):
        return x + 1 if float(x.sum()) > 0 else x

    def other(self, x):
        return x * int(x.sum())


def test_two_traced_methods_keep_their_guards():
    x = torch.ones(2)
    traced = torch.jit.trace_module(Branches(), {"forward": x, "other": x}, check_trace=False, control_flow="guard")
    loaded = again(traced)
    assert torch.equal(loaded(x), x + 1) and torch.equal(loaded.other(x), 2 * x)
    for method in (loaded.forward, loaded.other):
        with pytest.raises(RuntimeError, match="the graph was captured where"):
            method(-x)


class Modes(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.drop, self.norm = nn.Linear(2, 2), nn.Dropout(0.5), nn.BatchNorm1d(2)

    def forward(self, x):
        return self.norm(self.linear(x))

    def dropped(self, x):
        return self.drop(x) + 1

    def plain(self, x):
        return self.linear(x) * 2


def modes(net: Modes) -> Any:
    return torch.jit.trace_module(net, dict.fromkeys(("forward", "dropped", "plain"), torch.rand(3, 2)), check_trace=False)


def test_several_traced_methods_are_saved_in_both_modes():
    net = Modes()
    traced, x = modes(net), torch.rand(3, 2)
    loaded = again(traced)
    for mode in (True, False, True):
        for name in ("forward", "dropped", "plain"):
            results = []
            for module in (traced, loaded):
                torch.manual_seed(0)
                results.append(getattr(module.train(mode), name)(x))
            assert torch.equal(*results), (mode, name)


def test_a_method_beside_others_whose_graph_needs_an_order_of_keys_is_refused():
    class Joins(nn.Module):
        def forward(self, x):
            return x + 1

        def joined(self, d):
            return torch.cat(list(d.values()))

    x = torch.ones(2)
    traced = torch.jit.trace_module(Joins(), {"forward": x, "joined": ({"b": x, "a": 2 * x},)}, check_trace=False)
    with pytest.raises(NotImplementedError, match=r"joined\(\) of Joins depends on the order of a dict's keys"):
        torch.jit.save(traced, io.BytesIO())


@pytest.mark.oracle
def test_pytorch_runs_several_traced_methods_in_both_modes(oracle, tmp_path):
    net = Modes()
    traced, x = modes(net), torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 0.25]])
    traced.save(tmp_path / "modes.pt")
    found = oracle.run(
        f"""
loaded, x = torch.jit.load({str(tmp_path / "modes.pt")!r}), torch.tensor({x.tolist()})
result = []
for mode in (True, False):
    loaded.train(mode)
    result += [loaded(x).tolist(), loaded.plain(x).tolist(), [] if mode else loaded.dropped(x).tolist()]
"""
    )
    own = []
    for mode in (True, False):
        traced.train(mode)
        own += [traced(x).tolist(), traced.plain(x).tolist(), [] if mode else traced.dropped(x).tolist()]
    assert all(torch.allclose(torch.tensor(a), torch.tensor(b), rtol=1e-5, atol=1e-6) for a, b in zip(own, found, strict=True))


class AnyNumber(nn.Module):
    def inner(self, *xs: Tensor):
        return torch.cat(xs)

    def forward(self, x: Tensor):
        return self.inner(x, x)


@pytest.mark.parametrize("made", [AnyNumber, lambda: nn.GRU(3, 4), lambda: nn.LSTM(3, 4, proj_size=2), lambda: nn.RNN(3, 4)])
def test_a_method_that_compiles_only_where_it_is_called_is_in_the_code_of_its_caller(made):
    scripted = torch.jit.script(made())
    x = torch.ones(2, 1, 3)
    mine, loaded = scripted(x), again(scripted)(x)
    assert plain(mine) == plain(loaded)


class OwnState(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 3.0

    @torch.jit.export
    def __getstate__(self) -> int:
        return 1

    def forward(self, x: Tensor):
        return x * self.scale


def test_a_getstate_without_a_setstate_changes_nothing_of_the_archive():
    """As in PyTorch: an archive has the state of a module in the place of its attributes only if both methods are exported."""
    loaded = again(torch.jit.script(OwnState()))
    assert loaded.scale == 3.0 and torch.equal(loaded(torch.ones(2)), torch.full((2,), 3.0))


def test_what_an_archive_cannot_hold_is_refused():
    def least(x: list[str]):
        return min(x), max(x)

    with pytest.raises(NotImplementedError, match="PyTorch cannot express"):
        torch.jit.save(torch.jit.script(least), io.BytesIO())
