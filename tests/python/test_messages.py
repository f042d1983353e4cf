"""The messages of wrong calls, as a user reads them: tests/errors/NAME.txt holds the message of the call NAME.

MONOGRAPH_WRITE_MESSAGES=1 writes the files again; read what changed. In them DIR is a fresh folder, and HERE:LINE a line of this file.
"""

from __future__ import annotations

import os
import re
import subprocess
import warnings
from collections.abc import Callable
from pathlib import Path

import monograph as torch
import monograph.nn as nn
import monograph.nn.functional as F
import numpy as np
import pytest
from monograph import fx

ROOT = Path(__file__).resolve().parents[2]
MESSAGES = ROOT / "tests" / "errors"
PROGRAM = Path(os.environ.get("MONOGRAPH_PROGRAM") or ROOT / "build" / "release" / "monograph")


class Tiny(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.fc(x))


class WithoutSuper(nn.Module):
    def __init__(self) -> None:
        self.fc = nn.Linear(2, 2)


def branch(x):
    if x.sum() > 0:
        return x
    return -x


def catches(x):
    try:
        return x @ torch.ones(7, 7)
    except RuntimeError:
        return x


def backward_twice():
    y = (torch.ones(2, requires_grad=True) ** 2).sum()
    y.backward()
    y.backward()


def modified_in_place():
    y = torch.ones(2, requires_grad=True).exp()
    y.add_(1)
    y.sum().backward()


def write_outside():
    total = torch.ones(2)
    torch.jit.trace(lambda x: total.add_(x), torch.ones(2))


def grad_from_outside():
    w = torch.ones(2, requires_grad=True) * 2
    torch.jit.trace(lambda x: x * w, torch.ones(2))


def erase_used():
    graph = fx.symbolic_trace(Tiny()).graph
    graph.erase_node(list(graph.nodes)[1])


def node_of_another_graph():
    a, b = fx.symbolic_trace(lambda x: x + 1).graph, fx.symbolic_trace(lambda x: x * 2).graph
    list(a.nodes)[1].args = (list(b.nodes)[0], 1)


def counts():
    calls: list[int] = []

    def f(x):
        calls.append(1)
        return x * len(calls)

    torch.capture(f, torch.ones(2))


CALLS: dict[str, Callable[[], object]] = {
    # Shapes
    "matmul_shapes": lambda: torch.ones(2, 3) @ torch.ones(2, 3),
    "linear_features": lambda: nn.Linear(3, 4)(torch.ones(2, 5)),
    "add_sizes": lambda: torch.ones(2, 3) + torch.ones(4),
    "cat_sizes": lambda: torch.cat([torch.ones(2, 3), torch.ones(2, 4)]),
    "view_size": lambda: torch.ones(2, 3).view(4, 2),
    "view_strides": lambda: torch.ones(2, 3).t().view(6),
    "reshape_two_unknown": lambda: torch.ones(4).reshape(-1, -1),
    "expand_size": lambda: torch.ones(2, 3).expand(4, 3),
    "dim_range": lambda: torch.ones(2, 3).sum(2),
    "index_range": lambda: torch.ones(3)[5],
    "index_by_floats": lambda: torch.ones(3)[torch.ones(2)],
    "conv_channels": lambda: F.conv2d(torch.ones(1, 3, 8, 8), torch.ones(4, 2, 3, 3)),
    "cross_entropy_batch": lambda: F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2])),
    "embedding_range": lambda: nn.Embedding(4, 2)(torch.tensor([1, 9])),
    # Dtypes and types
    "mm_dtypes": lambda: torch.ones(2, 2).mm(torch.ones(2, 2, dtype=torch.float64)),
    "mean_of_ints": lambda: torch.ones(3, dtype=torch.int64).mean(),
    "bitwise_of_floats": lambda: torch.ones(2) & torch.ones(2),
    "in_place_result": lambda: torch.ones(2, dtype=torch.int64).add_(1.5),
    "missing_argument": lambda: torch.softmax(torch.ones(3)),
    "missing_operand": lambda: torch.add(torch.ones(2)),
    "unknown_keyword": lambda: torch.sum(torch.ones(2), axes=0),
    "list_for_tensor": lambda: torch.relu([1.0, 2.0]),
    "dtype_as_text": lambda: torch.ones(2, dtype="float32"),
    "item_of_many": lambda: torch.ones(3).item(),
    "bool_of_many": lambda: bool(torch.ones(3)),
    "tensor_of_text": lambda: torch.tensor("abc"),
    "ragged_list": lambda: torch.tensor([[1, 2], [3]]),
    # Names that are missing
    "missing_name": lambda: torch.compile(Tiny()),
    "unknown_operator": lambda: torch.ops.aten.nope(torch.ones(2)),
    "unknown_namespace": lambda: torch.ops.nowhere_at_all.an_operator(torch.ones(2)),
    "cuda": lambda: torch.ones(2, device="cuda"),
    # Gradients and modules
    "leaf_in_place": lambda: torch.ones(2, requires_grad=True).add_(1),
    "backward_twice": backward_twice,
    "backward_of_many": lambda: (torch.ones(2, requires_grad=True) * 2).backward(),
    "backward_without_grad": lambda: torch.ones(2).sum().backward(),
    "modified_in_place": modified_in_place,
    "numpy_of_grad": lambda: torch.ones(2, requires_grad=True).numpy(),
    "state_dict_key": lambda: Tiny().load_state_dict({"fc.weight": torch.ones(4, 3)}),
    "state_dict_size": lambda: nn.Linear(3, 4).load_state_dict({"weight": torch.ones(4, 2), "bias": torch.ones(4)}),
    "without_super": WithoutSuper,
    # Symbolic traces
    "fx_branch": lambda: fx.symbolic_trace(branch),
    "fx_iteration": lambda: fx.symbolic_trace(lambda x: [y * 2 for y in x]),
    "fx_len": lambda: fx.symbolic_trace(lambda x: x * len(x)),
    "fx_number": lambda: fx.symbolic_trace(lambda x: x * int(x[0])),
    "fx_size_as_number": lambda: fx.symbolic_trace(lambda x: [x * i for i in range(x.shape[0])]),
    "fx_text": lambda: fx.symbolic_trace(lambda x: x * len(f"{x.shape[0]}")),
    "fx_isinstance": lambda: fx.symbolic_trace(lambda x: x if isinstance(x, torch.Tensor) else x),
    "fx_key": lambda: fx.symbolic_trace(lambda x: {1: 2}[x]),
    # Traces and captures
    "trace_class": lambda: torch.jit.trace(nn.Linear, torch.ones(2, 3)),
    "trace_arguments": lambda: torch.jit.trace(lambda x, y: x + y, torch.ones(2)),
    "trace_number": lambda: torch.jit.trace(lambda x, n: x * n, (torch.ones(2), 3)),
    "trace_numpy": lambda: torch.jit.trace(lambda x: torch.tensor(x.numpy()), torch.ones(2)),
    "trace_try": lambda: torch.jit.trace(catches, torch.ones(2, 3)),
    "trace_write_outside": write_outside,
    "trace_grad_from_outside": grad_from_outside,
    "trace_control_flow": lambda: torch.jit.trace(branch, torch.ones(2), control_flow="error"),
    "trace_keep": lambda: torch.jit.trace(branch, torch.ones(2), control_flow="keep"),
    "capture_how": lambda: torch.capture(branch, torch.ones(2), how="script"),
    "capture_without_example": lambda: torch.capture(branch),
    "capture_state": counts,
    "cond_many": lambda: torch.cond(torch.ones(2), lambda x: x, lambda x: -x, (torch.ones(2),)),
    "cond_results": lambda: torch.jit.trace(lambda x: torch.cond(x.sum() > 0, lambda a: a, lambda a: (a, a), (x,)), torch.ones(2)),
    "while_loop_results": lambda: torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1,), (torch.tensor(0), torch.ones(2))),
    # Graphs
    "guard": lambda: torch.capture(branch, torch.ones(2))(-torch.ones(2)),
    "graph_missing_input": lambda: fx.symbolic_trace(Tiny()).graph(),
    "graph_input_kind": lambda: torch.jit.trace(Tiny(), torch.ones(1, 3)).inlined_graph([1.0]),
    "graph_input_dims": lambda: torch.jit.trace(Tiny(), torch.ones(1, 3)).inlined_graph(torch.ones(2, 3, 4)),
    "graph_erase_used": erase_used,
    "graph_foreign_node": node_of_another_graph,
    # Files
    "load_missing": lambda: torch.load_graph("DIR/nope.mgraph"),
    "load_other": lambda: torch.load_graph("DIR/other.mgraph"),
    "load_truncated": lambda: torch.load_graph("DIR/short.mgraph"),
    "save_nowhere": lambda: torch.capture(lambda x: x + 1, torch.ones(2)).graph.save("DIR/none/x.mgraph"),
    "run_without_weights": lambda: torch.load_graph("DIR/big.txt")(torch.ones(1, 8)),
}

# Arguments of the program `monograph`, in a folder with the files below.
COMMANDS: dict[str, list[str]] = {
    "cli_verb": ["rum", "tiny.mgraph"],
    "cli_option": ["run", "tiny.mgraph", "--imput", "random:2x3:float32"],
    "cli_no_file": ["run"],
    "cli_missing_file": ["run", "nope.mgraph"],
    "cli_missing_input": ["run", "tiny.mgraph"],
    "cli_unknown_input": ["run", "tiny.mgraph", "--input", "y=random:2x3:float32"],
    "cli_too_many_inputs": ["run", "tiny.mgraph", "--input", "random", "--input", "random"],
    "cli_dtype_name": ["run", "tiny.mgraph", "--input", "random:2x3:float31"],
    "cli_input_dtype": ["run", "tiny.mgraph", "--input", "random:2x3:int64"],
    "cli_input_array": ["run", "tiny.mgraph", "--input", "x.npy"],
    "cli_input_dims": ["run", "tiny.mgraph", "--input", "random:2x3x4:float32"],
    "cli_input_features": ["run", "tiny.mgraph", "--input", "random:2x5:float32"],
    "cli_form": ["print", "tiny.mgraph", "--form", "xml"],
    "cli_suffix": ["convert", "tiny.mgraph", "tiny.onnx"],
    "cli_text": ["print", "broken.txt"],
    "cli_weights": ["run", "big.txt", "--input", "random:1x8:float32"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("messages")
    torch.jit.trace(Tiny(), torch.ones(1, 3)).inlined_graph.save(path / "tiny.mgraph")
    torch.capture(nn.Linear(8, 4), torch.ones(1, 8)).graph.save(path / "big.mgraph")
    subprocess.run([PROGRAM, "convert", "big.mgraph", "big.txt"], cwd=path, check=True, capture_output=True)
    (path / "other.mgraph").write_bytes(b"hello world")
    (path / "short.mgraph").write_bytes((path / "tiny.mgraph").read_bytes()[:200])
    (path / "broken.txt").write_text("graph(%x : Tensor):\n  %y = aten::relu(%z)\n  return (%y)\n")
    np.save(path / "x.npy", np.ones((2, 3)))
    return path


def compare(name: str, text: str) -> None:
    path = MESSAGES / f"{name}.txt"
    if os.environ.get("MONOGRAPH_WRITE_MESSAGES"):
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_call_says(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "DIR").mkdir(exist_ok=True)
    for file in folder.glob("*.*"):
        if not (folder / "DIR" / file.name).exists():
            (folder / "DIR" / file.name).symlink_to(file)
    monkeypatch.chdir(folder)
    with warnings.catch_warnings(), pytest.raises(Exception) as caught:
        warnings.simplefilter("ignore")
        CALLS[name]()
    lines = [f"{type(caught.value).__name__}: {caught.value}", *getattr(caught.value, "__notes__", [])]
    text = re.sub(rf"{re.escape(__file__)}:\d+", "HERE:LINE", "\n".join(lines))
    compare(name, re.sub(r"\b[0-9a-f]{64}\b", "HASH", text) + "\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_wrong_command_says(name: str, folder: Path) -> None:
    done = subprocess.run([PROGRAM, *COMMANDS[name]], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode in (1, 2)
    assert not done.stdout
    text = re.sub(rf"{re.escape(__file__)}:\d+|\S*test_messages\.py:\d+", "HERE:LINE", done.stderr)
    compare(name, f"exit {done.returncode}\n" + re.sub(r"\b[0-9a-f]{64}\b", "HASH", text))


def test_each_message_belongs_to_a_call() -> None:
    assert {path.stem for path in MESSAGES.glob("*.txt")} == {*CALLS, *COMMANDS}
