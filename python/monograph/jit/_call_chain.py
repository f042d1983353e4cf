"""Where an error of a running script happened: the layer, and the user's line that calls it. The graph stands in place, so that its nodes know their own line alone."""

from __future__ import annotations

import contextlib
import re
from typing import Any

from .. import _C

_SCOPE = "__module."


def tell_layer(error: Exception, owner: Any, name: str) -> None:
    """Adds to the message of an error that a method raised in which layer it happened, and where the method calls this layer or what holds it."""
    message = error.args[0] if error.args and isinstance(error.args[0], str) else ""
    place = re.search(r"\n  at (.+:\d+)$", message, re.MULTILINE)
    if place is None:
        return
    with contextlib.suppress(RuntimeError, NotImplementedError):
        flat, methods, *_ = owner._entry(name)
        paths = {_C._view_scope(n).removeprefix(_SCOPE) for n in flat.nodes(recursive=True) if n.span == place[1]}
        if len(paths) == 1 and (path := paths.pop()):
            layer = owner.get_submodule(path)
            called = _line_of_call(methods, path)
            where = f", which is called at {called}" if called else ""
            error.args = (f"{message}\n  in '{path}' ({getattr(layer, 'original_name', type(layer).__name__)}){where}", *error.args[1:])


def _line_of_call(methods: Any, path: str) -> str | None:
    """Where the graph of a method, in which calls of submodules are calls, calls the module at this path or one that holds it; None where that is no one line."""
    called = [n for n in methods.nodes(recursive=True) if n.op == "call_method" and n.args and f"{path}.".startswith(f"{_path_of(n.args[0])}.")]
    lines = {n.span for n in called}
    return lines.pop() if len(lines) == 1 else None


def _path_of(read: Any) -> str:
    return str(read.target) if getattr(read, "op", "") == "get_attr" else "?"
