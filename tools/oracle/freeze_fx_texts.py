"""Freezes the FX texts of the programs of tests/data/fx/programs.py: print_tabular, str(graph) and the code.

    .venv-oracle/bin/python tools/oracle/freeze_fx_texts.py torch          writes tests/data/fx/texts.json, what PyTorch writes
    .venv/bin/python tools/oracle/freeze_fx_texts.py monograph             writes tests/data/fx/differences.json, what Monograph writes otherwise

tests/python/test_fx_texts.py compares Monograph with both. Each program of the second file has its reason in tests/data/fx/reasons.toml. A folder after the library's name takes
the files in the place of tests/data/fx.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import re
import sys
import types
import warnings
from pathlib import Path
from typing import Any

if __name__ == "__main__" and sys.argv[1:2] == ["torch"]:
    import pinned  # noqa: F401

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "data" / "fx"
WIDEST = 200  # print_tabular of Monograph lines up cells up to this width


def programs(library: str) -> dict[str, Any]:
    """The programs over this library, each a function that gives a GraphModule."""
    spec = importlib.util.spec_from_file_location("fx_programs", FOLDER / "programs.py")
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    module.LIBRARY = library
    before = sys.modules.get(spec.name)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        if before is not None:
            sys.modules[spec.name] = before
    return dict(module.PROGRAMS)


def _plain(text: str) -> str:
    """Without what differs from run to run, and with one spelling of the library's name."""
    return re.sub(r"at 0x[0-9a-f]+", "at 0x", text)


def _tabulate(rows: list[list[Any]], headers: list[str]) -> str:
    """As the package tabulate writes it, which PyTorch's print_tabular imports. Targets by name: PyTorch's repr of a function has its address."""
    from torch.fx.node import Node

    cells = [headers] + [[op, name, Node._pretty_print_target(target), str(args), str(kwargs)] for op, name, target, args, kwargs in rows]
    widths = [max(len(headers[k]) + 2, *(min(len(row[k].encode()), WIDEST) for row in cells)) for k in range(5)]
    cells.insert(1, ["-" * width for width in widths])
    padded = [[cell + " " * (width - len(cell.encode())) for cell, width in zip(row, widths, strict=True)] for row in cells]
    return "\n".join("  ".join(row).rstrip() for row in padded)


def texts(make: Any) -> dict[str, list[str]]:
    """The texts of a program as lines, or what it raises."""
    table = io.StringIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = make()
        with contextlib.redirect_stdout(table):
            module.graph.print_tabular()
        made = {"table": table.getvalue(), "graph": str(module.graph), "code": module.code}
    except Exception as error:  # noqa: BLE001 - whatever it raises is the expectation
        made = {"raises": type(error).__name__}
    return {kind: [line.rstrip() for line in _plain(text).strip().split("\n")] for kind, text in made.items()}


def main() -> None:
    library, folder = sys.argv[1], Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER
    if library == "torch":
        stand_in: Any = types.ModuleType("tabulate")
        stand_in.tabulate = _tabulate
        sys.modules["tabulate"] = stand_in
    found = {name: texts(make) for name, make in programs(library).items()}
    if library == "torch":
        made, file = found, folder / "texts.json"
    else:
        known = json.loads((FOLDER / "texts.json").read_text())
        made = {name: {kind: text for kind, text in told.items() if known[name].get(kind) != text} for name, told in found.items()}
        made, file = {name: told for name, told in made.items() if told}, folder / "differences.json"
    file.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    print(f"{file}: {len(made)} of {len(found)} programs")


if __name__ == "__main__":
    main()
