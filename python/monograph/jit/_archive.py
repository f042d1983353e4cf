"""Writing a program as an archive of TorchScript: what save() of every kind of module does."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import IO, Any

from .. import _C
from ..fx.graph import Graph


def write(program: tuple[Graph, bool], f: str | os.PathLike[str] | IO[bytes], extra_files: Mapping[str, str | bytes] | None = None) -> None:
    """program: a graph of the program, and whether its graphs hold for one mode only. What cannot be written raises before a byte is."""
    graph, one_mode = program
    write_to(lambda to, extra: _C._save_script(graph, to, extra, one_mode), f, extra_files)


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
