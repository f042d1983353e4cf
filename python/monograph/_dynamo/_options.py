"""The options of PyTorch's own backend. They change nothing here, but a name that PyTorch does not know is an error, as there."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any


def known_names() -> set[str]:
    lines = (Path(__file__).parent / "_option_names.txt").read_text().splitlines()
    groups = (line.partition(":") for line in lines)
    return {f"{group}.{name}" if group else name for group, _, names in groups for name in names.split()}


def check_options(options: dict[str, Any]) -> None:
    """Raises RuntimeError for a name that is none."""
    known = known_names()
    for option in options:
        name = option.replace("-", "_")
        if name not in known and name != "guard_filter_fn":  # an option of torch.compile itself
            close = difflib.get_close_matches(name, known, 3)
            near = f"; near to it are {', '.join(close)}" if close else ""
            raise RuntimeError(f"Unexpected optimization option {option}, known options are the {len(known)} settings of torch._inductor.config{near}")
