"""Modules of one library as modules of the other: as pickle would copy them, with the other library's classes and with tensors that share memory."""

from __future__ import annotations

import io
import pickle
import types
from collections.abc import Callable
from typing import Any

from .. import _C, nn
from ..fx._names import spelled_as_torch
from .bridge import InPyTorch, in_monograph
from .names import class_of, function_of_ours, function_of_theirs
from .tensors import Exchange

_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, _C.Builtin, _C._Overridable, _C.OpOverload, _C.OpOverloadPacket)


def _path_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


class Modules:
    """Converts modules. The same module gives the same module each time.

    graph_module: makes the GraphModule of the other library. fallback: a module that the other library has no class for stays what it is, and is called
    with its own tensors; else it is noted in `missing`.
    """

    def __init__(self, exchange: Exchange, graph_module: Callable[[Any], Any], fallback: bool, missing: dict[str, str]):
        import torch

        self.exchange, self.graph_module, self.fallback, self.missing = exchange, graph_module, fallback, missing
        self.to_ours = exchange.to_ours
        self.base: Any = torch.nn.Module if self.to_ours else nn.Module
        self.graph_base: Any = torch.fx.GraphModule if self.to_ours else _graph_module_class()
        self._made: dict[int, tuple[Any, Any]] = {}

    def module(self, m: Any) -> Any:
        known = self._made.get(id(m))
        if known is None:
            known = self._made[id(m)] = (m, self._new(m))
        return known[1]

    def _new(self, m: Any) -> Any:
        if isinstance(m, self.graph_base):
            return self.graph_module(m)
        inside = getattr(m, "in_other_library", None)
        if inside is not None:
            return inside
        found = class_of(_path_of(type(m)), self.to_ours)
        if found is None or any(getattr(m, hooks, None) for hooks in _HOOKS):
            return self._opaque(m, "it has hooks" if found is not None else "")
        return self._copied(m)

    def _opaque(self, m: Any, why: str) -> Any:
        if not self.fallback:
            exported = type(m).__qualname__ == "GuardsFn"
            self.missing[f"module {_path_of(type(m))}"] = "give from_torch the ExportedProgram itself" if exported else why
            return None
        return (InPyTorch if self.to_ours else in_monograph())(m, self.exchange)

    def _copied(self, m: Any) -> Any:
        """A copy of a module of the library by pickle: its classes by name, its tensors and functions as the exchange has them."""
        kept: list[Any] = []

        def keep(value: Any) -> int:
            kept.append(value)
            return len(kept) - 1

        def replaced(value: Any) -> Any:
            if value is m:
                return None
            if self.exchange.is_tensor(value):
                return keep(self.exchange.tensor(value))
            if isinstance(value, self.base):
                return keep(self.module(value))
            constant = self.exchange.constant(value)
            if constant is not value:
                return keep(constant)
            if isinstance(value, _FUNCTIONS):
                found = (function_of_ours if self.to_ours else function_of_theirs)(value)
                if found is None:
                    self.missing[f"function {getattr(value, '__qualname__', value)}"] = f"of {_path_of(type(m))}"
                return keep(found)
            return None

        class Pickler(pickle.Pickler):
            def persistent_id(self, value: Any) -> Any:
                number = replaced(value)
                return None if number is None else str(number)

        to_ours = self.to_ours

        class Unpickler(pickle.Unpickler):
            def persistent_load(self, number: str) -> Any:
                return kept[int(number)]

            def find_class(self, module: str, name: str) -> Any:
                found = class_of(f"{module}.{name}", to_ours)
                if found is not None:
                    return found
                if module.partition(".")[0] in ("torch", "monograph"):
                    raise TypeError(
                        f"{spelled_as_torch(module)}.{name} of the module {_path_of(type(m))} is not there in the other library"
                    )
                return super().find_class(module, name)

        file = io.BytesIO()
        Pickler(file, protocol=2).dump(m)
        file.seek(0)
        return Unpickler(file).load()


def _graph_module_class() -> Any:
    from ..fx.graph_module import GraphModule

    return GraphModule
