"""Attributes that a compiled method assigns. They live in an object beside the graphs (src/exec/attributes.cpp), and are seen in the module after each call."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable
from typing import Any

from .. import _C
from .._tensor import Tensor
from ..nn import Module
from ._classes import kind_of, type_text


class Attributes:
    """The assigned attributes of one module. `tables` are the dicts in which Python finds their values."""

    def __init__(self, of: str, tables: list[dict[str, Any]], made: Any = None):
        self.object = _C._ModuleObject(of) if made is None else made
        self.types: dict[str, str] = {}
        self._tables = tables
        self._known: dict[str, Any] = {}

    def _table(self, name: str) -> dict[str, Any]:
        return next((table for table in self._tables if name in table), self._tables[-1])

    def add(self, name: str, type_name: str) -> None:
        self.types[name] = type_name

    def give(self) -> None:
        """The graphs get what Python has assigned since the last call."""
        for name, type_name in self.types.items():
            value = self._table(name).get(name)
            # Python may have changed an object in place.
            if name not in self._known or value is not self._known[name] or "Class<" in type_name:
                self.object.set(name, type_name, value)
                self._known[name] = value

    def take(self) -> None:
        """Python gets what graphs have assigned."""
        for name in self.types:
            value = self._known[name] = self.object.get(name)
            self._table(name)[name] = value


def run(graph: Any, args: tuple[Any, ...], assigned: list[Attributes]) -> Any:
    """The call of a graph that assigns attributes. An error in the middle leaves what was assigned before it, as in Python."""
    for attributes in assigned:
        attributes.give()
    try:
        return graph(*args)
    finally:
        for attributes in assigned:
            attributes.take()


def declared_type(classes: tuple[type, ...], name: str, value: Any) -> str | None:
    """The type of a module's attribute: as its class annotates it, as __init__ does (`self.cache: Optional[Tensor] = None`), or that of its value."""
    for cls in classes:
        hint = cls.__dict__.get("__annotations__", {}).get(name)
        if hint is None and "__init__" in cls.__dict__ and cls is not Module:
            hint = _annotated_in_init(cls).get(name)
        if hint is not None:
            text = type_text(hint, cls)
            if text is not None:
                return text
    return None if value is None else type_of_value(value)


def _annotated_in_init(cls: type) -> dict[str, str]:
    try:
        function = inspect.unwrap(cls.__dict__["__init__"])
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return {}
    return {
        node.target.attr: ast.unparse(node.annotation)
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute) and ast.unparse(node.target.value) == "self"
    }


def type_of_value(value: Any) -> str | None:
    """The type of a value that a module holds; None where its parts do not tell it."""
    plain = {
        bool: "bool", int: "int", float: "float", str: "str", complex: "complex", type(None): "NoneType", _C.device: "Device", _C.dtype: "ScalarType",
        _C.Generator: "Generator",
    }  # fmt: skip
    if isinstance(value, Tensor):
        return "Tensor"
    if type(value) in plain:
        return plain[type(value)]
    if kind_of(type(value)) is not None:
        return type_text(type(value))
    if holds_itself(value):
        return None
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        parts = [type_of_value(part) for part in value]
        return None if None in parts else f"({', '.join(p for p in parts if p)}{',' if len(parts) == 1 else ''})"
    if isinstance(value, list) and value:
        return _one([type_of_value(part) for part in value], "List[{}]")
    if isinstance(value, dict) and value:
        key, item = _one([type_of_value(k) for k in value], "{}"), _one([type_of_value(v) for v in value.values()], "{}")
        return f"Dict({key}, {item})" if key and item else None
    return None


def _one(types: list[str | None], form: str) -> str | None:
    """The form with the type that all have; with the Optional of it where some are None."""
    held = [t for t in types if t != "NoneType"] or types
    if held[0] is None or any(t != held[0] for t in held):
        return None
    return form.format(held[0] if len(held) == len(types) else f"Optional[{held[0]}]")


def holds_named_tuple(value: Any) -> bool:
    """Whether a list, tuple or dict has a NamedTuple in it, or is one."""
    if isinstance(value, dict):
        return any(map(holds_named_tuple, value.values()))
    return isinstance(value, (list, tuple)) and (hasattr(value, "_fields") or any(map(holds_named_tuple, value)))


def holds_itself(value: Any) -> bool:
    """Whether a list, tuple or dict stands in itself."""
    around: set[int] = set()  # the containers in which the walk is
    left: set[int] = set()  # those that it has left, which do not hold themselves

    def found_again(value: Any) -> bool:
        if not isinstance(value, (list, tuple, dict)) or id(value) in left:
            return False
        if id(value) in around:
            return True
        around.add(id(value))
        found = any(map(found_again, value.values() if isinstance(value, dict) else value))
        around.remove(id(value))
        left.add(id(value))
        return found

    return found_again(value)


def unassignable(name: str, value: Any) -> str:
    """Why an attribute has no type."""
    if holds_itself(value):
        return f"the {type(value).__name__} holds itself, and a graph has no such values"
    if value is None:
        return f"its value is None, so its type is not known; declare it in the class: {name}: Optional[Tensor]"
    if isinstance(value, (list, dict)) and not value:
        kind = "List[int]" if isinstance(value, list) else "Dict[str, Tensor]"
        return f"it is empty, so its type is not known; declare it in the class: {name}: {kind}"
    return f"a {type(value).__name__} cannot be assigned in a script"


def all_attributes(modules: Iterable[Any]) -> list[Attributes]:
    """Those of a tree of modules, each once."""
    return [m._assigned for m in modules if getattr(m, "_assigned", None) is not None and m._assigned.types]


