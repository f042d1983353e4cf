"""What Monograph has of PyTorch's names, and which of them are out of its scope. tools/api_coverage.py and `python -m monograph doctor` read it."""

from __future__ import annotations

import importlib
import re

from ._package import package

# What docs/scope.md says is not planned, as the names say it.
OUT = {
    "sparse tensors": r"[sS]parse|coalesce|hspmm|^smm$|sspaddmm|(crow|ccol|col|row)_indices|^(indices|values)(_copy)?$|is_coalesced|dense_dim",
    "named tensors": r"^(names|rename_?|refine_names|align_(as|to)|has_names)$",
    "nested tensors": r"nested|jagged",
    "distributed training": r"distributed|RRef|ddp",
    "mobile formats": r"mobile|vulkan|quantize_fbgemm",
}


def out_of_scope(name: str) -> str | None:
    """Which part that is not planned a name belongs to."""
    return next((part for part, pattern in OUT.items() if re.search(pattern, name)), None)


def found(path: str) -> object | None:
    """What Monograph has of a name such as torch.nn.Linear, or None."""
    value: object = package()
    for part in path.split(".")[1:]:
        try:
            value = getattr(value, part)
        except (AttributeError, RuntimeError):
            try:
                value = importlib.import_module(f"{getattr(value, '__name__', '?')}.{part}")
            except (ImportError, ValueError, TypeError):
                return None
    return value
