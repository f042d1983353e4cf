"""Writes docs/script_language.md: which constructs of TorchScript's language compile, by the programs of tests/data/script/programs.py.

    .venv/bin/python tools/script_table.py [--check]

Each program is compiled and runs on its arguments beside the same function in Python; what stands in the table is what was counted here."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))
PAGE = ROOT / "docs" / "script_language.md"

HEAD = """# The language of jit.script

This page is written by `tools/script_table.py`. Each program of `tests/data/script/programs.py` was compiled, and its results were compared with those of the
same function in Python. The tests also compare with `torch.jit.script` of PyTorch. "Beyond PyTorch" counts the programs that PyTorch refuses, or whose result in
PyTorch differs from Python's; each says why in the file.

| section | programs | right | beyond PyTorch |
|---|---|---|---|
"""

NOTES = """
## How objects behave

- Instances of classes are values with identity inside a compiled function: what one name writes, every other name sees.
- At the border to Python objects are copied, as in PyTorch: a compiled function does not change the caller's object, and what it returns is a new object.
- The attributes of a class are what `__init__` assigns or the class body annotates. Un-annotated parameters of `__init__` are tensors.
- A class whose objects hold objects of the same class is an error.
- `with` runs `__exit__`, and `try` its `finally`, on each way that the program itself takes: its end, `return`, `break`, `continue`, `raise`. An error that
  an operator raises ends the graph without them; the grad mode is restored.
- `torch.jit.fork` runs its function at once.

## What is refused

Each of these is an error that shows the line.

| section | construct |
|---|---|
"""


def page() -> str:
    import monograph as torch
    import test_script as t

    counts: dict[str, list[int]] = {}
    for section, function, inputs, ours in t.ROWS:
        compiled = torch.jit.script(function)
        right = all(
            t._same(t.programs.plain(compiled(*t._arguments(text))), t.programs.plain(function(*t._arguments(text)))) for text in inputs
        )
        count = counts.setdefault(section, [0, 0, 0])
        count[0] += 1
        count[1] += right
        count[2] += bool(ours)
    total = [sum(column) for column in zip(*counts.values(), strict=True)]
    rows = [f"| {section} | {n} | {right} | {beyond} |\n" for section, (n, right, beyond) in counts.items()]
    rows.append(f"| all | {total[0]} | {total[1]} | {total[2]} |\n")
    return HEAD + "".join(rows) + NOTES + "".join(f"| {section} | {construct} |\n" for section, construct, _ in t.programs.MISSING)


if __name__ == "__main__":
    text = page()
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text() == text else "docs/script_language.md is not what tools/script_table.py writes")
    PAGE.write_text(text)
