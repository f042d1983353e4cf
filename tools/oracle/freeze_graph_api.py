"""Writes tests/data/script/graph_api.json: what PyTorch's graph API shows of the functions in tests/python/scripted_graphs.py.

    .venv-oracle/bin/python tools/oracle/freeze_graph_api.py
"""

import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ["MONOGRAPH_GRAPH_API_LIBRARY"] = "torch"
sys.path.insert(0, str(ROOT / "tests" / "python"))

import pinned  # noqa: E402, F401
import scripted_graphs  # noqa: E402
import torch  # noqa: E402

out = {name: scripted_graphs.described(torch.jit.script(getattr(scripted_graphs, name)).graph) for name in scripted_graphs.NAMES}
(ROOT / "tests" / "data" / "script" / "graph_api.json").write_text(json.dumps(out, indent=1) + "\n")
print(f"{len(out)} graphs")
