"""Graphs in notebooks: a table of nodes, of a size that does not grow with the graph."""

from __future__ import annotations

import html
from collections.abc import Iterable
from itertools import islice
from typing import Any

_NODES, _WIDTH = 100, 80  # at most so many rows, and characters in a cell


def _cell(text: str) -> str:
    short = text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "\N{HORIZONTAL ELLIPSIS}"
    return f"<td style='text-align: left'><code>{html.escape(short)}</code></td>"


def _named(value: Any) -> str:
    """An argument of a node: a node by its name, and of a list no more than fits into a cell."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_named(part) for part in islice(value, _WIDTH // 2)) + "]"
    return value.name if hasattr(value, "op") and hasattr(value, "name") else repr(value)[: 2 * _WIDTH]


def _target(node: Any) -> str:
    target = node.target
    return target if isinstance(target, str) else getattr(target, "__name__", None) or str(target)


def _row(node: Any) -> str:
    arguments = [*map(_named, node.args), *(f"{key}={_named(value)}" for key, value in node.kwargs.items())]
    cells: Iterable[str] = (node.name, node.op, _target(node), ", ".join(arguments), str(node.value_type or ""))
    return f"<tr>{''.join(map(_cell, cells))}</tr>"


def graph_as_html(graph: Any, title: str) -> str:
    """The first nodes as a table. Every text in it is escaped."""
    count = len(graph.nodes)
    rows = "".join(_row(node) for node in islice(graph.nodes, _NODES))
    head = "".join(f"<th style='text-align: left'>{name}</th>" for name in ("name", "op", "target", "arguments", "type"))
    more = f"<p>{count - _NODES} more nodes. print(graph) shows all.</p>" if count > _NODES else ""
    return f"<p><b>{html.escape(title)}</b>: {count} nodes</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"
