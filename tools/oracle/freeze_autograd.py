"""Writes tests/data/autograd/programs.json: what PyTorch observes in the programs of tests/python/autograd_programs.py.
Run with PyTorch's interpreter: .venv-oracle/bin/python tools/oracle/freeze_autograd.py"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pinned  # noqa: F401
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))

from autograd_programs import PRELUDE, PROGRAMS  # noqa: E402


def main() -> None:
    torch.set_num_threads(1)
    frozen = {}
    for name, program in PROGRAMS.items():
        scope: dict = {"torch": torch, "__name__": "program"}
        exec(PRELUDE + program, scope)
        frozen[name] = scope["result"]
    target = ROOT / "tests" / "data" / "autograd" / "programs.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in frozen.items()]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
