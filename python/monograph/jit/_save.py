"""torch.jit.save: archives that PyTorch's torch.jit.load reads, and ours. C++ writes them (src/formats/torchscript/save.cpp)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, Any

from ..fx.graph import Graph
from ..fx.graph_module import place_in_program
from ..nn import Module
from ._archive import ArchiveProgram, is_mgraph, write
from ._script_module import compile_module


def save(m: Any, f: str | os.PathLike[str] | IO[bytes], _extra_files: Mapping[str, str | bytes] | None = None) -> None:
    """Writes a scripted or traced module or function, a loaded one, or a GraphModule of torch.fx, as an archive that PyTorch's torch.jit.load reads and runs.

    f: a path, or a file opened for writing bytes. A path that ends in .mgraph gets Monograph's own file, which torch.load_graph reads. A file appears whole or not at all: where saving fails, an old file of that name is as it was.
    _extra_files: contents by name, which torch.jit.load gives back.

    What PyTorch cannot express raises NotImplementedError, which names the operator and its line.

    Example:
        torch.jit.save(torch.jit.script(model), "model.pt")
    """
    own = getattr(m, "_write", None)  # a loaded module writes its own code
    if is_mgraph(f) and hasattr(m, "save"):
        m.save(f)
    elif is_mgraph(f) and isinstance(getattr(m, "graph", None), Graph):
        _compiled(m).save(f)
    elif own is not None:
        own(f, _extra_files)
    else:
        write(program_of(m), f, _extra_files)


def _compiled(m: Module) -> Any:
    captured_reads = m.__dict__.get("_captured_reads")
    if captured_reads is not None:  # a symbolic trace
        captured_reads.refuse_own_state("jit.save", m.graph)
    try:
        return compile_module(m)
    except RuntimeError as error:
        remedy = (
            "jit.save compiles the code of a GraphModule, which is shown above. Annotate the parameters of the traced function that are no tensors, as in "
            "d: Dict[str, Tensor], or save torch.jit.trace(module, example_inputs), which takes *args, **kwargs and dicts."
        )
        place = place_in_program(str(error))
        recorded = f"\nrecorded at {place}" if place else ""
        error.args = (f"{error}{recorded}\n{remedy}", *error.args[1:])
        raise


def program_of(m: Any) -> ArchiveProgram:
    """What is saved of a module, function or graph."""
    program = getattr(m, "_program", None)
    if program is not None:
        made: ArchiveProgram = program()
        return made
    if isinstance(m, Graph):
        return ArchiveProgram(m)
    if isinstance(m, Module) and isinstance(getattr(m, "graph", None), Graph):  # a GraphModule, whose code is a program of the language
        return _compiled(m)._program()
    raise TypeError(
        f"jit.save: expected a module or function of torch.jit.script, torch.jit.trace or torch.jit.load, or a GraphModule, but got a {type(m).__name__}; "
        "torch.jit.script(m) makes one"
    )
