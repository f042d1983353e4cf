"""The notebooks of examples/notebooks are run in a kernel of Jupyter. Their outputs are those that stand in the files.

    MONOGRAPH_WRITE_NOTEBOOKS=1 pytest tests/python/test_notebooks.py     writes the outputs into the files
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "examples" / "notebooks").glob("*.ipynb"))


def steady(text: str) -> str:
    """Without what differs between runs: the kernel's file names and addresses."""
    text = re.sub(r"[^ \"']*/ipykernel_\d+/\d+\.py", "cell.py", text)
    return re.sub(r"0x[0-9a-f]{6,}", "0x0", text)


def run(notebook: Any) -> None:
    """Runs all cells in order. An error of a cell is an error of this call. Times, versions and addresses don't get into the notebook."""
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    notebook.metadata.pop("language_info", None)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            if "text" in output:
                output["text"] = steady(output["text"])
            for kind, value in output.get("data", {}).items():
                output["data"][kind] = steady(value)


def shown(notebook: Any) -> list[tuple[str, list[Any]]]:
    return [(cell.source, [o.get("text") or o["data"] for o in cell.outputs]) for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_a_notebook_shows_what_stands_in_it(path):
    kept = nbformat.read(path, 4)
    fresh = nbformat.read(path, 4)
    run(fresh)
    if os.environ.get("MONOGRAPH_WRITE_NOTEBOOKS"):
        nbformat.write(fresh, path)
    else:
        assert shown(fresh) == shown(kept)


def test_there_are_notebooks():
    assert [p.stem for p in NOTEBOOKS] == ["01_trace_and_script"]
