"""Live PyTorch, asked from tests without importing it: expressions go to tools/oracle/server.py in an interpreter that has it.

    oracle.eval("torch.nn.functional.silu(x)", x=array)        # -> numpy array
    oracle.run("g = torch.Generator().manual_seed(s)\\nresult = torch.rand(3, generator=g)", s=1)

Tensors travel as NumPy arrays (bfloat16 by ml_dtypes), other values as they are."""

from __future__ import annotations

import pickle
import struct
import subprocess
from pathlib import Path
from typing import Any

SERVER = Path(__file__).resolve().parents[2] / "tools" / "oracle" / "server.py"


class OracleError(Exception):
    """What PyTorch raised: `kind` is the exception's name, `text` its message."""

    def __init__(self, kind: str, text: str):
        super().__init__(f"{kind}: {text}")
        self.kind, self.text = kind, text


class LiveOracle:
    def __init__(self, python: str):
        self._process = subprocess.Popen([python, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def eval(self, expression: str, **inputs: Any) -> Any:
        return self.run(f"result = {expression}", **inputs)

    def run(self, program: str, **inputs: Any) -> Any:
        """Executes statements in PyTorch's process; the value of `result` comes back."""
        assert self._process.stdin and self._process.stdout
        message = pickle.dumps((program, inputs))
        self._process.stdin.write(struct.pack("<Q", len(message)) + message)
        self._process.stdin.flush()
        head = self._process.stdout.read(8)
        if len(head) < 8:
            raise RuntimeError(f"PyTorch's process ended (exit {self._process.wait()}) in:\n{program}")
        ok, value = pickle.loads(self._process.stdout.read(struct.unpack("<Q", head)[0]))
        if not ok:
            raise OracleError(*value)
        return value

    def __enter__(self) -> LiveOracle:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(timeout=30)
