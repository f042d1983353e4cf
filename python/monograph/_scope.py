"""What Monograph has of PyTorch's names, and which of them are out of its scope. tools/api_coverage.py, `python -m monograph doctor` and the error for a
missing name read it."""

from __future__ import annotations

import importlib
import re

from ._package import package

# What docs/scope.md says is not planned, as the names say it, and what to use in its place.
OUT = {
    "sparse tensors": (
        r"[sS]parse|coalesce|hspmm|^smm$|sspaddmm|(crow|ccol|col|row)_indices|^(indices|values)(_copy)?$|is_coalesced|dense_dim",
        "use dense tensors",
    ),
    "named tensors": (r"^(names|rename_?|refine_names|align_(as|to)|has_names)$", "use the numbers of the dims"),
    "nested tensors": (r"nested|jagged", "pad the parts to one length: torch.nn.utils.rnn.pad_sequence"),
    "RPC and distributed training": (r"distributed|^DistributedDataParallel$|RRef|ddp|^rpc$", "run one process; its operators use all cores"),
    "mobile formats": (r"mobile|vulkan|quantize_fbgemm", "save with torch.jit.save or graph.save"),
    "torch.utils.tensorboard": (r"^tensorboard$", "write the numbers that a run gives to a file of your own"),
}


def out_of_scope(name: str) -> str | None:
    """Which part that is not planned a name belongs to."""
    return next((part for part, (pattern, _) in OUT.items() if re.search(pattern, name)), None)


def said_of(full: str) -> str:
    """What to say of a name such as torch.sparse.sum that belongs to a part that is not planned, and what to use; "" of any other."""
    part = next((found for piece in full.split(".")[1:] if (found := out_of_scope(piece))), None)
    if part is None:
        return ""
    return f"{part} {'is' if part.startswith('torch.') else 'are'} not planned (docs/scope.md): {OUT[part][1]}"


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
