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

```python
import monograph as torch

@torch.jit.script
def longest(words: list[str], limit: int) -> str:
    best = ""
    for word in words:
        if len(best) < len(word) <= limit:
            best = word
    return best

print(longest(["a", "graph", "of", "operators"], 6))
```

```text
graph
```

`torch.jit.script` compiles the source text of functions, classes and modules into graphs. An argument without a type is a tensor. The language is that of
TorchScript, a part of Python with types. [Script a module](how_to/script.md) is an easier start.

## How objects behave

- Inside of a compiled function, two names of one object see each other's changes, as in Python.
- Objects that go in or out are copied, as in PyTorch: a compiled function does not change the caller's object, and returns a new one.
- A class has the attributes that `__init__` assigns or that the class body annotates. Parameters of `__init__` without a type are tensors.
- A class whose objects hold objects of the same class raises an error.
- `with` runs `__exit__`, and `try` runs its `finally`, if the block ends, or is left by `return`, `break`, `continue` or `raise`. If an operator raises an error,
  the graph ends without them. The grad mode is restored.
- `torch.jit.fork` runs its function at once.

## What is known while a script is compiled

- A function may be passed, returned, and chosen in a branch. It sees the names of the function in which it stands.
- An object whose class has a base class, and a dict of functions or of several types, are constants: the configuration of a model, for example. Their attributes
  and items are read while the function is compiled, and asked again at each call. If one has changed, the function is compiled anew. Their methods are compiled.
  A write to one raises an error when the function is compiled.
- A dataclass that is also a dict, and has `to_tuple()`, can be a result. A field that is None does not count for an index.
- Calls of loggers are left out.
- `try` with `except` compiles if nothing in its body can raise an error when the graph runs.
- An input of a module that may be None, such as `x: Optional[Tensor] = None`, can be used without a check, where the module does not compile otherwise. The graph
  raises an error if it is None there. So does a branch that only an input with a default chooses, and that does not compile.
- If the module still does not compile, inputs with a default that are no tensors take that default alone. The graph raises an error for another value.

## What raises an error

Each of these raises an error when the function is compiled. The error shows the line.

| section | construct |
|---|---|
"""
TABLE = """
## Tested programs

The tests compile each program of `tests/data/script/programs.py`, and compare its results with those of the same function in Python, and with
`torch.jit.script` of PyTorch. "Beyond PyTorch" counts the programs that PyTorch rejects, or for which PyTorch's result differs from Python's. `tools/script_table.py` writes this page.

| section | programs | right | beyond PyTorch |
|---|---|---|---|
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
    return HEAD + "".join(f"| {section} | {construct} |\n" for section, construct, _ in t.programs.MISSING) + TABLE + "".join(rows)


if __name__ == "__main__":
    text = page()
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text() == text else "docs/script_language.md is not what tools/script_table.py writes")
    PAGE.write_text(text)
