"""Modules whose __getstate__ and __setstate__ are compiled: tools/oracle/freeze_torchscript_state.py writes the archives and PyTorch's results."""

from __future__ import annotations

import io
from pathlib import Path

import monograph as torch
import pytest

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
        assert loaded._archive.unmade()[0] == ["w", "cache"]
        assert loaded.loads == 2 and loaded._archive.unmade()[0] == ["w", "cache"]  # only taken out of the state
        assert use(loaded) and loaded._archive.unmade()[0] == []


def test_the_mode_that_is_set_before_the_first_use_stays() -> None:
    loaded = torch.jit.load(DATA / "computed.pt").eval()
    loaded(torch.ones(1, 3))
    assert not loaded.training and not again(loaded).training


def test_a_weight_that_is_trained_is_in_the_next_archive() -> None:
    loaded = torch.jit.load(DATA / "computed.pt")
    loaded(torch.ones(1, 3))
    with torch.no_grad():
        loaded.w.fill_(1)
    assert again(loaded).w.tolist() == [[1, 1]] * 3 and again(loaded)(torch.ones(1, 3)).tolist() == [[9, 9]]
