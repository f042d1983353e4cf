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


def test_two_traced_methods_with_guards_are_refused():
    x = torch.ones(2)
    traced = torch.jit.trace_module(Branches(), {"forward": x, "other": x}, check_trace=False, control_flow="guard")
    with pytest.raises(NotImplementedError, match=r"has guards.*forward, other; trace each in a module of its own"):
        torch.jit.save(traced, io.BytesIO())


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
    @torch.jit.export
    def __getstate__(self) -> int:
        return 1

    def forward(self, x: Tensor):
        return x


def test_what_an_archive_cannot_hold_is_refused(tmp_path):
    with pytest.raises(NotImplementedError, match=r"OwnState exports __getstate__"):
        torch.jit.save(torch.jit.script(OwnState()), io.BytesIO())

    def least(x: list[str]):
        return min(x), max(x)

    with pytest.raises(NotImplementedError, match="PyTorch cannot express"):
        torch.jit.save(torch.jit.script(least), io.BytesIO())
