"""Writes tests/data/script/code.json and graphs.json with the real PyTorch: `.code`, `.graph` and `.inlined_graph` of the programs in tests/python/script_code_programs.py.

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


def graph_text(graph: torch.Graph) -> str:
    """The text without folders."""
    return str(graph).replace(f"{ROOT / 'tests' / 'python'}/", "").replace(f"{pathlib.Path(torch.__file__).parents[1]}/", "")


scripted = {name: torch.jit.script(program) for name, program in programs(torch).items()}
folder = ROOT / "tests" / "data" / "script"
(folder / "code.json").write_text(json.dumps({name: s.code for name, s in scripted.items()}, indent=1) + "\n")
graphs = {name: {"graph": graph_text(s.graph), "inlined_graph": graph_text(s.inlined_graph)} for name, s in scripted.items()}
(folder / "graphs.json").write_text(json.dumps(graphs, indent=1) + "\n")
