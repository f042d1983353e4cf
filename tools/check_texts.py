"""Nothing is recognized by the text of an error or of a repr: what code has to know stands in a class or an attribute.

In Python, the text of a caught exception (`str(error)`, `error.args[0]`) or a `repr()` may not be compared, searched or taken apart; in C++, neither may what()
of an exception. To show such a text is fine, as a whole or its first line. KNOWN lists the exceptions, with the reason. An entry that is found no more must go."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TAKES_APART = {"startswith", "endswith", "find", "rfind", "index", "partition", "rpartition", "split", "removeprefix", "removesuffix", "count"}
SEARCHES = {"match", "search", "fullmatch", "findall", "finditer", "split"}  # of re

KNOWN = {
    "python/monograph/_capture.py: why != str(error)": "the same text is not shown twice",
    'src/cli/main.cpp: if (what.ends_with(" missing")) what = what.substr(0, what.find(\':\')) + " needs a value";  // CLI11: "--form: 1 required FORM missing"': "CLI11 has no other sign of it",
}


def is_text(node: ast.AST, caught: set[str]) -> bool:
    """Whether an expression is the text of a caught exception, or a repr."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
        of = node.args[0]
        if node.func.id == "repr":
            return True
        if node.func.id == "str":
            return isinstance(of, ast.Name) and of.id in caught or isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "type"
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "args":
        return isinstance(node.value.value, ast.Name) and node.value.value.id in caught
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):  # str(error).lower()
        return is_text(node.func.value, caught)
    return False


def recognized(tree: ast.AST) -> Iterator[ast.AST]:
    """The expressions that recognize something by such a text."""
    caught = {handler.name for handler in ast.walk(tree) if isinstance(handler, ast.ExceptHandler) and handler.name}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            if any(is_text(part, caught) for part in (node.left, *node.comparators)):
                yield node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            on = node.func.value
            if node.func.attr in TAKES_APART and is_text(on, caught):
                yield node
            elif node.func.attr in SEARCHES and isinstance(on, ast.Name) and on.id == "re" and any(is_text(a, caught) for a in node.args):
                yield node


WHAT = re.compile(r"\bwhat(?:\(\))?\)?\.(?:find|rfind|starts_with|ends_with|contains|substr|compare)\(|what\(\)\s*[!=]=|str(?:str|n?cmp)\([^;]*what\(\)")


def problems(root: Path, known: dict[str, str]) -> list[str]:
    found = []
    for file in sorted((root / "python" / "monograph").rglob("*.py")):
        where = file.relative_to(root).as_posix()
        found += [f"{where}: {ast.unparse(node)}" for node in recognized(ast.parse(file.read_text()))]
    for folder in ("src", "python/bindings"):
        for file in sorted((root / folder).rglob("*.[ch]*")):
            where = file.relative_to(root).as_posix()
            found += [f"{where}: {line.strip()}" for line in file.read_text().splitlines() if WHAT.search(line)]
    out = [f"{entry}\n  recognizes something by the text of an error or repr; give it a class or an attribute" for entry in found if entry not in known]
    return out + [f"tools/check_texts.py lists {entry!r}, which is not there: take it out" for entry in known if entry not in found]


def main() -> int:
    found = problems(ROOT, KNOWN)
    print("\n".join(found) if found else f"texts of errors and reprs: nothing is recognized by one, {len(KNOWN)} exceptions")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
