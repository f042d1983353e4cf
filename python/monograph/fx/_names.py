"""The names of functions and classes as PyTorch's graphs have them."""

from __future__ import annotations

import builtins
import inspect
from typing import Any

from .. import _C


def spelled_as_torch(module: str) -> str:
    """The name of one of our modules as torch has it."""
    return "torch" + module.removeprefix("monograph") if module == "monograph" or module.startswith("monograph.") else module


def qualified_name(function: Any) -> str:
    """The full name of a function: torch.relu, _operator.add, torch.ops.aten.add.Tensor."""
    if isinstance(function, str):  # of a graph from a file, or of the results of an If or Loop
        name = function if "::" not in function else "torch.ops." + function.replace("::", ".", 1)
        return "_" + name if name.startswith("operator.") else name
    known = getattr(function, "__name__", "")
    if known and getattr(builtins, known, None) is function:
        return str(known)
    if known == "<lambda>":
        return inspect.getsource(function).split("=")[0].strip()
    name = _C._qualified_name(function)
    if name.startswith("operator."):
        return "_" + name
    return name
