"""Runs the programs of tests/data/script/longer_programs.txt in one of the libraries: `results(torch, folder, suffix)` scripts each, runs it, saves it and
gives its results as NumPy arrays. PyTorch's process runs this file, too, so it imports neither library."""

from __future__ import annotations

import copy
import enum
import importlib.util
import sys
import warnings
from pathlib import Path
from typing import Any


def write(text: str, folder: Path) -> list[str]:
    """A file for each program; their names."""
    names = []
    for part in text.split("#==== ")[1:]:
        name, _, body = part.partition("\n")
        (folder / f"{name}.py").write_text(body)
        names.append(name)
    return names


def plain(torch: Any, v: Any) -> Any:
    """Tensors as arrays with their dtypes, and objects by their names."""
    if isinstance(v, torch.Tensor):
        return ("Tensor", str(v.dtype), v.detach().numpy().copy())
    if isinstance(v, (torch.dtype, enum.Enum)):
        return str(v)
    if isinstance(v, dict):
        return {k: plain(torch, x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [plain(torch, x) for x in v]
    return v


def outcome(torch: Any, call: Any) -> Any:
    try:
        return ("value", plain(torch, call()))
    except Exception:
        return ("error",)


def runs(torch: Any, made: Any, program: Any) -> list[Any]:
    """The results of each call, and what it made of its arguments."""
    found = []
    for make in program.INPUTS:
        args = copy.deepcopy(make())
        found.append(outcome(torch, lambda args=args: made(*args)))
        found.append(outcome(torch, lambda args=args: args))
    for name, make in getattr(program, "METHODS", []):
        found.append(outcome(torch, lambda name=name, make=make: getattr(made, name)(*copy.deepcopy(make()))))
    return found


def program_of(folder: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, Path(folder) / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def results(torch: Any, folder: str, name: str, own: str, other: str) -> dict[str, Any]:
    """Results of the script, and of the archive FOLDER/NAME.OTHER that the other library wrote; this one's goes to FOLDER/NAME.OWN."""
    warnings.simplefilter("ignore")
    program = program_of(folder, name)
    scripted = torch.jit.script(program.TARGET())
    torch.jit.save(scripted, f"{folder}/{name}.{own}")
    loaded = torch.jit.load(f"{folder}/{name}.{own}")
    found = {"script": runs(torch, scripted, program), "loaded": runs(torch, loaded, program)}
    if Path(f"{folder}/{name}.{other}").exists():
        found["other"] = runs(torch, torch.jit.load(f"{folder}/{name}.{other}"), program)
    return found
