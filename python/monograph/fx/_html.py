"""Graphs in notebooks: a table of nodes, of a size that does not grow with the graph."""

from __future__ import annotations

import html
from collections.abc import Iterator
from itertools import islice
from typing import Any

from .. import _C

_NODES, _WIDTH = 100, 80  # at most so many rows, and characters in a cell
_DEPTH = 10  # blocks that are deeper inside of others are not indented further


def _cell(text: str, depth: int = 0) -> str:
    short = text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "\N{HORIZONTAL ELLIPSIS}"
    indent = f"; padding-left: {0.5 + 2 * min(depth, _DEPTH)}em" if depth else ""
    return f"<td style='text-align: left{indent}'><code>{html.escape(short)}</code></td>"


def _named(value: Any) -> str:
    """An argument of a node: a node by its name, and of a list no more than fits into a cell."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_named(part) for part in islice(value, _WIDTH // 2)) + "]"
    return value.name if hasattr(value, "op") and hasattr(value, "name") else repr(value)[: 2 * _WIDTH]


def _target(node: Any) -> str:
    target = node.target
    return target if isinstance(target, str) else getattr(target, "__name__", None) or str(target)


def _with_depth(graph: Any) -> Iterator[tuple[Any, int]]:
    """The nodes, each before those of its blocks, with the number of blocks around it."""
    left: list[int] = []  # of each node around: how many of its blocks have not ended
    for node in graph.nodes(recursive=True):
        yield node, len(left)
        if node.op == "output" and left:
            left[-1] -= 1
            if not left[-1]:
                left.pop()
        elif _C._has_structure(node):
            left.append(len(list(node.blocks())))


def _row(node: Any, depth: int) -> str:
    arguments = [*map(_named, node.args), *(f"{key}={_named(value)}" for key, value in node.kwargs.items())]
    cells = (node.op, _target(node), ", ".join(arguments), str(node.value_type or ""))
    return f"<tr>{_cell(node.name, depth)}{''.join(map(_cell, cells))}</tr>"


def graph_as_html(graph: Any, title: str) -> str:
    """The first nodes as a table. The nodes in the blocks of an If or Loop are indented. Every text in it is escaped."""
    count = sum(1 for _ in graph.nodes(recursive=True))
    rows = "".join(_row(node, depth) for node, depth in islice(_with_depth(graph), _NODES))
    head = "".join(f"<th style='text-align: left'>{name}</th>" for name in ("name", "op", "target", "arguments", "type"))
    more = f"<p>{count - _NODES} more nodes. print(graph) shows all.</p>" if count > _NODES else ""
    return f"<p><b>{html.escape(title)}</b>: {count} nodes</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"
