"""Says of each part that README and docs/scope.md speak of whether it is there: a line each, `name: ✓` or `name: ✗`, found by looking. No line ends
with another one's name: claims find theirs by it."""

from __future__ import annotations

import contextlib
import importlib
import os
import struct
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import monograph as torch

ROOT = Path(__file__).resolve().parents[1]
NAMES = """jit.trace fx.symbolic_trace capture autocast cond while_loop Graph.save load_graph library.custom_op autograd.grad
compile jit.load jit.save save load onnx.export optim.SGD utils.data.DataLoader utils.checkpoint.checkpoint ao.quantization.quantize export.export Graph.build fft stft
distributions.Gamma nn.Conv2d fx.Interpreter fx.Transformer fx.subgraph_rewriter fx.passes
autograd.Function func.vmap compare explain bisect view install_as_torch""".split()


def there(name: str) -> bool:
    value = torch.fx if name.startswith("Graph.") else torch
    for part in name.split("."):
        if not hasattr(value, part):
            with contextlib.suppress(ImportError, TypeError, AttributeError):
                importlib.import_module(f"{value.__name__}.{part}")
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return True


def keeps_branches_without_example() -> bool:
    try:
        torch.fx.symbolic_trace(lambda x: x * 2 if x.sum() > 0 else x - 1)
    except ValueError:
        return False
    return True


def compiles_source() -> bool:
    """Whether jit.script of a module gives a graph, rather than the module itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hasattr(torch.jit.script(torch.nn.ReLU()), "graph")


def runs_as_module() -> bool:
    return not subprocess.run([sys.executable, "-m", "monograph", "--help"], capture_output=True).returncode


def public_headers() -> bool:
    return any((ROOT / "include" / "monograph").glob("*.h"))


def reads_safetensors() -> bool:
    """Whether a file of safetensors, written here byte by byte, reads as the tensor that it holds."""
    header = b'{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(AttributeError, ImportError, RuntimeError, ValueError):
        file = os.path.join(folder, "x.safetensors")
        Path(file).write_bytes(len(header).to_bytes(8, "little") + header + struct.pack("<2f", 1.5, -2.0))
        load_file = importlib.import_module("monograph.safetensors").load_file
        return [(name, x.tolist()) for name, x in load_file(file).items()] == [("x", [1.5, -2.0])]
    return False


def takes(call: Callable[[], Any]) -> bool:
    """Whether a call is done, rather than refused as not there."""
    try:
        call()
    except NotImplementedError:
        return False
    return True


# Options, of names that are there, that docs/scope.md says are missing.
OPTIONS: dict[str, Callable[[], Any]] = {
    "DataLoader(num_workers=)": lambda: torch.utils.data.DataLoader([1, 2], num_workers=1),
    "scale_grad_by_freq=True": lambda: (
        torch.nn.functional.embedding_bag(torch.tensor([[0]]), torch.ones(1, 1, requires_grad=True), scale_grad_by_freq=True).sum().backward()
    ),
    "complex gradients": lambda: torch.tensor([1 + 2j], requires_grad=True).abs().sum().backward(),
}


def main() -> None:
    answers = {name if name.startswith("Graph.") else f"torch.{name}": there(name) for name in NAMES}
    answers["a branch in a symbolic trace"] = keeps_branches_without_example()
    answers["torch.jit.script"] = compiles_source()
    answers["torch.cuda.is_available()"] = torch.cuda.is_available()
    answers["python -m monograph"] = runs_as_module()
    answers["include/monograph"] = public_headers()
    answers["read safetensors"] = reads_safetensors()
    answers |= {name: takes(call) for name, call in OPTIONS.items()}
    for name, present in answers.items():
        print(f"{name}: {'✓' if present else '✗'}")


if __name__ == "__main__":
    main()
