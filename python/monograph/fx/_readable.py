"""Generated code for people to read: comments say where nodes come from, and annotations what is known of their values.

        # File: model.py:12 in forward, code: y = torch.relu(x)
        relu: "f32[2, 3]" = torch.relu(x);  x = None
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _C
from ._colors import painted, with_colors

if TYPE_CHECKING:
    from .graph import Graph
    from .node import Node

_NO_TRACE = "No stacktrace found for following nodes"


def _lines_of_nodes(graph: Graph, lines: list[str]) -> dict[int, Node]:
    """The nodes by the numbers of their lines in the text that C++ wrote."""
    nodes = [n for n in graph.nodes if n.op not in ("placeholder", "output")]
    begin = next(k for k, line in enumerate(lines) if line.startswith("def "))
    body = [k for k, line in enumerate(lines) if k > begin and line.strip()]
    first = len(body) - len(nodes) - (graph._output is not None)  # lines before that name placeholders
    one_line_each = not _C._guards(graph) and not any(_C._has_structure(n) for n in nodes)
    if one_line_each and 0 <= first <= sum(n.op == "placeholder" for n in graph.nodes):
        return dict(zip(body[first:], nodes, strict=False))
    by_name = {node.name: node for node in graph.nodes(recursive=True) if node.op not in ("placeholder", "output")}
    found = {k: by_name.get(re.split(r"[ :=]", lines[k].strip(), maxsplit=1)[0]) for k in body}
    return {k: node for k, node in found.items() if node is not None}


def in_color(graph: Graph, text: str) -> str:
    """The text as a terminal shows it in color."""
    lines = text.split("\n")
    for k, node in _lines_of_nodes(graph, lines).items():
        lines[k] = with_colors(node, lines[k])
    last = next((k for k in reversed(range(len(lines))) if lines[k].lstrip().startswith("return ")), None)
    if last is not None and graph._output is not None:
        lines[last] = with_colors(graph._output, lines[last])
    return "\n".join(lines)


def with_comments(graph: Graph, text: str, comment_of: Callable[[Node], str]) -> str:
    """The text with comment_of(node) and an empty line above the line of each node whose comment is another than that of the node before."""
    lines = text.split("\n")
    nodes = _lines_of_nodes(graph, lines)
    made: list[str] = []
    last = None
    for k, line in enumerate(lines):
        comment = comment_of(nodes[k]) if k in nodes else None
        if comment and comment != last:
            indent = line[: len(line) - len(line.lstrip())]
            made += [f"{indent}{comment}"] if made[-1].startswith("def ") else [indent, f"{indent}{comment}"]
            last = comment
        made.append(line)
    return "\n".join(made)


def with_records(graph: Graph, text: str) -> str:
    """The text with a region of the profiler around each call, which is named after the node's number in the graph, and one around all of it."""
    lines = text.split("\n")
    calls = {node: k for k, node in enumerate(graph.nodes) if node.op in ("call_function", "call_method", "call_module")}
    nodes = _lines_of_nodes(graph, lines)
    made: list[str] = []
    for k, line in enumerate(lines):
        indent = line[: len(line) - len(line.lstrip())]
        number = calls.get(nodes[k]) if k in nodes else None
        if number is not None:
            made.append(_begin_record(indent, f"_rf_{nodes[k].name}", str(number)))
        made.append(line)
        if number is not None:
            made.append(f"{indent}_rf_{nodes[k].name}.__exit__(None, None, None)")
        if line.startswith("def "):
            made.append(_begin_record("    ", "_rf", "ENTER_GRAPH_PLACEHOLDER_KEY"))
    end = max(k for k, line in enumerate(made) if line.strip())
    made.insert(end + 1, "    _rf.__exit__(None, None, None)")
    return "\n".join(made)


def _begin_record(indent: str, name: str, key: str) -> str:
    return f"{indent}{name} = torch._C._profiler._RecordFunctionFast('## {key} ##'); {name}.__enter__()"


def in_dim_color(comment_of: Callable[[Node], str]) -> Callable[[Node], str]:
    """The comments in color."""
    return lambda node: painted("dimmed", comment_of(node))


def trace_comment(node: Node, additional_meta: list[str] | None = None) -> str:
    """What PyTorch writes above a node: the innermost call of its stack trace, and some of its meta."""
    meta = node.meta
    parts = [f"{key}: {meta[key]}" for key in additional_meta or () if key in meta]
    words = f"# {', '.join(parts)} " if parts else ""
    words += "#"
    custom = {key: f"{str(value)[:40]}..." if len(str(value)) > 40 else value for key, value in (meta.get("custom") or {}).items()}
    words += f" Annotation: {custom}" if custom else ""
    graph_id, recompute = meta.get("ac_graph_id"), meta.get("recompute")
    words += f" ac_graph_id: {graph_id}" if graph_id is not None else ""
    if recompute is not None:
        words += f" - {recompute.name}" if graph_id is not None else f" recompute: {recompute.name}"
    return f"{words} {_innermost(meta.get('stack_trace')) or _NO_TRACE}"


def _innermost(stack_trace: str | None) -> str:
    """The last call of a stack trace in one line; "" without one."""
    lines = (stack_trace or "").strip().split("\n")
    for k in range(len(lines) - 2, -1, -1):
        call = re.fullmatch(r"File \"(.+)\", line (\d+), in (.+)", lines[k].strip())
        if call:
            return f"File: {call[1]}:{call[2]} in {call[3]}, code: {lines[k + 1].strip()}"
    return ""


def place_comment(node: Node) -> str:
    """The line of the program that a node comes from, which is known without stack traces, too."""
    recorded = _innermost(node.meta.get("stack_trace"))
    span = node.span
    if recorded or not span:
        return f"# {recorded or _NO_TRACE}"
    file, _, number = span.rpartition(":")
    source = linecache.getline(file, int(number)).strip() if number.isdigit() else ""
    return f"# File: {span}" + (f", code: {source}" if source else "")


def _type_text(value: Any, strides: bool, devices: bool, colored: bool) -> str:
    """f32[2, 3] of a tensor or of what ShapeProp noted of one, with [3, 1] and cpu behind it if asked for; "" of anything else."""
    dtype = getattr(value, "dtype", None)
    parts = re.fullmatch(r"([a-z]+)(\d*)(.*)", str(dtype).rpartition(".")[2])
    if not isinstance(dtype, _C.dtype) or parts is None:
        return ""
    letters = "bf" if parts[1] == "bfloat" else parts[1][0]  # bf16, f32, i64, b8
    stride = str(list(value.stride() if callable(value.stride) else value.stride)) if strides else ""
    device = str(value.device) if devices and hasattr(value, "device") else ""
    texts = f"{letters}{parts[2] or 8}{parts[3]}", str(list(value.shape)), stride, device
    if colored and isinstance(value, _C.TensorBase):  # PyTorch has no colors for what ShapeProp noted
        return "".join(map(painted, ("red", "blue", "dimmed_blue", "dimmed_green"), texts))
    return "".join(texts)


def types_of(graph: Graph, strides: bool, devices: bool, colored: bool = False) -> dict[str, str]:
    """What is known of the nodes' values, in node.meta, by the names of the nodes: {"relu": "f32[2, 3]"}."""
    known = {}
    for node in graph.nodes(recursive=True):
        if node.op == "output":  # its type is that of the function
            continue
        meta = node.meta
        text = _type_text(meta.get("val", meta.get("tensor_meta", meta.get("example_value"))), strides, devices, colored)
        if text:
            known[node.name] = text
    return known
