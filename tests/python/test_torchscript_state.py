"""Modules whose __getstate__ and __setstate__ are compiled: tools/oracle/freeze_torchscript_state.py writes the archives and PyTorch's results."""

from __future__ import annotations

import copy
import io
import re
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Tuple

import monograph as torch
import pytest
from monograph import Tensor, nn

# ruff: noqa: UP006, UP035

DATA = Path(__file__).resolve().parents[1] / "data" / "torchscript_state"
EXPECTED = torch.load(DATA / "expected.pt")


def again(module):
    file = io.BytesIO()
    torch.jit.save(module, file)
    file.seek(0)
    return torch.jit.load(file)


@pytest.mark.parametrize("name", list(EXPECTED))
def test_results_are_pytorchs(name: str) -> None:
    """Also those of the archive that is written of the loaded one: it holds what __getstate__ gives then."""
    inputs, first, second, training, names = EXPECTED[name]
    loaded = torch.jit.load(DATA / f"{name}.pt")
    assert loaded.training is training
    assert torch.equal(loaded(*inputs), first) and loaded(*inputs).dtype is first.dtype and sorted(loaded.state_dict()) == names
    assert torch.equal(again(loaded)(*inputs), second)
    assert torch.equal(again(torch.jit.load(DATA / f"{name}.pt"))(*inputs), second)  # of one that was not used


def test_nothing_runs_while_a_file_is_loaded() -> None:
    """__setstate__ runs at the first use: a call, an attribute that it makes, the parameters."""
    for use in (lambda m: len(list(m.parameters())) == 2, lambda m: set(m.state_dict()) == {"w", "b"}, lambda m: m.cache["w"].shape == (2, 3)):
        loaded = torch.jit.load(DATA / "computed.pt")
        assert loaded._archive.unmade()[0] == ["w", "b", "cache"]
        assert loaded.loads == 2 and loaded._archive.unmade()[0] == ["w", "b", "cache"]  # only taken out of the state
        assert use(loaded) and loaded._archive.unmade()[0] == []


def test_the_mode_that_is_set_before_the_first_use_stays() -> None:
    loaded = torch.jit.load(DATA / "computed.pt").eval()
    loaded(torch.ones(1, 3))
    assert not loaded.training and not again(loaded).training


class Mode(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.dropout(x, 0.5, self.training)

    @torch.jit.export
    def __getstate__(self) -> tuple[int, bool]:
        return (3, self.training)

    @torch.jit.export
    def __setstate__(self, state: tuple[int, bool]) -> None:
        self.training = state[1]


def test_the_mode_that_a_setstate_with_names_of_its_own_gives(tmp_path: Path) -> None:
    """PyTorch writes the names of the program: here, `me` stands for self."""
    torch.jit.save(torch.jit.script(Mode()).eval(), tmp_path / "self.pt")
    with zipfile.ZipFile(tmp_path / "self.pt") as old, zipfile.ZipFile(tmp_path / "me.pt", "w") as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, re.sub(rb"\bself\b", b"me", text) if name.endswith(".py") else text)
    x = torch.ones(100)
    loaded = torch.jit.load(tmp_path / "me.pt")
    assert not loaded.training and torch.equal(loaded(x), x)
    assert (torch.jit.load(tmp_path / "me.pt").train()(x) == 0).any()
    assert torch.equal(torch.jit.load(tmp_path / "me.pt").eval()(x), x)


def test_a_weight_that_is_trained_is_in_the_next_archive() -> None:
    loaded = torch.jit.load(DATA / "computed.pt")
    loaded(torch.ones(1, 3))
    with torch.no_grad():
        loaded.w.fill_(1)
    assert again(loaded).w.tolist() == [[1, 1]] * 3 and again(loaded)(torch.ones(1, 3)).tolist() == [[9, 9]]


# --- Modules of this process ------------------------------------------------------------------------------------------------------------


class Taken(nn.Module):
    """Its __setstate__ takes the attributes out of the state."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("w", torch.arange(4.0))
        self.scale = 2.0
        self.names = ["a", "b"]

    def forward(self, x: Tensor) -> Tensor:
        return x * self.w * self.scale + len(self.names)

    @torch.jit.export
    def __getstate__(self) -> Tuple[Tensor, float, List[str], bool]:
        return (self.w, self.scale, self.names, self.training)

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, float, List[str], bool]) -> None:
        self.w = state[0]
        self.scale = state[1]
        self.names = state[2]
        self.training = state[3]


class Computed(nn.Module):
    """Its __setstate__ computes them, with a loop and a call of another method."""

    cache: Dict[str, Tensor]

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.arange(6.0).reshape(3, 2))
        self.b = nn.Parameter(torch.zeros(2))
        self.loads = 1
        self.cache = {"w": self.w.detach().t()}

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(x, self.cache["w"], self.b) * self.loads

    @torch.jit.export
    def rebuilt(self, w: Tensor) -> Dict[str, Tensor]:
        made: Dict[str, Tensor] = {}
        for i in range(3):
            if i > 1:
                made["w"] = w.detach().t()
        return made

    @torch.jit.export
    def __getstate__(self) -> Tuple[Tensor, Tensor, int, bool]:
        return self.w * 2, self.b, self.loads + 1, self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, Tensor, int, bool]) -> None:
        self.w = state[0] / 2
        self.b = state[1]
        self.loads = state[2]
        self.cache = self.rebuilt(self.w)
        self.training = state[3]


class Both(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.taken = Taken()
        self.computed = Computed()

    def forward(self, x: Tensor) -> Tensor:
        return self.taken(x).sum() + self.computed(x[:3])


MADE = {"taken": lambda: Taken().eval(), "computed": Computed, "both": Both}


@pytest.mark.parametrize("name", list(MADE))
def test_an_archive_holds_what_getstate_gives(name: str) -> None:
    """Of a part too: its attributes were in the archive as they are, and PyTorch's has what __getstate__ gives."""
    inputs, first, second, training, names = EXPECTED[name]
    module = MADE[name]()
    scripted = torch.jit.script(module)
    assert torch.equal(scripted(*inputs), module(*inputs))
    loaded = again(scripted)
    assert torch.equal(loaded(*inputs), first) and loaded.training is training and sorted(loaded.state_dict()) == names
    assert torch.equal(again(loaded)(*inputs), second) and torch.equal(scripted(*inputs), module(*inputs))


class Writes(nn.Module):
    """Its __setstate__ writes to what it takes out of the state."""

    def __init__(self) -> None:
        super().__init__()
        self.l: List[int] = [1]
        self.t = torch.zeros(2)
        self.d: Dict[str, int] = {"a": 1}

    def forward(self, x: Tensor) -> Tensor:
        return x * len(self.l) + self.t + self.d["a"] + len(self.d)

    @torch.jit.export
    def __getstate__(self) -> Tuple[List[int], Tensor, Dict[str, int], bool]:
        return self.l, self.t, self.d, self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[List[int], Tensor, Dict[str, int], bool]) -> None:
        self.training = state[3]
        self.l = state[0]
        self.l.append(7)
        self.t = state[1]
        self.t.add_(5)
        self.d = state[2]
        self.d["b"] = 3


class AddsOne(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.k = 3

    def forward(self, x: Tensor) -> Tensor:
        return x * self.k

    @torch.jit.export
    def __getstate__(self) -> Tuple[int, bool]:
        return self.k, self.training

    @torch.jit.export
    def __setstate__(self, state: Tuple[int, bool]) -> None:
        if state[0] > 5:
            raise ValueError("bad state")
        self.k = state[0] + 1
        self.training = state[1]


def test_what_setstate_writes_in_place_is_kept() -> None:
    x = torch.ones(2)
    scripted = torch.jit.script(Writes())
    loaded = again(scripted)
    assert scripted(x).tolist() == [3, 3] and loaded(x).tolist() == loaded(x).tolist() == [10, 10]
    assert loaded.l == [1, 7] and loaded.t.tolist() == [5, 5] and loaded.d == {"a": 1, "b": 3}
    assert again(loaded)(x).tolist() == [16, 16]


@pytest.mark.parametrize("how", [copy.deepcopy, again])
@pytest.mark.parametrize("inner", [False, True])
def test_a_copy_runs_both(how: Any, inner: bool) -> None:
    module = nn.Sequential(AddsOne()) if inner else AddsOne()
    assert how(torch.jit.script(module))(torch.ones(1)).tolist() == [4]


def test_a_setstate_that_raises() -> None:
    module = AddsOne()
    module.k = 6
    with pytest.raises(Exception, match="bad state"):
        again(torch.jit.script(module))(torch.ones(1))


def test_types_that_do_not_fit_are_not_saved() -> None:
    class Other(AddsOne):
        @torch.jit.export
        def __setstate__(self, state: Tuple[str, bool]) -> None:
            self.k = len(state[0])
            self.training = state[1]

    with pytest.raises(RuntimeError, match="'__getstate__'s return type .* does not match '__setstate__'s argument type "):
        again(torch.jit.script(Other()))


@pytest.mark.oracle
def test_pytorch_loads_them(oracle: Any, tmp_path: Path) -> None:
    paths = {}
    for name, make in MADE.items():
        scripted = torch.jit.script(make())
        for kind, program in (("own", scripted), ("again", again(scripted))):
            paths[f"{name} {kind}"] = str(tmp_path / f"{name}_{kind}.pt")
            torch.jit.save(program, paths[f"{name} {kind}"])
    answers = oracle.run(
        "result = []\nfor name, path in paths.items():\n    f = torch.jit.load(path)\n    n = 3 if name.startswith('computed') else 4\n"
        "    result.append(f(torch.ones(1, 3) if n == 3 else torch.ones(4)).detach())\n",
        paths=paths,
    )
    for name, got in zip(paths, answers, strict=True):
        _, first, second, _, _ = EXPECTED[name.split()[0]]
        assert torch.equal(torch.as_tensor(got), first if name.endswith("own") else second), name


def test_a_list_of_the_state_keeps_its_type() -> None:
    class Named(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.names: List[str] = ["a"]
            self.empty: List[int] = []

        def forward(self, x: Tensor) -> Tensor:
            return x * len(self.names) + len(self.empty)

        @torch.jit.export
        def __getstate__(self) -> Tuple[List[str], List[int], bool]:
            return self.names, self.empty, self.training

        @torch.jit.export
        def __setstate__(self, state: Tuple[List[str], List[int], bool]) -> None:
            self.names = state[0]
            self.empty = state[1]
            self.training = state[2]

    scripted = torch.jit.script(Named())
    scripted.names.append("b")
    assert again(scripted)(torch.ones(1)).item() == 2 and again(scripted).names == ["a", "b"] and again(scripted).empty == []
