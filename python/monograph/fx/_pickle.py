"""How graphs travel through pickle and copy.deepcopy: one in operators as its .mgraph file, another as its nodes, with the blocks of If and Loop, guards and types.

A record of a node is (op, target, args, kwargs, name, annotation, meta), in which a Ref stands for a node. The record of an If or Loop ends with a Blocks, and that
of one of its results with a Result. A copy of a graph that is not in operators is a clone, made in C++.
"""

from __future__ import annotations

import copy
import functools
import os
import pickle
import sys
import tempfile
from collections.abc import Callable
from typing import Any, NamedTuple

from .. import _C
from ._codegen import is_default
from .node import Node, map_aggregate

# They name classes and functions that the reader may lack.
NOT_PICKLED = frozenset({"nn_module_stack", "source_fn_stack", "fwd_source_fn_stack"})


class Ref:
    """Stands for a node inside of the arguments of another."""

    def __init__(self, name: str):
        self.name = name


class Result(NamedTuple):
    """Marks the record of a node that stands for one result of a node with several."""

    place: int


class Blocks(NamedTuple):
    """What an If or Loop has beside the rest: of each block the records of its placeholders and nodes, and what it returns; and the number of results."""

    blocks: list[tuple[list[tuple[Any, ...]], Any]]
    results: int


def is_more_than_nodes(graph: Any) -> bool:
    """Whether copies of its nodes would not be the function: they leave out guards, and the blocks of If and Loop."""
    return bool(_C._guards(graph)) or sum(1 for _ in graph.nodes(recursive=True)) != sum(1 for _ in graph.nodes)


def can_be_pickled(value: Any) -> bool:
    if value is None or type(value) in (bool, int, float, str):
        return True
    try:
        pickle.dumps(value)
    except Exception:
        return False
    return True


# Writing ---------------------------------------------------------------------------------------------------------------------------------
def reduced(graph: Any, from_nodes: Callable[..., Any]) -> tuple[Any, tuple[Any, ...]]:
    """What __reduce_ex__ answers for a graph. from_nodes makes one from the records of its nodes."""
    _refuse_view(graph)
    codegen = None if is_default(graph._codegen) else graph._codegen
    if graph._is_operator_level:
        return _from_file, (_to_file(graph, places=False), graph.dialect, codegen)
    if _C._foreign_inputs(graph):
        raise TypeError("this graph names nodes of other graphs, so it cannot be pickled; graph.lint() says which")
    return from_nodes, ([_record(n) for n in graph.nodes], codegen, _facts(graph))


def _refuse_view(graph: Any) -> None:
    if getattr(graph, "_inlined", None) is not None:
        raise TypeError("this graph shows the methods of a traced module and cannot be copied or pickled; copy or pickle inlined_graph, which is what runs")


def _facts(graph: Any) -> dict[str, Any]:
    """What a graph knows beside its nodes."""
    symbols, types, guards = _C._graph_facts(graph)
    tracer = getattr(graph, "_tracer_cls", None)
    known = {"symbols": symbols, "types": types, "guards": guards, "relied_on": _C._relied_on(graph)}
    if tracer is not None and "<locals>" not in tracer.__qualname__:  # one that is defined in a function has no name for a pickle
        known["tracer"] = tracer
    return {key: value for key, value in known.items() if value}


def _record(node: Node) -> tuple[Any, ...]:
    args, kwargs = _with_refs((node.args, dict(node.kwargs)))
    meta = {key: value for key, value in node.meta.items() if key not in NOT_PICKLED and can_be_pickled(value)}
    record = node.op, node.target, args, kwargs, node.name, node.type, meta
    if _C._is_result(node):
        return (*record, Result(node.args[1]))
    blocks = [([_record(n) for n in (*inputs, *nodes)], _with_refs(tuple(results))) for inputs, nodes, results in _C._blocks(node)]
    return (*record, Blocks(blocks, _C._result_count(node))) if blocks else record


def _with_refs(values: Any) -> Any:
    return map_aggregate(values, lambda a: Ref(a.name) if isinstance(a, Node) else a)


def source_roots() -> list[str]:
    """The folders of the function's sources: what Python imports from, the main script's own among them."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    folders = [os.path.dirname(os.path.abspath(main))] if main else []
    return [*folders, *(os.path.abspath(path) for path in sys.path)]


def _to_file(graph: Any, places: bool) -> bytes:
    """places: the nodes keep the full names of the files that they come from, which a file is not to hold."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.mgraph")
        _C._save_graph(graph, path, None if places else source_roots())
        with open(path, "rb") as file:
            return file.read()


# Reading ---------------------------------------------------------------------------------------------------------------------------------
def _from_file(data: bytes, dialect: str, codegen: Any = None) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "graph.mgraph")
        with open(path, "wb") as file:
            file.write(data)
        graph = _C._load_graph(path, None, True)  # the mapped file stays readable after its name is gone
    from ..jit._classes import returned_type

    graph.dialect = dialect
    if (text := returned_type(graph)) is not None:
        graph._returned = (graph._version, text)
    if codegen is not None:
        graph.set_codegen(codegen)
    return graph


def fill(graph: Any, records: list[tuple[Any, ...]], facts: dict[str, Any]) -> None:
    """Makes the nodes of a graph that has none yet."""
    nodes: dict[str, Node] = {}
    _add_nodes(graph, records, nodes)
    _C._set_graph_facts(graph, nodes, facts.get("symbols", []), facts.get("types", []), facts.get("guards", []))
    _C._set_relied_on(graph, facts.get("relied_on", []))


def _add_nodes(graph: Any, records: list[tuple[Any, ...]], nodes: dict[str, Node]) -> None:
    """Makes nodes at the insertion point. `nodes` has those that are known by their names in the records, and learns the new ones."""
    for op, target, args, kwargs, name, annotation, meta, *structure in records:
        args, kwargs = _with_nodes((args, kwargs), nodes)
        match structure:
            case [Result(place)]:
                made = _C._make_result(args[0], place, name)
            case [Blocks(blocks, results)]:
                made = _C._make_region(graph, target, args, name, results, [functools.partial(_fill_block, graph, b, nodes) for b in blocks])
            case _:
                made = graph.create_node(op, target, args, kwargs, name)
        if annotation is not None:
            made.type = annotation
        if meta:
            made.meta = meta
        nodes[name] = made


def _fill_block(graph: Any, block: tuple[list[tuple[Any, ...]], Any], nodes: dict[str, Node]) -> Any:
    records, results = block
    _add_nodes(graph, records, nodes)
    return _with_nodes(results, nodes)


def _with_nodes(values: Any, nodes: dict[str, Node]) -> Any:
    return map_aggregate(values, lambda a: nodes[a.name] if isinstance(a, Ref) else a)


# Copying ---------------------------------------------------------------------------------------------------------------------------------
def copied(graph: Any) -> Any:
    """A copy with all that the graph has: guards, blocks and types, and what Python notes about the nodes."""
    _refuse_view(graph)
    made = _from_file(_to_file(graph, places=True), graph.dialect) if graph._is_operator_level else _C._clone(graph)
    pairs = list(zip(graph.nodes(recursive=True), made.nodes(recursive=True), strict=True))
    for old, new in pairs:
        if meta := old.meta:
            new.meta = dict(meta)
        if old.type is not None:
            new.type = old.type
    for name in ("_tracer_cls", "_tracer_extras"):
        if name in graph.__dict__:
            made.__dict__[name] = graph.__dict__[name]
    if (calls := graph.__dict__.get("_module_calls")) is not None:
        calls.copied_to(made, dict(pairs))
    if not is_default(graph._codegen):
        made.set_codegen(copy.deepcopy(graph._codegen))
    return made
