"""Writing a program as an archive of TorchScript: what save() of every kind of module does."""

from __future__ import annotations

import os
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

from .. import _C
from ..fx.graph import Graph
from ._classes import refuse_lost_names


class ArchiveProgram(typing.NamedTuple):
    """What is written."""

    graph: Graph  # one of the program
    one_mode: bool = False  # its graphs hold for the mode that the modules are in
    parts: Sequence[tuple[str, str, Graph]] = ()  # methods of modules below the root: path, name, graph
    in_place: Callable[[], ArchiveProgram] | None = None  # what is written where PyTorch cannot express this
    other_mode: Graph | None = None  # the same program with each module in its other mode
    modes: Sequence[str] = ()  # paths of the modules whose mode it reads
    hooks: Sequence[tuple[str, list[str], list[str]]] = ()  # the path of a module, and its methods that a call of it runs before and behind forward
    states: Sequence[tuple[str, Any, Graph]] = ()  # the path of a module, what its __getstate__ gave, and the graph of that
    keys: Sequence[tuple[str, list[str]]] = ()  # inputs that are dicts, and the keys that each must have, in this order


def write(program: ArchiveProgram, f: str | os.PathLike[str] | IO[bytes], extra_files: Mapping[str, str | bytes] | None = None) -> None:
    """What cannot be written raises before a byte is."""
    refuse_lost_names("jit.save", program.graph)

    def written(to: Any, extra: list[tuple[str, bytes]]) -> None:
        what = program
        while True:
            try:
                return _C._save_script(
                    what.graph, to, extra, what.one_mode, list(what.parts), what.other_mode, list(what.modes), list(program.keys), list(what.hooks), list(what.states)
                )
            except NotImplementedError:
                if what.in_place is None:
                    raise
                what = what.in_place()

    write_to(written, f, extra_files)


def write_to(writer: Callable[[Any, list[tuple[str, bytes]]], None], f: Any, extra_files: Mapping[str, str | bytes] | None) -> None:
    """writer: takes a path or a function that takes bytes, and the extra files."""
    extra = [(str(name), content.encode() if isinstance(content, str) else bytes(content)) for name, content in (extra_files or {}).items()]
    if isinstance(f, (str, os.PathLike)):
        writer(os.fspath(f), extra)
        return
    if not hasattr(f, "write"):
        raise TypeError(f"jit.save: expected a path or a file opened for writing bytes, but got a {type(f).__name__}")
    writer(f.write, extra)


def is_mgraph(f: Any) -> bool:
    """Whether a name asks for Monograph's own file."""
    return isinstance(f, (str, os.PathLike)) and os.fspath(f).endswith(".mgraph")
