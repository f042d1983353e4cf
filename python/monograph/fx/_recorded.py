"""Records a line of generated code that calls layers or functions of the library, so that C++ runs it without Python.

    l = self.l(x)        the graph of aten::linear(x, weight, bias)

The line runs once on tensors of the meta device, which have sizes and no contents, with a copy of the layer that holds such tensors. So nothing is
computed, drawn or written. What asks for contents cannot be recorded, and stays a line of Python. python/bindings/recorded_line.h says for which values and
which layers a recording holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _C
from .._tensor import Tensor
from ..nn import Module
from ._lowering import _NN, map_leaves

_PLAIN = (bool, int, float, complex, str, type(None), _C.dtype, _C.memory_format, _C.layout)


def is_of_library(layer: Any) -> bool:
    """Whether all code of a layer is the library's."""
    return isinstance(layer, Module) and all(type(m).__module__.startswith(_NN) for m in layer.modules())


def is_function_of_library(function: Any) -> bool:
    """Whether it is a function of torch.nn.functional."""
    return callable(function) and not isinstance(function, type) and (getattr(function, "__module__", None) or "").startswith(_NN)


def _unchanging(value: Any) -> bool:
    return isinstance(value, _PLAIN) or type(value) is tuple and all(map(_unchanging, value)) or isinstance(value, type) or is_function_of_library(value)


def _items(value: list[Any]) -> tuple[Any, ...] | None:
    """What a list holds, with tuples for the lists in it; None where it holds what may change in itself."""
    items = tuple(_items(v) if type(v) is list else v for v in value)
    return items if all(_unchanging(v) and (v is not None or w is None) for v, w in zip(items, value, strict=True)) else None


def _state(layer: Module) -> list[Any] | None:
    """The fields of all modules of a layer, for LayerState; None where one holds what may change in itself."""
    parts = []
    for module in layer.modules():
        fields = []
        for name, value in vars(module).items():
            kind = "same"
            if name in ("_parameters", "_buffers"):
                kind = "tensors"
            elif name == "_modules":
                kind = "items"
            elif type(value) is list:
                kind, value = "list", _items(value)
                if value is None:
                    return None
            elif isinstance(value, (dict, set, list)):
                if value:
                    return None
                kind = "none in it" if isinstance(value, dict) else "same"
            elif not _unchanging(value):
                return None
            fields.append((name, kind, value))
        parts.append((module, fields))
    return parts


def without_values(t: Tensor) -> Tensor:
    """A tensor on the meta device of the same sizes, strides and dtype."""
    made: Tensor = t.detach().to("meta")
    if made.stride() == t.stride():
        return made
    reach = 1 + sum((n - 1) * s for n, s in zip(t.shape, t.stride(), strict=True)) if t.numel() else 0
    whole: Tensor = _C._functions()[""]["empty"](reach, dtype=t.dtype, device="meta")
    return whole.as_strided(t.shape, t.stride())


class _Copies:
    """A copy of a layer, whose tensors are those of a list in the order of LayerState."""

    def __init__(self, tensors: list[Tensor]):
        self.tensors = iter(tensors)
        self.made: dict[Module, Module] = {}

    def of(self, layer: Module) -> Module:
        for module in layer.modules():
            copy = self.made[module] = object.__new__(type(module))
            fields = dict(vars(module))
            for table in ("_parameters", "_buffers"):
                fields[table] = {name: None if t is None else next(self.tensors) for name, t in fields[table].items()}
            vars(copy).update(fields)
        for copy in self.made.values():
            vars(copy)["_modules"] = {name: None if m is None else self.made[m] for name, m in copy._modules.items()}
        return self.made[layer]

    def fields(self) -> list[dict[str, Any]]:
        """What the code could have changed beside tensors."""
        return [dict(vars(copy)) for copy in self.made.values()]


class _Root:
    """Stands for the GraphModule of a line: it has one layer."""

    def __init__(self, path: tuple[str, ...], layer: Module):
        setattr(self, path[0], layer if len(path) == 1 else _Root(path[1:], layer))


def _form(value: Any, results: list[Tensor]) -> Any:
    """How the value of a line is made of the results of its graph: a number, None or a tuple of such."""
    if value is None:
        return None
    if type(value) is tuple:
        return tuple(_form(v, results) for v in value)
    if type(value) is not Tensor:
        raise TypeError("only tensors can be recorded")
    results.append(value)
    return len(results) - 1


def _names_a_device(graph: Any) -> bool:
    """Whether a node makes tensors on a device that the code read, or a constant was made there: it was the meta device."""
    found = []

    def look(a: Any) -> Any:
        found.append(isinstance(a, _C.device) or isinstance(a, Tensor) and a.is_meta)
        return a

    for node in graph.nodes(recursive=True):
        map_leaves((node.args, dict(node.kwargs)), look)
    return any(found)


def recorder(root: Callable[[], Any], path: tuple[str, ...], line: Callable[[], Any]) -> Callable[[tuple[Any, ...]], Any]:
    """A function that records the line with these values: (graph, form of the result, state of the layer), or None where that cannot be done.

    line: gives the Python function of the line, whose first argument is the module.
    """

    def record(values: tuple[Any, ...]) -> Any:
        try:
            return _recorded(root(), path, line(), values)
        except Exception:  # of every kind: the line then runs in Python, which says what is wrong
            return None

    return record


def _recorded(root: Any, path: tuple[str, ...], line: Any, values: tuple[Any, ...]) -> Any:
    layer = root
    for name in path:
        layer = getattr(layer, name)
    held: list[Tensor] = []
    state: list[Any] | None = []
    if path:
        state = _state(layer) if is_of_library(layer) else None
        if state is None or any(m._forward_hooks or m._forward_pre_hooks for m in layer.modules()):
            return None
        held = [t for m in layer.modules() for table in (m._parameters, m._buffers) for t in table.values() if t is not None]
    given: list[Tensor] = []
    map_leaves(values, lambda v: given.append(v) if isinstance(v, Tensor) else None)
    examples = [without_values(t) for t in (*given, *held)]
    form: list[Any] = []

    def program(*inputs: Tensor) -> Any:
        rest = iter(inputs)
        arguments = map_leaves(values, lambda v: next(rest) if isinstance(v, Tensor) else v)
        copies = _Copies(list(rest))
        self = _Root(path, copies.of(layer)) if path else None
        before = copies.fields()
        value = line(self, *arguments)
        results: list[Tensor] = []
        form.append(_form(value, results))
        if any(a.keys() != b.keys() or any(a[k] is not b[k] for k in a) for a, b in zip(before, copies.fields(), strict=True)):
            raise TypeError("a layer that changes its fields cannot be recorded")
        for example, real in zip(inputs[len(given) :], held, strict=True):
            if real.requires_grad and example._version:
                raise TypeError("a layer that writes its parameters cannot be recorded")
        return tuple(results) if len(results) != 1 else results[0]

    saved = _C._set_capture_hook(None)
    try:
        graph, _, _ = _C._capture(program, examples, [f"x{k}" for k in range(len(examples))], "trace", "guard", None)
    finally:
        _C._set_capture_hook(saved)
    return None if _names_a_device(graph) else (graph, form[0], state)
