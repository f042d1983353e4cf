"""Decides whether the text of a proxy is only shown: by print(), or in the message of an error or of torch._assert().

Then the text may be that of the proxy. Any other use of the text raises an error, because the program would compute with it.
"""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import linecache
from types import FrameType
from typing import Any

from .. import _C
from ..functional import _assert

_Place = tuple[int, int, int, int]


def _place(node: ast.expr) -> _Place:
    return (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)


def _path(function: ast.expr) -> tuple[str, ...]:
    """The names in `torch._assert`: ("torch", "_assert"). Empty if the function is not written by names."""
    if isinstance(function, ast.Attribute):
        outer = _path(function.value)
        return (*outer, function.attr) if outer else ()
    return (function.id,) if isinstance(function, ast.Name) else ()


@functools.lru_cache(maxsize=16)
def _readers(source: str) -> dict[_Place, tuple[str, ...]]:
    """The places of a source where a text is only shown: the calls of print with their arguments, the messages of torch._assert, and the arguments of
    exceptions that are raised.

    Each has the names of the function that is called. The place counts only while these mean print or torch._assert.
    """
    places: dict[_Place, tuple[str, ...]] = {}
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return places
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            path = _path(node.func)
            if path == ("print",):
                if all(keyword.arg in ("sep", "end", "flush") for keyword in node.keywords):  # a file= may be read again
                    places.update((_place(made), path) for made in (node, *node.args))
            elif path[-1:] == ("_assert",):
                places.update((_place(made), path) for made in (*node.args[1:2], *(k.value for k in node.keywords if k.arg == "message")))
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            places.update((_place(made), ()) for made in node.exc.args)
        elif isinstance(node, ast.Assert) and node.msg is not None:
            places[_place(node.msg)] = ()
    return places


def only_shown(frame: FrameType) -> bool:
    """Whether the instruction of this frame that makes a text now makes it for a reader alone."""
    code = frame.f_code
    line, end, column, end_column = next(itertools.islice(code.co_positions(), frame.f_lasti // 2, None))
    if line is None or end is None or column is None or end_column is None:  # Python runs without them (-X no_debug_ranges)
        return False
    source = "".join(_C._unwatched(linecache.getlines, code.co_filename, frame.f_globals))
    path = _C._unwatched(_readers, source).get((line, column, end, end_column))
    if not path:
        return path is not None
    called: Any = {**vars(builtins), **frame.f_globals, **frame.f_locals}.get(path[0])
    for name in path[1:]:
        called = getattr(called, name, None)
    return called is builtins.print or called is _assert
