"""A zoo of programs through archives: scripted and traced, saved, and loaded by Python, by C++, by `monograph run` and by PyTorch, with equal results; and BERT as
transformers and PyTorch write it. The last test prints the counts."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import monograph as torch
import monograph.nn.functional as F
import numpy as np
import pytest
from monograph import nn
from networks import NETWORKS
from test_nn_cpp import PROGRAM as CPP
from test_torchscript import assert_equal
from test_training_graphs import small_minilm

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("MONOGRAPH_PROGRAM") or ROOT / "build" / "release" / "monograph")
BERT = ROOT / "tests" / "data" / "torchscript_zoo"


class Digits(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))
        self.drop, self.head = nn.Dropout(0.5), nn.Linear(64, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.log_softmax(self.head(self.drop(torch.flatten(self.features(x), 1))), dim=1)


class Packed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 4, batch_first=True, bidirectional=True)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        y, (h, _) = self.lstm(packed)
        padded, counts = nn.utils.rnn.pad_packed_sequence(y, batch_first=True)
        return padded, counts, h


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, enable_nested_tensor=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.encoder(x)


class Statistics(NamedTuple):
    mean: torch.Tensor
    count: int


class Averages:
    def __init__(self, start: float) -> None:
        self.total, self.count = start, 0

    def add(self, value: float) -> None:
        self.total += value
        self.count += 1


class WithClass(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        averages = Averages(0.5)
        for k in range(x.size(0)):
            averages.add(float(x[k].sum()))
        statistics = Statistics(x.mean(), averages.count)
        return x * averages.total + statistics.mean * statistics.count


class WithLoop(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.abs() + 1
        steps = 0
        while bool((y * y - x.abs() - 1).abs().max() > 1e-3) and steps < 40:
            y = 0.5 * (y + (x.abs() + 1) / y)
            steps += 1
        return y + steps


class WithBranch(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            return self.up(x)
        return self.down(x) - 1


ZOO: dict[str, tuple[Any, Any]] = {
    "digits CNN": (Digits, lambda: (torch.randn(2, 1, 8, 8),)),
    "ResNet": (NETWORKS["ResNet"][0], lambda: NETWORKS["ResNet"][1](2)),
    "MobileNetV2": (NETWORKS["MobileNetV2"][0], lambda: NETWORKS["MobileNetV2"][1](2)),
    "transformer encoder": (Encoder, lambda: (torch.randn(2, 5, 8),)),
    "LSTM, packed": (Packed, lambda: (torch.randn(3, 5, 3), torch.tensor([3, 5, 1]))),
    "MiniLM": (small_minilm, lambda: (torch.randint(0, 50, (2, 7)),)),
    "class": (WithClass, lambda: (torch.randn(3, 2),)),
    "loop": (WithLoop, lambda: (torch.randn(4),)),
    "branch": (WithBranch, lambda: (torch.randn(2, 4),)),
}
# What is refused, with a word of the error; an error is right, another value would not be.
REFUSED: dict[tuple[str, str], str] = {}


def leaves(value: Any) -> list[torch.Tensor]:
    return [p for v in value for p in leaves(v)] if isinstance(value, (tuple, list)) else [value]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: Any) -> tuple[Path, dict[tuple[str, str], tuple[Path, Any, Any]], dict[tuple[str, str], str]]:
    """The folder; of each program and way: its file, inputs and results; and what was refused."""
    folder = tmp_path_factory.mktemp("zoo")
    made, refused = {}, {}
    for name, (make, inputs) in ZOO.items():
        torch.manual_seed(0)
        net, given = make().eval(), inputs()
        with torch.no_grad():
            expected = leaves(net(*given))
        for way in ("script", "trace"):
            try:
                captured = torch.jit.script(net) if way == "script" else torch.jit.trace(net, given, check_trace=False)
                file = folder / f"{name.replace(' ', '_').replace(',', '')}_{way}.pt"
                torch.jit.save(captured, str(file))
                made[name, way] = (file, given, expected)
            except (RuntimeError, NotImplementedError, TypeError) as error:
                refused[name, way] = str(error)
    for file in sorted(BERT.glob("bert*.pt")):
        for k, (given, expected) in enumerate(torch.load(BERT / "expected.pt")["runs"][file.stem]):
            made[file.stem, f"PyTorch's, input {k}"] = (file, given, leaves(expected))
            again = folder / file.name
            torch.jit.save(torch.jit.load(str(file)), str(again))
            made[file.stem, f"PyTorch's, saved again, input {k}"] = (again, given, leaves(expected))
    return folder, made, refused


def test_what_is_refused_says_why(saved: Any) -> None:
    _, _, refused = saved
    assert {key: word for key, word in REFUSED.items() if word in refused.get(key, "")} == REFUSED, refused
    assert set(refused) == set(REFUSED), {key: refused[key] for key in set(refused) - set(REFUSED)}


def test_python_loads_them(saved: Any) -> None:
    for file, given, expected in saved[1].values():
        with torch.no_grad():
            assert_equal(leaves(torch.jit.load(str(file))(*given)), expected)


@pytest.mark.parametrize("lengths", [[5, 5, 5], [1, 2, 5], [2, 5], [4, 5, 2, 3]])
def test_a_trace_of_lengths_refuses_others(saved: Any, lengths: list[int]) -> None:
    """pack_padded_sequence reads the lengths as numbers, which the trace has as guards."""
    loaded = torch.jit.load(str(saved[1]["LSTM, packed", "trace"][0]))
    with pytest.raises(RuntimeError, match="the graph was captured where"):
        loaded(torch.randn(len(lengths), 5, 3), torch.tensor(lengths))


def test_cpp_loads_them(saved: Any) -> None:
    if not CPP.exists():
        pytest.skip("the release build's nn_api_test is not built")
    folder, made, _ = saved
    cases = list(made.values())
    torch.save({f"{n}.{k}": x for n, (_, given, _) in enumerate(cases) for k, x in enumerate(given)}, folder / "inputs.pt")
    (folder / "cases.txt").write_text("".join(f"@{file}\teval\t{len(given)}\n" for file, given, _ in cases))
    environment = {**os.environ, "MONOGRAPH_LAYER_CASES": str(folder)}
    done = subprocess.run([CPP, "--gtest_filter=NnApi.RunsTheCasesOfAFolder"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "errors.txt").read_text() == ""
    for n, (_, _, expected) in enumerate(cases):
        for k, value in enumerate(expected):
            flat = np.frombuffer((folder / f"{n}.{k}.bin").read_bytes(), dtype=value.numpy().dtype)
            assert_equal(torch.from_numpy(flat.copy()), value.flatten())


def test_the_program_runs_them(saved: Any) -> None:
    if not PROGRAM.exists():
        pytest.skip("the release build's program is not built")
    folder, made, _ = saved
    for file, given, expected in made.values():
        command = [str(PROGRAM), "run", str(file)]
        for k, x in enumerate(given):
            np.save(folder / f"in{k}.npy", x.numpy())
            command += ["--input", str(folder / f"in{k}.npy")]
        for k in range(len(expected)):
            command += ["--output", str(folder / f"out{k}.npy")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{file.name}: {done.stderr}"
        for k, value in enumerate(expected):
            assert_equal(torch.from_numpy(np.load(folder / f"out{k}.npy")), value)


@pytest.mark.oracle
def test_pytorch_loads_them(saved: Any, oracle: Any) -> None:
    for (name, way), (file, given, expected) in saved[1].items():
        got = oracle.run(
            "def leaves(v): return [p for x in v for p in leaves(x)] if isinstance(v, (tuple, list)) else [v]\n"
            "with torch.no_grad(): result = leaves(torch.jit.load(file)(*inputs))",
            file=str(file),
            inputs=[x.numpy() for x in given],
        )
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a, b.numpy(), rtol=1e-4, atol=1e-5, err_msg=f"{name}, {way}")


def test_the_counts(saved: Any) -> None:
    _, made, refused = saved
    print(f"{len(made)} archives of {len({name for name, _ in made})} programs, {len(refused)} refused:", dict(Counter(way for _, way in made)))
    assert len(made) == 26 and not refused
