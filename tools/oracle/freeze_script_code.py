"""Writes tests/data/script/code.json with the real PyTorch: the `.code` of the programs in tests/python/script_code_programs.py.

    .venv-oracle/bin/python tools/oracle/freeze_script_code.py
"""

import json
import pathlib
import sys

import pinned  # noqa: F401
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))
from script_code_programs import programs  # noqa: E402

texts = {name: torch.jit.script(program).code for name, program in programs(torch).items()}
(ROOT / "tests" / "data" / "script" / "code.json").write_text(json.dumps(texts, indent=1) + "\n")
