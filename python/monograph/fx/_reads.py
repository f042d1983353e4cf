"""What a lowering reads besides its graph: the tensors, layers and settings of the module that owns it. While these stay, a lowering may be kept."""

from __future__ import annotations

import struct
from typing import Any

from .. import _C
from .._tensor import Tensor
from ..nn.modules.module import Module
from ._attributes import fetch
from .node import Node, map_aggregate

_PLAIN = (type(None), bool, int, float, complex, str, bytes, _C.dtype, _C.device, _C.layout, _C.memory_format)


class Unforeseeable(Exception):
    """Code or an object of the user's: what it reads cannot be listed, so nothing that was made with it may be kept."""


def _reads_only_arguments(function: Any) -> bool:
    """Whether a function depends on its arguments only: Python's operators and what this package defines."""
    if isinstance(function, str) or type(function).__module__.split(".")[0] == "monograph":
        return True
    module = getattr(function, "__module__", None)
    return module in (None, "builtins", "_operator", "operator", "math", "_C") or str(module).split(".")[0] in ("monograph", "torch")


def paths(graph: Any) -> list[str] | None:
    """The attributes and modules that the graph's nodes name; None where it calls functions of the user's."""
    found: list[str] = []

    def look(a: Any) -> None:
        if callable(a) and not isinstance(a, (Node, Tensor, *_PLAIN)) and not _reads_only_arguments(a):
            raise Unforeseeable

    try:
        for node in graph.nodes(recursive=True):
            if node.op in ("get_attr", "call_module"):
                found.append(node.target)
            elif node.op == "call_function":
                look(node.target)
            map_aggregate((node.args, dict(node.kwargs)), look)
    except Unforeseeable:
        return None
    return found


class State:
    """What stands at these paths now, compared by ==."""

    def __init__(self, root: Any, paths: list[str]):
        self._kept: list[Any] = []  # an id names one object for as long as that lives
        self._seen: set[int] = set()
        self.value = (_C._get_default_dtype()._name, *(self._of(fetch(root, path)) for path in paths))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.value == other.value

    __hash__ = None  # type: ignore[assignment]

    def _of(self, a: Any) -> Any:
        if type(a) in (bool, int, str, type(None)):  # most of what a layer holds
            return (type(a), a)
        if isinstance(a, Tensor):  # its elements are read when the graph runs
            self._kept.append(a)
            return (id(a), a.data_ptr() if not a.is_meta else 0, a.dtype._name, tuple(a.shape), a._requires_grad)
        if isinstance(a, (float, complex)):  # by their bits: NaN is itself, and -0.0 is not 0.0
            return (type(a), struct.pack("dd", a.real, a.imag))
        if isinstance(a, _PLAIN):
            return (type(a), a)
        if isinstance(a, (tuple, list, set, frozenset)):
            return (type(a).__name__, *map(self._of, a))
        if isinstance(a, dict):
            return (type(a).__name__, *((self._of(k), self._of(v)) for k, v in a.items()))
        if isinstance(a, Module):
            return self._module(a)
        if callable(a) and _reads_only_arguments(a):
            self._kept.append(a)
            return id(a)
        raise Unforeseeable

    def _module(self, m: Module) -> Any:
        kind = type(m)
        if not kind.__module__.startswith(("monograph.nn.", "torch.nn.")):
            raise Unforeseeable
        self._kept += (m, kind.forward)
        if id(m) in self._seen:
            return id(m)
        self._seen.add(id(m))
        return (id(m), id(kind.forward), self._of(m.__dict__))


def state(root: Any, paths: list[str] | None) -> State | None:
    """None where what the lowering reads cannot be listed."""
    try:
        return None if paths is None else State(root, paths)
    except Unforeseeable:
        return None
