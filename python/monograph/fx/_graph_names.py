"""Names in generated code: which are taken, how a text becomes one, and names that packages add. torch.fx has these in its module graph, where packages import them from."""

from __future__ import annotations

import builtins
import keyword
import math
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from .. import _C
from .._package import package
from ..utils import _pytree as pytree
from . import _pytree as fx_pytree
from ._codegen import ADDED_IMPORTS, BUILTIN_NAMES

# Of a builtin generic, what typing has for it.
_origin_type_map = {list: typing.List, dict: typing.Dict, set: typing.Set, frozenset: typing.FrozenSet, tuple: typing.Tuple}  # noqa: UP006
_legal_ops = dict.fromkeys(["call_function", "call_method", "get_attr", "call_module", "placeholder", "output"])
_illegal_char_regex = re.compile(r"[^0-9a-zA-Z_]+")
_name_regex = re.compile(r"^([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?$")  # a name, and the number at its end
_snake_case_sub = re.compile(r"(?<=[a-z])([A-Z])").sub


class _CustomBuiltin(NamedTuple):
    """An object that every generated code knows, and the line that imports it."""

    import_str: str
    obj: object


_custom_builtins: dict[str, _CustomBuiltin] = {}
# Names that no value of a graph gets: Python's words and builtins, and the names that every code knows.
_illegal_names: dict[str, Any] = {**{word: object() for word in keyword.kwlist}, **vars(builtins)}


def _register_custom_builtin(name: str, import_str: str, obj: object) -> None:
    """From now on generated code knows `obj` as `name`. import_str: the line that imports it, which to_folder writes."""
    _custom_builtins[name] = _CustomBuiltin(import_str, obj)
    _illegal_names[name] = obj
    BUILTIN_NAMES[name] = obj
    ADDED_IMPORTS[name] = import_str


def _note_own_names() -> None:
    """The names that every code knows by itself; its imports have them already."""
    for name, line, obj in (
        ("inf", "from math import inf", math.inf), ("nan", "from math import nan", math.nan), ("NoneType", "NoneType = type(None)", type(None)),
        ("torch", "import torch", package()), ("device", "from torch import device", _C.device),
        ("fx_pytree", "import torch.fx._pytree as fx_pytree", fx_pytree), ("pytree", "import torch.utils._pytree as pytree", pytree),
    ):  # fmt: skip
        _custom_builtins[name], _illegal_names[name] = _CustomBuiltin(line, obj), obj


_note_own_names()


def _is_magic(x: str) -> bool:
    """Whether this is a name such as __add__."""
    return x.startswith("__") and x.endswith("__")


def _snake_case(s: str) -> str:
    """myModule as my_module."""
    return _snake_case_sub(r"_\1", s).lower()


def _format_target(base: str, target: str) -> str:
    """The code that reads a path of `base`: self.layers.fc, getattr(self.layers, "0")."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


def _is_from_torch(obj: object) -> bool:
    """Whether the object belongs to torch, so that code reaches it as torch.NAME."""
    return _C._qualified_name(obj).startswith("torch.")


class _Namespace:
    """Names that are unique, and that are no word or builtin of Python: create_name("add", None) gives "add", then "add_1"."""

    def __init__(self) -> None:
        self._obj_to_name: dict[object, str] = {}
        self._used_names: set[str] = set()
        self._base_count: dict[str, int] = {}  # the last number of each name without one

    def create_name(self, candidate: str, obj: object | None) -> str:
        """A new name like the candidate. An object gets one name, which it has from then on."""
        if obj is not None and obj in self._obj_to_name:
            return self._obj_to_name[obj]
        name = _illegal_char_regex.sub("_", candidate) or "_unnamed"
        name = f"_{name}" if name[0].isdigit() else name
        parts = _name_regex.match(name)
        assert parts is not None
        base, number = parts.group(1), parts.group(2)
        if number is not None and name not in self._used_names:
            count = int(number)
        else:
            count = self._base_count.get(base, 0)
            if _illegal_names.get(name, obj) is not obj:
                count += 1
                name = f"{base}_{count}"
        while name in self._used_names:
            count += 1
            name = f"{base}_{count}"
        self._used_names.add(name)
        self._base_count[base] = count
        if obj is not None:
            self._obj_to_name[obj] = name
        return name

    def associate_name_with_obj(self, name: str, obj: object) -> None:
        """Gives an object a name that create_name made. AssertionError where it has one."""
        if self._obj_to_name.setdefault(obj, name) is not name:
            raise AssertionError(f"obj is already associated: {obj!r} has the name {self._obj_to_name[obj]!r}")

    def _rename_object(self, obj: object, name: str) -> None:
        if obj not in self._obj_to_name:
            raise AssertionError(f"Object {obj} is not in _obj_to_name")
        self._obj_to_name[obj] = name
        self._used_names.add(name)


@dataclass(frozen=True)
class _ParsedStackTrace:
    """The innermost call of a stack trace."""

    file: str
    lineno: str
    name: str
    code: str

    def get_summary_str(self) -> str:
        return f"File: {self.file}:{self.lineno} in {self.name}, code: {self.code}"


def _parse_stack_trace(stack_trace: str, filter_fn: Callable[[str, str, str], bool] | None = None) -> _ParsedStackTrace | None:
    """The innermost call of a text such as node.stack_trace, of those that filter_fn(file, name, code) takes; None if there is none."""
    lines = (stack_trace or "").strip().split("\n")
    for head, code in reversed(list(zip(lines, lines[1:], strict=False))):
        found = re.match(r'^File "(.+)", line (\d+), in (.+)$', head.strip())
        if found and (filter_fn is None or filter_fn(found[1], found[3], code.strip())):
            return _ParsedStackTrace(found[1], found[2], found[3], code.strip())
    return None
