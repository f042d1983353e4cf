"""How graphs travel through pickle and copy.deepcopy: one in operators as its .mgraph file, which holds guards and blocks, another as its nodes."""

from __future__ import annotations

import copy
import os
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from .. import _C
from ._codegen import is_default
from .node import Node, map_aggregate

# They name classes and functions that the reader may lack.
NOT_PICKLED = frozenset({"nn_module_stack", "source_fn_stack", "fwd_source_fn_stack"})


class Ref:
    """Stands for a node inside of the arguments of another."""

    def __init__(self, name: str):
        self.name = name


def is_more_than_nodes(graph: Any) -> bool:
    """Whether copies of its nodes would not be the function: they leave out guards, and the blocks of If and Loop."""
    return bool(_C._guards(graph)) or sum(1 for _ in graph.nodes(recursive=True)) != sum(1 for _ in graph.nodes)


def reduced(graph: Any, from_nodes: Callable[..., Any], places: bool = False) -> tuple[Any, tuple[Any, ...]]:
    """What __reduce_ex__ answers for a graph. from_nodes makes one from the records of its nodes; places: its nodes keep the full names of the files
    that they come from, which a file is not to hold."""
    if getattr(graph, "_inlined", None) is not None:
        raise TypeError("this graph shows the methods of a traced module and cannot be copied or pickled; copy or pickle inlined_graph, which is what runs")
    codegen = () if is_default(graph._codegen) else (graph._codegen,)
    if graph._is_operator_level:
        return _from_file, (_to_file(graph, places), graph.dialect, *codegen)
    if is_more_than_nodes(graph):
        raise TypeError(
            "this graph has guards, or blocks of cond or while_loop, and also nodes that are not operators, so it cannot be pickled. Save the graph in "
            "operators: graph.save(path), torch.load_graph(path)"
        )
    if _C._foreign_inputs(graph):
        raise TypeError("this graph names nodes of other graphs, so it cannot be pickled; graph.lint() says which")
    return from_nodes, ([_fields_of(n) for n in graph.nodes], *codegen)


def copied(graph: Any, from_nodes: Callable[..., Any]) -> Any:
    make, parts = reduced(graph, from_nodes, places=True)
    made = make(*parts)
    for old, new in zip(graph.nodes, made.nodes, strict=True):
        new.meta = dict(old.meta)
    if not is_default(graph._codegen):
        made.set_codegen(copy.deepcopy(graph._codegen))
    return made


def source_roots() -> list[str]:
    """The folders of the function's sources: what Python imports from, the main script's own among them."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    folders = [os.path.dirname(os.path.abspath(main))] if main else []
    return [*folders, *(os.path.abspath(path) for path in sys.path)]


def _to_file(graph: Any, places: bool) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.mgraph")
        _C._save_graph(graph, path, None if places else source_roots())
        with open(path, "rb") as file:
            return file.read()


def _from_file(data: bytes, dialect: str, codegen: Any = None) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.mgraph")
        with open(path, "wb") as file:
            file.write(data)
        graph = _C._load_graph(path, None, True)  # the mapped file stays readable after its name is gone
    graph.dialect = dialect
    if codegen is not None:
        graph.set_codegen(codegen)
    return graph


def _fields_of(node: Node) -> tuple[Any, ...]:
    args, kwargs = map_aggregate((node.args, dict(node.kwargs)), lambda a: Ref(a.name) if isinstance(a, Node) else a)
    meta = {key: value for key, value in node.meta.items() if key not in NOT_PICKLED}
    return node.op, node.target, args, kwargs, node.name, node.type, meta
