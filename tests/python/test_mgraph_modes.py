"""A saved trace or script holds both modes of its module: train() and eval() of the loaded graph choose, and so does `monograph run --mode`."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import monograph as torch
import numpy as np
import pytest
from monograph import nn

PROGRAM = Path(__file__).resolve().parents[2] / "build" / "release" / "monograph"


class Mixed(nn.Module):
    """Asks for its own mode, and has layers that differ by theirs."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.drop = nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.drop(self.norm(self.first(x)))
        if self.training:
            y = y * 2
        return torch.relu(y)


class OneResult(nn.Module):
    """In training it gives two results."""

    def forward(self, x: torch.Tensor):
        return (x, x + 1) if self.training else x * 3


def made() -> Mixed:
    torch.manual_seed(1)
    return Mixed()


def captures(net: nn.Module, x: torch.Tensor):
    return {"trace": torch.jit.trace(net, x), "script": torch.jit.script(net)}


def outputs(f, x: torch.Tensor):
    torch.manual_seed(3)
    return f(x)


def test_doctor_finds_nothing_wrong_in_a_file_of_both_modes(tmp_path: Path) -> None:
    captures(made(), torch.randn(4, 6))["trace"].save(tmp_path / "net.mgraph")
    done = subprocess.run([PROGRAM, "doctor", "net.mgraph"], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("how", ["trace", "script"])
@pytest.mark.parametrize("training", [False, True])
def test_a_file_holds_both_modes(how: str, training: bool, tmp_path: Path) -> None:
    net = made().train(training)
    captures(net, torch.randn(4, 6))[how].save(tmp_path / "net.mgraph")
    for mode in (training, not training, training):
        for rows in (2, 5):
            x, loaded = torch.randn(rows, 6), torch.load_graph(tmp_path / "net.mgraph").train(mode)
            eager = made().train(mode)
            eager.load_state_dict(net.state_dict())
            assert torch.equal(outputs(loaded, x), outputs(eager, x))
            # What training writes is written in the loaded graph's buffers too.
            state = loaded.state_dict()
            for name in ("norm.running_mean", "norm.running_var", "norm.num_batches_tracked"):
                assert torch.equal(state[name], eager.state_dict()[name]), name


@pytest.mark.parametrize("how", ["trace", "script"])
def test_the_mode_of_one_loaded_graph_changes_back_and_forth(how: str, tmp_path: Path) -> None:
    net = made().eval()
    captures(net, torch.randn(4, 6))[how].save(tmp_path / "net.mgraph")
    loaded, x = torch.load_graph(tmp_path / "net.mgraph"), torch.randn(3, 6)
    assert torch.equal(loaded(x), net(x))
    net.train()
    assert torch.equal(outputs(loaded.train(), x), outputs(net, x))
    net.eval()
    assert torch.equal(loaded.eval()(x), net(x))
    # Saved again, and copied, it has the mode that it is in.
    loaded.train().save(tmp_path / "again.mgraph")
    again = torch.load_graph(tmp_path / "again.mgraph")
    net.train()
    assert torch.equal(outputs(again, x), outputs(net, x))


@pytest.mark.parametrize("how", ["trace", "script"])
def test_the_command_runs_either_mode(how: str, tmp_path: Path) -> None:
    net = made().eval()
    captures(net, torch.randn(4, 6))[how].save(tmp_path / "net.mgraph")
    x = torch.randn(3, 6)
    np.save(tmp_path / "x.npy", x.numpy())
    for mode in ("eval", "train"):
        command = [PROGRAM, "run", "net.mgraph", "--input", "x=x.npy", "--output", "y.npy", "--mode", mode, "--seed", "3"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        expected = outputs(net.train(mode == "train"), x).detach().numpy()
        np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected, rtol=1e-6, atol=1e-6)
    shown = json.loads(subprocess.run([PROGRAM, "info", "net.mgraph", "--json"], cwd=tmp_path, check=True, capture_output=True).stdout)
    assert set(shown["functions"][0]["modes"].values()) == {"evaluation"}


def test_a_program_that_reads_no_mode_has_none(tmp_path: Path) -> None:
    torch.jit.trace(nn.Linear(2, 2), torch.ones(1, 2)).save(tmp_path / "plain.mgraph")
    with pytest.raises(RuntimeError, match=r"eval\(\) of a graph: it reads the mode of no module"):
        torch.load_graph(tmp_path / "plain.mgraph").eval()
    failed = subprocess.run([PROGRAM, "run", "plain.mgraph", "--input", "random", "--mode", "eval"], cwd=tmp_path, capture_output=True, text=True)
    assert failed.returncode == 2
    assert "reads the mode of no module" in failed.stderr


def test_modes_that_do_not_join_are_saved_apart(tmp_path: Path) -> None:
    net = OneResult().eval()
    torch.jit.trace(net, torch.ones(2)).save(tmp_path / "one.mgraph")
    loaded = torch.load_graph(tmp_path / "one.mgraph")
    assert torch.equal(loaded(torch.ones(3)), torch.full((3,), 3.0))
    with pytest.raises(RuntimeError, match="reads the mode of no module"):
        loaded.train()


def test_an_edited_graph_is_saved_as_it_is(tmp_path: Path) -> None:
    traced = torch.jit.trace(made().eval(), torch.randn(2, 6))
    for node in traced.inlined_graph.nodes:
        if node.op == "call_function" and "relu" in str(node.target):
            node.target = torch.ops.aten.tanh.default
    traced.save(tmp_path / "edited.mgraph")
    loaded, x = torch.load_graph(tmp_path / "edited.mgraph"), torch.randn(3, 6)
    assert torch.equal(loaded(x), traced(x))
    with pytest.raises(RuntimeError, match="reads the mode of no module"):
        loaded.train()


def test_a_mix_of_modes_that_the_file_lacks_raises(tmp_path: Path) -> None:
    """Frozen statistics: saved with one layer in evaluation, the others in training."""
    net = made().train()
    net.norm.eval()
    torch.jit.trace(net, torch.randn(4, 6)).save(tmp_path / "mixed.mgraph")
    loaded, x = torch.load_graph(tmp_path / "mixed.mgraph"), torch.randn(3, 6)
    assert torch.equal(outputs(loaded, x), outputs(net, x))
    with pytest.raises(RuntimeError, match="is in one of them and the rest in the other"):
        loaded.eval()(x)


class Asks(nn.Module):
    """Its symbolic trace in evaluation has no trace of what training does."""

    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        if self.training:
            return self.drop(x) * 0 + 5
        return self.drop(x)


def test_a_symbolic_trace_that_read_its_mode_is_saved_for_it(tmp_path: Path) -> None:
    gm, x = torch.fx.symbolic_trace(Asks().eval()), torch.ones(3)
    torch.jit.save(gm, tmp_path / "asks.pt")
    loaded = torch.jit.load(tmp_path / "asks.pt")
    assert torch.equal(loaded(x), x)
    with pytest.raises(RuntimeError, match="compiled for evaluation"):
        loaded.train()(x)
    scripted = torch.jit.script(gm)
    assert torch.equal(scripted(x), x)
    with pytest.raises(RuntimeError, match="is a symbolic trace that read its mode, and its code is that of evaluation"):
        scripted.train()(x)


def test_a_symbolic_trace_that_read_no_mode_is_saved_with_both(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5)).eval()
    torch.jit.save(torch.fx.symbolic_trace(net), tmp_path / "net.mgraph")
    loaded, x = torch.load_graph(tmp_path / "net.mgraph"), torch.randn(4, 3)
    assert torch.equal(loaded(x), net(x))
    assert torch.equal(outputs(loaded.train(), x), outputs(net.train(), x))
    assert torch.equal(loaded.eval()(x), net.eval()(x))


class Own(nn.Module):
    """Asks for its own mode, and calls layers that differ by theirs."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Sequential(nn.Dropout(0.5), nn.ReLU()))

    def forward(self, x):
        return self.body(x) * (2 if self.training else 1)


@pytest.mark.parametrize("how", ["auto", "symbolic", "trace"])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("made_net", [lambda: Own(), lambda: Own().body])
def test_a_capture_is_saved_with_both_modes(how: str, training: bool, made_net, tmp_path: Path) -> None:
    torch.manual_seed(1)
    net = made_net().train(training)
    state = {name: t.clone() for name, t in net.state_dict().items()}
    captured = torch.capture(net, torch.randn(4, 3), how=how, check=False)
    captured.save(tmp_path / "net.mgraph")
    assert all(m.training == training for m in net.modules()), "saving has changed a mode"
    for mode in (training, not training):
        loaded, x = torch.load_graph(tmp_path / "net.mgraph").train(mode), torch.randn(5, 3)
        net.load_state_dict(state)
        assert torch.equal(outputs(loaded, x), outputs(net.train(mode), x))


@pytest.mark.parametrize("training", [False, True])
def test_a_graph_is_of_one_mode_and_says_which(training: bool, tmp_path: Path) -> None:
    traced = torch.jit.trace(made().train(training), torch.randn(4, 6), check_trace=False)
    traced.inlined_graph.save(tmp_path / "one.mgraph")
    assert not any(line.startswith("the mode of") for line in traced.inlined_graph.relied_on)
    loaded, word = torch.load_graph(tmp_path / "one.mgraph"), "training" if training else "evaluation"
    assert f"the mode of norm is {word}" in loaded.relied_on
    assert loaded.train(training) is loaded
    with pytest.raises(RuntimeError, match=rf"it holds for {word} alone.*traced\.save\('model\.mgraph'\)"):
        loaded.train(not training)
    shown = subprocess.run([PROGRAM, "info", "one.mgraph"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert f"the mode of norm is {word}" in shown
