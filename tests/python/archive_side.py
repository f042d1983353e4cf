"""What PyTorch makes of archives that Monograph wrote: runs in PyTorch's process. `run(programs, folder)` compares each loaded program with its function."""

from __future__ import annotations

import copy
import importlib.util
import pathlib
import sys
import warnings
from typing import Any

import torch


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.dtype == b.dtype and a.shape == b.shape and torch.allclose(a, b, equal_nan=True, rtol=1e-5, atol=1e-6)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, float) and a != a:
        return isinstance(b, float) and b != b
    return type(a) is type(b) and bool(a == b)


def outcome(function: Any, args: Any) -> tuple[bool, Any]:
    try:
        return True, function(*copy.deepcopy(args))
    except Exception as error:
        return False, type(error).__name__


def run(programs: str, folder: str) -> dict[str, str]:
    """By program: "equal", "as PyTorch's own script", or how it differs."""
    warnings.simplefilter("ignore")
    spec = importlib.util.spec_from_file_location("programs", programs)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["programs"] = module
    spec.loader.exec_module(module)
    results = {}
    for _, function, inputs, _ in module.ROWS:
        path = pathlib.Path(folder) / f"{function.__name__}.pt"
        if path.exists():
            results[function.__name__] = compared(function, path, [eval(f"({text})", vars(module)) for text in inputs], module.plain)
    return results


def compared(function: Any, path: pathlib.Path, inputs: list[Any], plain: Any) -> str:
    try:
        loaded = torch.jit.load(path)
    except RuntimeError as error:
        return f"does not load: {error}"
    if all(agree(outcome(loaded, args), outcome(function, args), plain) for args in inputs):
        return "equal"
    try:
        scripted = torch.jit.script(function)
        own_path = str(path.with_suffix(".own"))
        torch.jit.save(scripted, own_path)
        own = torch.jit.load(own_path)
    except Exception:
        return "differs"
    return "as PyTorch's own archive" if all(agree(outcome(loaded, args), outcome(own, args), plain) for args in inputs) else "differs"


def agree(a: tuple[bool, Any], b: tuple[bool, Any], plain: Any) -> bool:
    return a[0] == b[0] and (not a[0] or same(plain(a[1]), plain(b[1])))
