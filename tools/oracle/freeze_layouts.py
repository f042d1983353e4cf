"""Freezes how PyTorch lays out the results and gradients of the records' calls with images and volumes whose channels are innermost.

    .venv-oracle/bin/python tools/oracle/freeze_layouts.py tests/data/layouts.json

The calls and the letters are those of tests/python/memory_format_cases.py; tests/python/test_channels_last.py compares with them."""

import json
import sys
import warnings
from pathlib import Path

import pinned  # noqa: F401
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "python"))
from memory_format_cases import layouts  # noqa: E402


def main() -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    said = layouts(torch)
    lines = [f"{json.dumps(name)}: {json.dumps(' '.join(ways))}" for name, ways in sorted(said.items())]
    Path(sys.argv[1]).write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
