"""python -m monograph --doctor script.py: the names of torch that a program and its imports use, and which of them are missing. Nothing is run.

What is followed are the imports that stand in the text of the program and of the modules that it imports. A module that is found only while the program runs
(importlib, a package that imports its parts when they are used) is not followed."""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import json
import os
import sys
import types
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from . import _absent
from ._standin import _is_known_module

_PACKAGE = __name__.partition(".")[0]
_OWN = {"torch", _PACKAGE}
_NOT_READ = _OWN | set(sys.stdlib_module_names) | {"numpy"}  # they use no torch
_PLAIN = (dict, list, str, bytes, set, float)  # whose methods say nothing of a tensor


@dataclass
class Name:
    """A name of torch. state: "there", "missing", or "unknown" of what neither library documents. places: the uses, as "file:line"."""

    full: str
    state: str
    places: list[str] = field(default_factory=list)


class _Uses(ast.NodeVisitor):
    """The names of torch in one module, with their lines, the methods that are called, and the modules that it imports."""

    def __init__(self, module: str, is_package: bool):
        self.package = module if is_package else module.rpartition(".")[0]
        self.aliases: dict[str, str] = {}
        self.names: list[tuple[str, int]] = []
        self.methods: list[tuple[str, int]] = []
        self.modules: list[str] = []

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            if top in _OWN:
                self.aliases[alias.asname or top] = _of_torch(alias.name if alias.asname else top)
                self.names.append((_of_torch(alias.name), node.lineno))
            else:
                self.modules.append(alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        home = node.module or ""
        if node.level:
            parts = self.package.split(".")
            home = ".".join([*parts[: len(parts) - node.level + 1], *([home] if home else [])])
        if home.partition(".")[0] not in _OWN:
            self.modules += [home, *(f"{home}.{alias.name}" for alias in node.names)]
            return
        for alias in node.names:
            full = _of_torch(home if alias.name == "*" else f"{home}.{alias.name}")
            self.names.append((full, node.lineno))
            self.aliases[alias.asname or alias.name] = full

    def visit_Assign(self, node: ast.Assign) -> None:  # nn = torch.nn
        full = self.chain(node.value)
        if full is not None and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self.aliases[node.targets[0].id] = full
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        full = self.chain(node)
        if full is None:
            self.generic_visit(node)
        else:
            self.names.append((full, node.lineno))

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and self.chain(node.func) is None:
            self.methods.append((node.func.attr, node.lineno))
        self.generic_visit(node)

    def chain(self, node: ast.AST) -> str | None:
        """torch.nn.Linear of attributes that begin with a name of torch."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.aliases or not parts:
            return None
        return ".".join([self.aliases[node.id], *parts])


def _of_torch(name: str) -> str:
    return "torch" + name[name.index(".") :] if "." in name else "torch"


def _resolved(full: str) -> tuple[str, str]:
    """The part of a chain that is a name of torch (torch.float32 of torch.float32.itemsize), and its state."""
    value: Any = sys.modules[_PACKAGE]
    parts = full.split(".")
    for k, part in enumerate(parts[1:], 1):
        known = ".".join(parts[: k + 1])
        try:
            value = getattr(value, part)
        except (AttributeError, ImportError, RuntimeError):
            try:
                value = importlib.import_module(known.replace("torch", _PACKAGE, 1))
            except (ImportError, ValueError):
                if _is_known_module(known):
                    return full, "missing"
                return known, "missing" if _absent._is_known(*known.rsplit(".", 1)) else "unknown"
        if not isinstance(value, (types.ModuleType, type)):
            return known, "there"
    return full, "there"


class Findings:
    """What a script and its imports use: `names` by full name, and the number of `modules` that were read."""

    def __init__(self, script: str):
        self.names: dict[str, Name] = {}
        self.methods: dict[str, Name] = {}
        self.modules = 0
        self.unread: list[str] = []
        self._paths = [os.path.dirname(os.path.abspath(script)), *sys.path]
        self._seen: set[str] = set()
        waiting = self._read("__main__", script, False)
        while waiting:
            waiting += self._follow(waiting.pop(0))

    def _read(self, module: str, file: str, is_package: bool) -> list[str]:
        try:
            with open(file, encoding="utf-8") as source:
                text = source.read()
            tree = ast.parse(text, file)
        except (OSError, SyntaxError, ValueError) as error:
            if module == "__main__":
                raise
            self.unread.append(f"{file}: {error}")
            return []
        self.modules += 1
        uses = _Uses(module, is_package)
        uses.visit(tree)
        for full, line in uses.names:
            full, state = _resolved(full)
            self.names.setdefault(full, Name(full, state)).places.append(f"{file}:{line}")
        tensor = sys.modules[_PACKAGE].Tensor
        for method, line in uses.methods:
            if not hasattr(tensor, method) and not any(hasattr(kind, method) for kind in _PLAIN) and _absent._is_known("torch.Tensor", method):
                self.methods.setdefault(method, Name(f"torch.Tensor.{method}", "missing")).places.append(f"{file}:{line}")
        return uses.modules

    def _follow(self, module: str) -> list[str]:
        found: list[str] = []
        places: Iterable[str] | None = self._paths
        parts = module.split(".")
        if not module or parts[0] in _NOT_READ:
            return found
        for k in range(1, len(parts) + 1):
            name = ".".join(parts[:k])
            spec = importlib.machinery.PathFinder.find_spec(name, list(places) if places is not None else None)
            if spec is None:
                break
            places = spec.submodule_search_locations
            if name not in self._seen:
                self._seen.add(name)
                if spec.origin and spec.origin.endswith(".py"):
                    found += self._read(name, spec.origin, places is not None)
            if places is None:
                break
        return found

    @property
    def missing(self) -> list[Name]:
        return sorted((n for n in self.names.values() if n.state == "missing"), key=lambda n: (-len(n.places), n.full))

    def report(self) -> str:
        """The text that the command prints."""
        count = self.modules - 1
        others = f" and {count} {'module' if count == 1 else 'modules'} that it imports" if count else ""
        lines = [f"the script{others}: {len(self.names)} names of torch, {len(self.missing)} missing"]
        for name in self.missing:
            lines += [f"  missing  {name.full}: {_uses(name)}", f"           {_absent.sentence(name.full)}"]
        if self.methods:
            lines.append("methods of these names are called; if the objects are tensors, these are missing too")
            lines += [f"  perhaps  {name.full}: {_uses(name)}" for name in sorted(self.methods.values(), key=lambda n: n.full)]
        if unknown := sorted(n.full for n in self.names.values() if n.state == "unknown"):
            lines.append(f"names that PyTorch does not document and Monograph does not have: {', '.join(unknown)}")
        lines += [f"not read: {text}" for text in self.unread]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        return {
            "modules": self.modules,
            "names": {n.full: {"state": n.state, "places": n.places} for n in sorted(self.names.values(), key=lambda n: n.full)},
            "methods": {n.full: n.places for n in self.methods.values()},
            "unread": self.unread,
        }


def _uses(name: Name) -> str:
    return f"{len(name.places)} uses, first {name.places[0]}" if len(name.places) > 1 else f"1 use, {name.places[0]}"


def main(arguments: list[str]) -> int:
    """Reports on each script. Exit code 3 where a name is missing, 2 where a script cannot be read."""
    as_json, scripts = "--json" in arguments, [a for a in arguments if a != "--json"]
    if not scripts:
        print("python -m monograph --doctor: name a script. `python -m monograph --doctor script.py [--json]`", file=sys.stderr)
        return 2
    fine, all_findings = True, {}
    for script in scripts:
        try:
            findings = Findings(script)
        except (OSError, SyntaxError, ValueError) as error:
            print(f"{script}: {error}", file=sys.stderr)
            return 2
        fine = fine and not findings.missing
        all_findings[script] = findings.as_dict()
        if not as_json:
            print(f"{script}: {findings.report()}")
    if as_json:
        print(json.dumps(all_findings, indent=1))
    return 0 if fine else 3
