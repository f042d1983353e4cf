"""Writing a program as an archive of TorchScript: what save() of every kind of module does."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import IO, Any

from .. import _C
from ..fx.graph import Graph


def write(program: tuple[Graph, bool], f: str | os.PathLike[str] | IO[bytes], extra_files: Mapping[str, str | bytes] | None = None) -> None:
    """program: a graph of the program, and whether its graphs hold for one mode only. What cannot be written raises before a byte is."""
    graph, one_mode = program
    extra = [(str(name), content.encode() if isinstance(content, str) else bytes(content)) for name, content in (extra_files or {}).items()]
    if isinstance(f, (str, os.PathLike)):
        _C._save_script(graph, os.fspath(f), extra, one_mode)
        return
    if not hasattr(f, "write"):
        raise TypeError(f"jit.save: expected a path or a file opened for writing bytes, but got a {type(f).__name__}")
    _C._save_script(graph, f.write, extra, one_mode)


def is_mgraph(f: Any) -> bool:
    """Whether a name asks for Monograph's own file."""
    return isinstance(f, (str, os.PathLike)) and os.fspath(f).endswith(".mgraph")
