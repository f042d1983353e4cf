"""PyTorch's row in the table of `monograph tour`, found out by running the tour's function through PyTorch's captures.

    .venv-oracle/bin/python tools/oracle/freeze_tour.py            writes src/cli/tour_pytorch.inc
    .venv-oracle/bin/python tools/oracle/freeze_tour.py --check    exits 1 where the file says something else
"""

import io
import json
import pathlib
import sys
import warnings

import pinned  # noqa: F401
import torch

TARGET = pathlib.Path(__file__).resolve().parents[2] / "src" / "cli" / "tour_pytorch.inc"


def plain(x):
    if torch.sum(x) > 10:
        return x
    else:
        return x + 10


def saved(f):
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.script(f), buffer)
    buffer.seek(0)
    return torch.jit.load(buffer)


def compiled_whole():
    compiled = torch.compile(plain, fullgraph=True, backend="eager")
    compiled(LARGE)  # the first call captures
    return compiled


LARGE, SMALL = torch.full((3,), 20.0), torch.ones(3)
CAPTURES = {
    "trace": lambda: torch.jit.trace(plain, LARGE),
    "script": lambda: torch.jit.script(plain),
    "symbolic": lambda: torch.fx.symbolic_trace(plain),
    "compile": compiled_whole,
    "saved": lambda: saved(plain),
}


def cell(capture) -> tuple[str, str]:
    """The word for the table, and PyTorch's own words where it raises."""
    try:
        program = capture()
    except Exception as e:
        return "raises", f"{type(e).__name__}: {str(e).splitlines()[0]}"
    for x in (LARGE, SMALL):
        try:
            if not torch.equal(program(x), plain(x)):
                return "WRONG", ""
        except Exception as e:
            return "guards", f"{type(e).__name__}: {str(e).splitlines()[0]}"
    return "right", ""


def main() -> int:
    warnings.simplefilter("ignore")
    found = {name: cell(capture) for name, capture in CAPTURES.items()}
    data = {
        "version": torch.__version__.split("+")[0],
        "cells": {name: word for name, (word, _) in found.items()},
        "messages": {name: message for name, (_, message) in found.items() if message},
    }
    text = f'// Made by tools/oracle/freeze_tour.py: what PyTorch does with the tour\'s function.\nR"json({json.dumps(data, indent=1)})json"\n'
    if "--check" in sys.argv[1:]:
        same = TARGET.read_text() == text
        print("the row is as PyTorch answers" if same else f"{TARGET} differs from what PyTorch does now:\n{text}")
        return 0 if same else 1
    TARGET.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
