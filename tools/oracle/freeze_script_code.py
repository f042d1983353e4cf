"""Writes tests/data/script/code.json and graphs.json with the real PyTorch: `.code`, `.graph` and `.inlined_graph` of the programs in tests/python/script_code_programs.py;
and trace_code.json, `.code` of the traces in trace_code_programs.py, and trace_code_parts.json, that of their submodules. Their networks of torchvision and timm need these packages in .programs.

    .venv-oracle/bin/python tools/oracle/freeze_script_code.py
"""

import json
import pathlib
import sys

import pinned  # noqa: F401
import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "python"))
sys.path.append(str(ROOT / ".programs"))
import trace_code_programs  # noqa: E402
from script_code_programs import programs  # noqa: E402


def graph_text(graph: torch.Graph) -> str:
    """The text without folders."""
    return str(graph).replace(f"{ROOT / 'tests' / 'python'}/", "").replace(f"{pathlib.Path(torch.__file__).parents[1]}/", "")


scripted = {name: torch.jit.script(program) for name, program in programs(torch).items()}
folder = ROOT / "tests" / "data" / "script"
(folder / "code.json").write_text(json.dumps({name: s.code for name, s in scripted.items()}, indent=1) + "\n")
graphs = {name: {"graph": graph_text(s.graph), "inlined_graph": graph_text(s.inlined_graph)} for name, s in scripted.items()}
(folder / "graphs.json").write_text(json.dumps(graphs, indent=1) + "\n")

names = torch.library.Library("torchvision", "FRAGMENT")  # its binary wants a GPU's libraries
for name in ("nms", "qnms"):
    names.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
traced = {name: trace_code_programs.code_of(torch, *made) for name, made in trace_code_programs.programs(torch, packages=True).items()}
(folder / "trace_code.json").write_text(json.dumps(traced, indent=1) + "\n")
nets = {name: made for name, made in trace_code_programs.programs(torch, packages=True).items() if trace_code_programs.has_frozen_parts(torch, name, made)}
parts = {name: trace_code_programs.code_of_parts(torch, *made) for name, made in nets.items()}
(folder / "trace_code_parts.json").write_text(json.dumps(parts, indent=1) + "\n")
