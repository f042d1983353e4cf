"""Decides whether the text of a proxy is only shown: by print(), or in the message of an error.

Then the text may be that of the proxy. Any other use of the text raises an error, because the program would compute with it.
"""

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
    """The places of a source where a text is only shown: the calls of print with their arguments, and the arguments of exceptions that are raised.

    The value is True for a print: the place counts only while `print` is Python's own function.
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
