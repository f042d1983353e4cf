"""No circle of imports in the Python package: what a module imports, at its top or inside of a function, leads never back to it.

An import for types alone (`if TYPE_CHECKING:`) does not count: it does not run. Nor does the package `__init__` that Python runs before any
module of its folder. `importlib.import_module(".a", __name__)` counts, if the name is written there."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
Graph = dict[str, dict[str, str]]  # a module: what it imports, and where


def statements(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom | ast.Call]:
    """The imports that run."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for part in node.orelse:
                yield from statements(part)
        else:
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module") and node.args and isinstance(node.args[0], ast.Constant):
                yield node
            yield from statements(node)


def imported(statement: ast.Import | ast.ImportFrom | ast.Call, package: str) -> Iterator[str]:
    """The names that a statement in this package may mean, as far as they can be modules."""
    if isinstance(statement, ast.Call):
        name = str(statement.args[0].value)  # type: ignore[attr-defined]
        dots = len(name) - len(name.lstrip("."))
        yield ".".join([*package.split(".")[: len(package.split(".")) - dots + 1], name.lstrip(".")]) if dots else name
        return
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names)
        return
    folder = package.split(".")[: len(package.split(".")) - statement.level + 1] if statement.level else []
    base = ".".join([*folder, *([statement.module] if statement.module else [])])
    for alias in statement.names:
        yield f"{base}.{alias.name}"


def graph_of(root: Path, package: str) -> Graph:
    files = {}
    for file in sorted((root / package).rglob("*.py")):
        parts = [package, *file.relative_to(root / package).with_suffix("").parts]
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    compiled = {f"{package}._C"}  # the extension: its names are no modules of ours
    graph: Graph = {}
    for name, file in files.items():
        found = graph[name] = {}
        within = name if file.name == "__init__.py" else name.rpartition(".")[0]
        for statement in statements(ast.parse(file.read_text())):
            for target in imported(statement, within):
                target = target if target in files or target in compiled else target.rpartition(".")[0]
                if target in files and target != name:
                    found.setdefault(target, f"{file.relative_to(root)}:{statement.lineno}")
    return graph


def circle(graph: Graph) -> list[str]:
    """The modules of a shortest circle, the first again at the end; empty where there is none."""
    shortest: list[str] = []
    for start in graph:
        came: dict[str, str] = {}
        todo = [start]
        while todo and start not in came:
            at = todo.pop(0)
            for target in graph[at]:
                if target not in came:
                    came[target] = at
                    todo.append(target)
        if start not in came:
            continue
        path = [start]
        while len(path) == 1 or path[-1] != start:
            path.append(came[path[-1]])
        if not shortest or len(path) < len(shortest):
            shortest = path[::-1]
    return shortest


def problems(root: Path, package: str = "monograph") -> list[str]:
    graph = graph_of(root, package)
    path = circle(graph)
    return [f"{graph[a][b]}: {a} imports {b}, in a circle of {len(path) - 1} modules" for a, b in zip(path, path[1:])]


def main() -> int:
    found = problems(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "python")
    print("\n".join(found) if found else "import circles: none")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
