"""Writes python/monograph/_dynamo/_option_names.txt: the options that torch.compile of PyTorch takes, a line for each group. Run with PyTorch's interpreter:
.venv-oracle/bin/python tools/oracle/freeze_options.py; with --check it fails where the file is not what it would write."""

from __future__ import annotations

import sys
from pathlib import Path

import pinned  # noqa: F401
import torch._inductor.config

FILE = Path(__file__).resolve().parents[2] / "python" / "monograph" / "_dynamo" / "_option_names.txt"


def main() -> None:
    groups: dict[str, list[str]] = {}
    for option in sorted(torch._inductor.config.get_config_copy()):
        group, _, name = option.rpartition(".")
        groups.setdefault(group, []).append(name)
    wanted = "".join(f"{group}: {' '.join(names)}\n" for group, names in sorted(groups.items()))
    if "--check" not in sys.argv:
        FILE.write_text(wanted)
    elif FILE.read_text() != wanted:
        sys.exit(f"{FILE.name} is not the list of PyTorch's options; run tools/oracle/freeze_options.py")


main()
