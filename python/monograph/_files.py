"""Graphs in files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _C

if TYPE_CHECKING:
    from .fx import Graph


def load_graph(path: str | os.PathLike[str], function: str | None = None, *, verify: bool = False) -> Graph:
    """The graph in a file that Graph.save wrote, or in a text or JSON of a graph; the content decides which. It runs by itself: graph(x).

    Weights stay in the mapped file and are read when they are first used. Their checksums and hashes are compared where `verify` asks for
    it. Of a file with several functions the graph is "forward", unless `function` names another.
    """
    graph = _C._load_graph(path, function, verify)
    graph.owning_module = None
    return graph
