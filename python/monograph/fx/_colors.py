"""Colors of generated code in a terminal, those of PyTorch: constants are blue, frees and comments dim, dtypes red, devices green.

        a = torch.add(x, 2);  x = None        # here 2 is blue, and `x = None` is dim

Each line is parsed with `ast`. Its arguments are visited side by side with node.args and node.kwargs, which tell nodes from constants.
"""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .. import _C

if TYPE_CHECKING:
    from .node import Node

_CODES = {"red": "\033[31m", "blue": "\033[34m", "dimmed": "\033[2m", "dimmed_blue": "\033[2m\033[34m", "dimmed_green": "\033[2m\033[32m"}


def painted(color: str, text: str) -> str:
    """The text in this color; what follows it has the terminal's own color."""
    return f"{_CODES[color]}{text}\033[0m"


def colored_value(value: Any) -> str:
    """repr() of the default value of a parameter, in color. As PyTorch does, the brackets of tuples and lists stay without."""
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return f"({', '.join(map(colored_value, value))}{',' * (len(value) == 1)})"
    return f"[{', '.join(map(colored_value, value))}]" if isinstance(value, list) else painted("blue", repr(value))


def _constants(value: Any, code: ast.expr | None) -> Iterator[ast.expr]:
    """The parts of an argument's code that are constants. `value`: the same argument in node.args."""
    from .node import Node

    if code is None or isinstance(value, (Node, enum.Enum, _C.TensorBase)) or hasattr(value, "_fields") or hasattr(value, "_schema"):
        return
    if isinstance(value, (tuple, list)):
        for part, part_code in zip(value, getattr(code, "elts", ()), strict=False):
            yield from _constants(part, part_code)
    elif isinstance(value, slice):
        for part, part_code in zip((value.start, value.stop, value.step), getattr(code, "args", ()), strict=False):
            yield from _constants(part, part_code)
    else:  # of a dict, too, PyTorch colors the whole
        yield code


def _operands(code: ast.stmt) -> list[ast.expr]:
    """The operands of an operator's line, in the order of node.args; [] of other lines."""
    if isinstance(code, ast.AugAssign):
        return [code.target, code.value]
    if isinstance(code, ast.Assign) and isinstance(code.targets[0], ast.Subscript):  # x[i] = y
        return [code.targets[0].value, code.targets[0].slice, code.value]
    value = code.value if isinstance(code, (ast.Assign, ast.AnnAssign)) else None
    if isinstance(value, ast.BinOp):
        return [value.left, value.right]
    if isinstance(value, ast.Compare):
        return [value.left, *value.comparators]
    if isinstance(value, ast.UnaryOp):
        return [value.operand]
    return [value.value, value.slice] if isinstance(value, ast.Subscript) else []


def _constants_of_line(node: Node, code: ast.stmt) -> Iterator[ast.expr]:
    if node.op == "output":
        yield from _constants(node.args[0], code.value if isinstance(code, ast.Return) else None)
        return
    value = code.value if isinstance(code, (ast.Assign, ast.AnnAssign)) else None
    if isinstance(value, ast.Call):
        keywords = {keyword.arg: keyword.value for keyword in value.keywords}
        for argument, argument_code in zip(node.args[node.op == "call_method" :], value.args, strict=False):
            yield from _constants(argument, argument_code)
        for name, argument in node.kwargs.items():
            yield from _constants(argument, keywords.get(name))
    else:
        for argument, argument_code in zip(node.args, _operands(code), strict=False):
            yield from _constants(argument, argument_code)


def _is_free(code: ast.stmt) -> bool:
    """Whether a statement is `x = y = None`, which frees values after their last use."""
    return isinstance(code, ast.Assign) and isinstance(code.value, ast.Constant) and code.value.value is None


def with_colors(node: Node, line: str) -> str:
    """The line of generated code that runs a node, in color."""
    body = line.lstrip()
    indent = line[: len(line) - len(body)]
    try:
        statements: list[ast.stmt] = ast.parse(f"def f():\n {body}").body[0].body  # type: ignore[attr-defined]
    except SyntaxError:  # the head of an `if` or a loop
        return line
    operation = next((s for s in statements if isinstance(s, ast.AugAssign)), statements[0])  # iadd = a;  iadd += 3
    found = [("blue", part.col_offset, part.end_col_offset) for part in _constants_of_line(node, operation)]
    if len(statements) > 1 and _is_free(statements[-1]):
        found.append(("dimmed", statements[-1].col_offset, statements[-1].end_col_offset))
    text = f" {body}".encode()  # columns count bytes
    for color, begin, end in sorted(found, key=lambda part: part[1], reverse=True):
        text = text[:begin] + painted(color, text[begin:end].decode()).encode() + text[end:]
    return indent + text.decode()[1:]
