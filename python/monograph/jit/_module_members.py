"""What PyTorch's programs read of a scripted module as an object of C++: `module._c`. And the operators of a program."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from ..fx.graph import Graph


class ModuleMembers:
    """The methods and attributes of a module, by their names."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def _method_names(self) -> list[str]:
        names: list[str] = method_names(self._module)
        return names

    def _has_method(self, name: str) -> bool:
        return name in self._method_names()

    def _get_method(self, name: str) -> Any:
        if not self._has_method(name):
            raise RuntimeError(f"Method '{name}' is not defined. It has {', '.join(self._method_names()) or 'none'}")
        return getattr(self._module, name)

    def hasattr(self, name: str) -> bool:
        return hasattr(self._module, name) and not self._has_method(name)

    def getattr(self, name: str) -> Any:
        return getattr(self._module, name)

    def setattr(self, name: str, value: Any) -> None:
        setattr(self._module, name, value)

    def dump_to_str(self, code: bool = True, attrs: bool = True, params: bool = True) -> str:
        """The module as a text: its parameters, attributes, methods and submodules, with the graphs and the values that are asked for."""
        return _dumped(self._module, code, attrs, params)

    def dump(self, code: bool = True, attrs: bool = True, params: bool = True) -> None:
        """Prints what dump_to_str gives."""
        print(self.dump_to_str(code, attrs, params))


def _dumped(module: Any, code: bool, attrs: bool, params: bool) -> str:
    def shown(value: Any, asked: bool) -> str:
        return "..." if isinstance(value, Tensor) and not asked else str(value)

    def part(title: str, lines: list[str]) -> list[str]:
        inner = [f"  {line}" for text in lines for line in text.splitlines()]
        return [f"{title} {{", *inner, "}"]

    fields = {**dict(module.named_parameters(recurse=False)), **dict(module.named_buffers(recurse=False)), "training": module.training}
    methods = [
        line for name in method_names(module) for line in part(f"method {name}", [str(getattr(getattr(module, name), "graph", module.graph))] if code else [])
    ]
    kind = getattr(module, "original_name", type(module).__name__)
    sections = [
        *part("parameters", [f"{name} = {shown(value, params)}" for name, value in module.named_parameters(recurse=False)]),
        *part("attributes", [f"{name} = {shown(value, attrs)}" for name, value in fields.items()]),
        *part("methods", methods),
        *part("submodules", [_dumped(inner, code, attrs, params) for inner in module.children()]),
    ]
    return "\n".join(part(f"module {kind}", sections)) + "\n"


def method_names(module: Any) -> list[str]:
    """The methods of a scripted, traced or loaded module that have graphs."""
    reached = module.__dict__.get("_reached")
    if reached is not None:
        return sorted({*(["forward"] if module._has_forward() else []), *reached})
    methods = module.__dict__.get("_methods")
    return sorted(name for name in methods if name != "__call__") if methods is not None else ["forward"]


def _graphs(program: Any) -> list[Graph]:
    names = method_names(program)
    return [getattr(getattr(program, name), "inlined_graph", program.inlined_graph) for name in names]


def export_opnames(m: Any) -> list[str]:
    """The names of the operators that a scripted module calls, with their overloads, sorted.

    >>> torch.jit.export_opnames(torch.jit.script(torch.nn.ReLU()))
    ['aten::relu']
    """
    if not hasattr(m, "inlined_graph"):
        raise TypeError(f"export_opnames: expected a scripted, traced or loaded module, but got a {type(m).__name__}")
    schemas = [n.schema() for graph in _graphs(m) for n in graph.nodes(recursive=True) if n.op == "call_function"]
    called = {f"{s.name}.{s.overload_name}" if s.overload_name else str(s.name) for s in schemas if s is not None}
    return sorted(name for name in called if name.startswith("aten::"))


export_opnames.__module__ = "monograph.jit"
