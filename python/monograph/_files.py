"""Graphs in files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _C

if TYPE_CHECKING:
    from .fx import Graph


def load_graph(path: str | os.PathLike[str], function: str | None = None, *, verify: bool = False) -> Graph:
    """Loads the graph in a file: a .mgraph file that Graph.save wrote, or the text or JSON of a graph. Call it to run it: graph(x).

    Weights are read from the file when they are first used. verify=True reads them at once, and compares their checksums and hashes.
    If the file has several functions, `function` names one; the default is "forward".
    """
    from .jit._classes import returned_type

    graph = _C._load_graph(path, function, verify)
    graph.owning_module = None
    text = returned_type(graph)
    if text is not None:
        graph._returned = (graph._version, text)
    return graph
