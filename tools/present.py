"""Says of each part that README and docs/scope.md speak of whether it is there: a line each, `name: ✓` or `name: ✗`, found by looking. No line ends
with another one's name: claims find theirs by it."""

from __future__ import annotations

import contextlib
import importlib
import re
import subprocess
import sys
from pathlib import Path

import monograph as torch

ROOT = Path(__file__).resolve().parents[1]
NAMES = """jit.trace fx.symbolic_trace capture cond while_loop Graph.save load_graph library.custom_op autograd.grad nn.Module safetensors
compile jit.script jit.load jit.save save load onnx.export optim.SGD utils.data.DataLoader ao.quantization export.export Graph.build linalg fft special
distributions nn.Conv2d nn.LSTM nn.MultiheadAttention nn.Transformer fx.Interpreter fx.Transformer fx.subgraph_rewriter fx.passes
autograd.Function func sparse_coo_tensor compare explain bisect view install_as_torch""".split()


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


def keeps_branches() -> bool:
    def f(x: torch.Tensor) -> torch.Tensor:
        return x if x.sum() > 10 else x + 10

    with contextlib.suppress(ValueError, RuntimeError):
        traced = torch.jit.trace(f, torch.ones(3), control_flow="keep")
        return torch.equal(traced(torch.full((3,), 9.0)), torch.full((3,), 9.0)) and not traced.graph.guards
    return False


def runs_as_module() -> bool:
    return not subprocess.run([sys.executable, "-m", "monograph", "--help"], capture_output=True).returncode


def public_headers() -> bool:
    return any((ROOT / "include" / "monograph").glob("*.h"))


def reads(format: str) -> bool:
    """Whether docs/cli.md's program has a reader of this format among its sources."""
    return any(re.match(format, file.stem) for file in (ROOT / "src" / "formats").glob("*.cpp"))


def main() -> None:
    answers = {name if name.startswith("Graph.") else f"torch.{name}": there(name) for name in NAMES}
    answers['control_flow="keep"'] = keeps_branches()
    answers["torch.cuda.is_available()"] = torch.cuda.is_available()
    answers["python -m monograph"] = runs_as_module()
    answers["include/monograph"] = public_headers()
    answers["read .mgraph"] = reads("mgraph")
    answers["read safetensors"] = reads("safetensors")
    answers["read .pt"] = reads("torchscript|pickle")
    answers["read ONNX"] = reads("onnx")
    for name, present in answers.items():
        print(f"{name}: {'✓' if present else '✗'}")


if __name__ == "__main__":
    main()
