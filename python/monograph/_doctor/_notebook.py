"""The cells of a notebook (.ipynb) as one Python text, without what is no Python: lines for IPython and the shell."""

from __future__ import annotations

import json
import re
from pathlib import Path

_OTHER_LINE = re.compile(r"(\s*)([%!?].*|.*[^\s?]\?{1,2}\s*)$")  # %matplotlib inline, !pip install, torch.ones?
_OTHER_VALUE = re.compile(r"(\s*[\w ,.\[\]]+=\s*)[%!].*$")  # files = !ls
# Of cells that begin with %%, those whose body is Python.
_AROUND_PYTHON = ("time", "timeit", "capture", "prun", "python3", "python")


def text_of(file: Path) -> tuple[str, list[str]]:
    """The text, and for each of its lines where it is. ValueError where the file is no notebook."""
    notebook = json.loads(file.read_text(encoding="utf-8"))
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise ValueError("not a notebook with cells (nbformat 4)")
    lines: list[str] = []
    places: list[str] = []
    for number, cell in enumerate(notebook["cells"], 1):
        if cell.get("cell_type") != "code":
            continue
        source = cell.get("source", "")
        for k, line in enumerate(_python_of("".join(source) if isinstance(source, list) else source), 1):
            lines.append(line)
            places.append(f"cell {number}, line {k}")
    return "\n".join(lines) + "\n", places


def _python_of(source: str) -> list[str]:
    lines = source.split("\n")
    if lines[0].startswith("%%") and lines[0][2:].split(" ")[0] not in _AROUND_PYTHON:
        return ["pass"]
    return [_as_python(line) for line in lines]


def _as_python(line: str) -> str:
    if other := _OTHER_LINE.match(line):
        return f"{other[1]}pass" if "#" not in line.partition("?")[0] else line
    if value := _OTHER_VALUE.match(line):
        return f"{value[1]}None"
    return line
