"""Whether the text of a proxy goes no further than to a reader: to print(), or to the message of an error."""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import linecache
from types import FrameType

_Place = tuple[int, int, int, int]


def _place(node: ast.expr) -> _Place:
    return (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)


@functools.lru_cache(maxsize=16)
def _readers(source: str) -> dict[_Place, bool]:
    """Where texts are made for a reader alone: the calls of print and what they are given, and what exceptions that are raised are given.

    True where that holds only as long as `print` is Python's.
    """
    places: dict[_Place, bool] = {}
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return places
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            if all(keyword.arg in ("sep", "end", "flush") for keyword in node.keywords):  # a file= may be read again
                places.update((_place(made), True) for made in (node, *node.args))
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            places.update((_place(made), False) for made in node.exc.args)
        elif isinstance(node, ast.Assert) and node.msg is not None:
            places[_place(node.msg)] = False
    return places


def only_shown(frame: FrameType) -> bool:
    """Whether the instruction of this frame that makes a text now makes it for a reader alone."""
    code = frame.f_code
    line, end, column, end_column = next(itertools.islice(code.co_positions(), frame.f_lasti // 2, None))
    if line is None or end is None or column is None or end_column is None:  # Python runs without them (-X no_debug_ranges)
        return False
    source = "".join(linecache.getlines(code.co_filename, frame.f_globals))
    by_print = _readers(source).get((line, column, end, end_column))
    if by_print is None:
        return False
    names = {**vars(builtins), **frame.f_globals, **frame.f_locals}
    return not by_print or names["print"] is builtins.print
