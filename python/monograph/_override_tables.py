"""Which functions a type with __torch_function__ takes over, and by which names: torch.overrides answers from here. The tables are made by looking."""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

from . import _C
from ._package import package

_NAMESPACES = ("torch", "torch.functional", "torch.nn.functional", "torch.nn.init", "torch.Tensor", "torch.linalg", "torch.fft", "torch.special")
_PROPERTIES = (types.GetSetDescriptorType, types.MemberDescriptorType, property)


def _namespaces() -> Iterator[tuple[str, Any]]:
    for path in _NAMESPACES:
        here: Any = package()
        for part in path.split(".")[1:]:
            here = getattr(here, part, None)
        if here is not None:
            yield path, here


def _members(home: Any) -> Iterator[tuple[str, Any]]:
    for name in sorted(set(dir(home))):
        value = inspect.getattr_static(home, name, None) if isinstance(home, type) else vars(home).get(name)
        if isinstance(home, type) and (name.startswith("__") and getattr(object, name, None) is getattr(home, name, None) or name == "__weakref__"):
            continue
        if isinstance(value, (staticmethod, classmethod)):
            value = getattr(home, name)
        if value is not None and not isinstance(value, (type, types.ModuleType)):
            yield name, value


def _takes_tensors(function: Any) -> bool:
    """Whether calls of a function go to the types of its arguments: it is an operator that takes tensors, or Python code that asks them."""
    if isinstance(function, _C._Overridable):
        return True
    if type(function).__name__ == "Builtin":
        packet: Any = getattr(package().ops.aten, function.__name__, None)
        overloads = packet.overloads() if hasattr(packet, "overloads") else []
        schemas = (str(getattr(packet, o or "default")._schema).partition(" -> ")[0] for o in overloads)
        return any("Tensor" in re.sub(r"Tensor\(\w+!\) out\w*", "", text) for text in schemas)
    return hasattr(function, "__wrapped__")


@functools.cache
def _tables() -> tuple[dict[Any, list[Callable[..., Any]]], dict[Any, str], set[Any]]:
    """By namespace, the functions that can be taken over; the name of each function; those that cannot be."""
    overridable: dict[Any, list[Callable[..., Any]]] = {}
    names: dict[Any, str] = {}
    ignored: set[Any] = set()
    for path, home in _namespaces():
        is_tensor = isinstance(home, type)
        for name, value in _members(home):
            full = f"{path}.{name}"
            if isinstance(value, _PROPERTIES):
                getter, setter = value.__get__, getattr(value, "__set__", None)
                names.setdefault(getter, f"{full}.__get__")
                if setter is not None:
                    names.setdefault(setter, f"{full}.__set__")
                overridable.setdefault(home, []).append(getter)
                continue
            if not callable(value):
                continue
            names[value] = full  # of several places the last, as in PyTorch: torch.functional.split
            public = not name.startswith("_") and not name.endswith("_") and name[0].islower()
            if is_tensor or (public and _takes_tensors(value)):
                overridable.setdefault(home, []).append(value)
            elif public:
                ignored.add(value)
    return overridable, names, ignored


def get_ignored_functions() -> set[Callable[..., Any]]:
    """The public functions that no type can take over: they take no tensors.

    >>> torch.ones in torch.overrides.get_ignored_functions(), torch.add in torch.overrides.get_ignored_functions()
    (True, False)
    """
    return set(_tables()[2])


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions that a type with __torch_function__ takes over, by the module or class that has them. Of a property it is its __get__.

    >>> torch.add in torch.overrides.get_overridable_functions()[torch]
    True
    """
    return {home: list(functions) for home, functions in _tables()[0].items()}


class _Answer:
    """Takes the arguments of a function, and returns -1. Its signature is that of the function, read when asked: packages bind arguments by it."""

    def __init__(self, function: Callable[..., Any]):
        self._function = function
        self.__name__ = getattr(function, "__name__", "")

    def __call__(self, *args: Any, **kwargs: Any) -> int:
        return -1

    @property
    def __signature__(self) -> inspect.Signature:
        try:
            known = inspect.signature(self._function)
        except (TypeError, ValueError):  # a property, or a function of C without a signature
            known = inspect.signature(self.__call__)
        by_name = [p.replace(kind=p.POSITIONAL_OR_KEYWORD) if p.kind is p.POSITIONAL_ONLY else p for p in known.parameters.values()]
        return known.replace(parameters=by_name)


@functools.cache
def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """For each function that can be taken over, a function with its arguments that returns -1: a start for the tests of a type with __torch_function__.

    >>> torch.overrides.get_testing_overrides()[torch.add](1, 2)
    -1
    """
    return {function: _Answer(function) for functions in _tables()[0].values() for function in functions}


def resolve_name(f: Any) -> str | None:
    """The name of a function as __torch_function__ gets it; None of one that is not known.

    >>> torch.overrides.resolve_name(torch.add), torch.overrides.resolve_name(torch.Tensor.add)
    ('torch.add', 'torch.Tensor.add')
    """
    if type(f).__name__ in ("OpOverload", "OpOverloadPacket"):
        return str(f)
    try:
        return _tables()[1].get(f)
    except TypeError:  # not hashable
        return None


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether a function that __torch_function__ gets is a method of Tensor, or the __get__ of a property.

    >>> torch.overrides.is_tensor_method_or_property(torch.Tensor.add), torch.overrides.is_tensor_method_or_property(torch.add)
    (True, False)
    """
    return func in _tables()[0][package().Tensor] or getattr(func, "__name__", "") == "__get__"


get_testing_overrides.__module__ = "monograph.overrides"  # where PyTorch has it
