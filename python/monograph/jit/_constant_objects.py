"""Objects of Python that are constants of a script, such as the configuration of a model, a dict of functions, or a logger.

An object is one if its class has a base class or a metaclass, so that no script has a class for it, and if it is no tensor, module or container of values. What
it has is read as Python reads it, while the function is compiled, and asked again at each call: where it has changed, the function is compiled anew. Its methods
are compiled in place. The program cannot assign its attributes.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import logging
import sys
import types
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from .. import _C
from .._tensor import Tensor
from ..nn import Module
from ._classes import kind_of, mangled

_VALUES = (bool, int, float, complex, str, bytes, type(None), Tensor, Module, tuple, list, set, frozenset, enum.Enum, type, types.ModuleType)
_LOGGING = frozenset(("debug", "info", "warning", "warn", "error", "critical", "log", "exception", "warning_once", "info_once", "warning_advice"))


def is_record(cls: Any) -> bool:
    """Whether a class is a dataclass and a dict at once, as the results of models are in transformers and diffusers. All that it does is what their class does."""
    if not (isinstance(cls, type) and issubclass(cls, dict) and dataclasses.is_dataclass(cls)):
        return False
    at = next((k for k, base in enumerate(cls.__mro__) if "to_tuple" in vars(base)), None)
    if at is None or cls.__mro__[at].__module__.partition(".")[0] not in ("transformers", "diffusers"):
        return False
    generated = {"__init__", "__repr__", "__eq__", "__hash__", "__replace__"}
    added = {name for base in cls.__mro__[:at] for name, value in vars(base).items() if isinstance(value, (types.FunctionType, property))}
    return added <= generated and all(f.init and not f.kw_only for f in dataclasses.fields(cls))


def record_of(cls: type) -> tuple[str, list[tuple[str, Any]]]:
    """The mangled name of a record, and (field, default) of its fields; dataclasses.MISSING stands for no default."""
    return mangled(cls), [(f.name, f.default) for f in dataclasses.fields(cls)]


def is_constant_object(value: Any) -> bool:
    """Whether a script takes this object for a constant."""
    cls = type(value)
    if isinstance(value, Mapping):
        return _held_dicts(value) is not None
    if isinstance(value, _VALUES) or callable(value) or cls.__module__.partition(".")[0] in ("monograph", "builtins", "torch"):
        return False
    if isinstance(value, logging.Logger):
        return True
    if kind_of(cls) is None:
        return type(cls) is not type and not hasattr(cls, "_fields")
    return any(base is not object and base.__name__ not in ("ABC", "Generic", "Protocol") for base in cls.__bases__)


def is_log(obj: Any, name: str) -> bool:
    """Whether it is a method that writes to a log, which graphs do not have: the call does nothing."""
    return isinstance(obj, logging.Logger) and name in _LOGGING


def cached_result(function: Any) -> tuple[bool, Any]:
    """What a function that keeps its result gives without arguments: it is the same in this process at all times."""
    if not isinstance(function, functools._lru_cache_wrapper):
        return False, None
    code = getattr(getattr(function, "__wrapped__", None), "__code__", None)
    if code is None or code.co_argcount or code.co_kwonlyargcount or code.co_flags & 0x0C:
        return False, None
    result = function()
    return isinstance(result, (bool, int, float, str, type(None))), result


def attribute_guard(obj: Any, name: str, reads: Any) -> None:
    """Lets a call ask whether the attribute is what it was."""
    _C._reads_add(reads, "attribute", obj, sys.intern(name), f"{type(obj).__name__}.{name}")


def ask(obj: Any, question: str, key: Any, reads: Any) -> tuple[bool, Any]:
    """(Whether Python has an answer, the answer) about a constant object."""
    mapping = isinstance(obj, Mapping)
    if question == "truth":
        return _truth(obj, reads)
    if question == "mapping":  # whether the method of this name is that of all mappings
        method = getattr(type(obj), key, None)
        return mapping and any(method is getattr(cls, key) for cls in (dict, OrderedDict, Mapping)), True
    if not mapping:
        return False, None
    _guard_mapping(obj, question, key, reads)
    if question == "len":
        return True, len(obj)
    if question == "in":
        return True, key in obj
    if question == "item":
        return (True, obj[key]) if key in obj else (False, None)
    if question in ("keys", "values", "items"):
        return True, tuple(getattr(obj, question)())
    return False, None


def _truth(obj: Any, reads: Any) -> tuple[bool, Any]:
    """Of a dict, whether it has items. An object without a truth of its own is true; what the methods of another one read is not known."""
    cls = type(obj)
    if isinstance(obj, dict) and not hasattr(cls, "__bool__") and cls.__len__ is dict.__len__:
        _guard_mapping(obj, "len", None, reads)
        return True, bool(obj)
    return not hasattr(cls, "__bool__") and not hasattr(cls, "__len__"), True


def _held_dicts(obj: Any) -> list[dict[Any, Any]] | None:
    """The dicts that the answers of a mapping come from: a dict itself, or those that the attributes of a mapping of transformers and its class hold, which
    has its own and the library's functions by name. None for another mapping: what its methods read is not known."""
    if isinstance(obj, dict):
        return [obj]
    if type(obj).__module__.partition(".")[0] != "transformers":
        return None
    held = [v for v in getattr(obj, "__dict__", {}).values() if isinstance(v, dict)]
    return held + [v for cls in type(obj).__mro__ for v in vars(cls).values() if isinstance(v, dict)]


def _guard_mapping(obj: Any, question: str, key: Any, reads: Any) -> None:
    """Lets a call ask for what an answer may come from."""
    for d in _held_dicts(obj) or ():
        if question in ("item", "in"):
            _C._reads_add(reads, "entry", d, key, f"{type(obj).__name__}[{key!r}]")
        else:
            _C._reads_add(reads, "dict", d, None, type(obj).__name__)


def imported(scope: Any, module: str, name: str) -> tuple[bool, Any]:
    """What an import in this function gives. Modules that are not there are missing, as names are."""
    package = scope.__globals__.get("__package__") if hasattr(scope, "__globals__") else None
    try:
        if not module:
            return True, importlib.import_module(name)
        home = importlib.import_module("." * (len(module) - len(module.lstrip("."))) + module.lstrip("."), package)
        if hasattr(home, name):
            return True, getattr(home, name)
        return True, importlib.import_module(f"{home.__name__}.{name}")
    except ImportError:
        return False, None
