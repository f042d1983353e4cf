"""The trees of type comments, as PyTorch's parse_type_comment gives them: for programs that print them, or put the types of a comment beside a function's names.
Nothing of a comment is evaluated."""

from __future__ import annotations

import ast
import re
from typing import Any

_WIDTH = 40  # what fits in it stands in one line, as in PyTorch


class Decl:
    """The parameters and the result of a function. A tree is (kind, parts...), or a text."""

    def __init__(self, tree: tuple[Any, ...], source: str) -> None:
        self._tree, self._source = tree, source

    def range(self) -> str:
        """Where it stands."""
        return f"SourceRange at:\n{self._source}\n{'~' * len(self._source)} <---\n"

    def dump(self) -> None:
        """Prints the tree."""
        print(_shown(self._tree, 0))

    def __str__(self) -> str:
        return _shown(self._tree, 0) + "\n"

    __repr__ = __str__


def _flat(tree: Any) -> str:
    return tree if isinstance(tree, str) else f"({' '.join([tree[0], *map(_flat, tree[1:])])})"


def _shown(tree: Any, indent: int) -> str:
    flat = _flat(tree)
    if indent + len(flat) < _WIDTH or isinstance(tree, str):
        return flat
    inner = "".join(f"\n{' ' * (indent + 2)}{_shown(part, indent + 2)}" for part in tree[1:])
    return f"({tree[0]}{inner})"


def _of(e: ast.expr) -> tuple[Any, ...]:
    """The tree of a type."""
    if isinstance(e, ast.Name):
        return ("variable", ("ident", e.id))
    if isinstance(e, ast.Attribute):
        return (".", _of(e.value), ("ident", e.attr))
    if isinstance(e, ast.Constant) and isinstance(e.value, str):
        return ("string_literal", e.value)
    if isinstance(e, ast.Constant) and isinstance(e.value, (bool, type(None))):
        return (str(e.value),)
    if isinstance(e, ast.Subscript):
        parts = e.slice.elts if isinstance(e.slice, ast.Tuple) and e.slice.elts else [e.slice]
        return ("subscript", _of(e.value), ("list", *map(_of, parts)))
    if isinstance(e, ast.Tuple):
        return ("tuple-literal", ("list", *map(_of, e.elts)))
    if isinstance(e, ast.List):
        return ("list-literal", ("list", *map(_of, e.elts)))
    if isinstance(e, ast.Starred):
        return ("starred", _of(e.value))
    if isinstance(e, ast.BinOp) and isinstance(e.op, ast.BitOr):
        return ("|", _of(e.left), _of(e.right))
    raise RuntimeError(f"'{ast.unparse(e)}' is not a type of a type comment")


def parse_type_comment(comment: str) -> Decl:
    """The tree of `# type: (int, Tensor) -> Tensor`. RuntimeError for other texts.

    >>> torch.parse_type_comment("# type: () -> None")
    (decl (list) (option (None)))
    """
    found = re.fullmatch(r"\s*# type:\s*(\(.*?\))\s*(?:->\s*(.+?))?\s*", comment, re.DOTALL)
    if found is None:
        raise RuntimeError(f"expected a type comment such as '# type: (int, Tensor) -> Tensor', but got:\n{comment}\n{'~' * len(comment)} <--- HERE")
    try:
        given = ast.parse(f"f{found[1]}", mode="eval").body
        result = ast.parse(found[2], mode="eval").body if found[2] else None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise RuntimeError(f"a type comment has types between parentheses and behind '->', but this one is:\n{comment}\n{'~' * len(comment)} <--- HERE") from error
    if not isinstance(given, ast.Call) or given.keywords:
        raise RuntimeError(f"the types of a type comment have no names, but this one is:\n{comment}\n{'~' * len(comment)} <--- HERE")
    parameters = [("param", ("ident", ""), ("option", _of(part)), ("option",), ("False",)) for part in given.args]
    return Decl(("decl", ("list", *parameters), ("option",) if result is None else ("option", _of(result))), comment)


def merge_type_from_type_comment(decl: Decl, type_annotation_decl: Decl, is_method: bool) -> Decl:
    """The first one with the types of the second; the first parameter of a method keeps its own. RuntimeError where they have not as many."""
    into, types = list(decl._tree[1][1:]), type_annotation_decl._tree[1][1:]
    first = 1 if is_method else 0
    if len(types) != len(into) - first:
        raise RuntimeError(
            f"Number of type annotations ({len(types)}) did not match the number of function {'method' if is_method else ''}parameters ({len(into) - first}):\n{decl._source}"
        )
    for k, (_, _, given, *_) in enumerate(types):
        kind, name, _, *rest = into[first + k]
        into[first + k] = (kind, name, given, *rest)
    return Decl(("decl", ("list", *into), type_annotation_decl._tree[2]), decl._source)
