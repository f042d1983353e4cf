"""torch.fx.GraphModule: a module whose forward is generated from a graph.

`recompile` prints the graph as Python, compiles that text under a file name of its own (`<eval_with_key>.N`), and makes it the forward of the
module's class. Each GraphModule has a class of its own.
"""

from __future__ import annotations

import copy
import functools
import itertools
import linecache
import re
import weakref
from typing import Any

from .. import _C
from .._package import package
from .._tensor import Tensor
from ..nn import Module
from ._annotations import Annotations
from ._attributes import fetch as _fetch
from ._inputs import bound_inputs, with_namedtuples
from ._lowering import interpret
from .graph import Graph

_numbers = itertools.count()
# The GraphModules by the file names of their generated code.
_modules_of_code: weakref.WeakValueDictionary[str, GraphModule] = weakref.WeakValueDictionary()


def _forget(where: str) -> None:
    linecache.cache.pop(where, None)
    _modules_of_code.pop(where, None)


def _recorded_at(where: str, line: int) -> str:
    """The place in the user's code of the node that a line of generated code runs; "" if it is not known."""
    module = _modules_of_code.get(where)
    lines = module.code.splitlines() if module is not None else []
    if module is None or not 0 < line <= len(lines):
        return ""
    name = lines[line - 1].partition("=")[0].strip()
    return next((node.span or "" for node in module.graph.nodes if node.name == name), "")


def _assign(to: Module, path: str, value: Any, stand_ins: set[Module]) -> None:
    """Puts a module or tensor at a path. The empty modules on the way there are noted in `stand_ins`: the module that belongs there may come later."""
    *prefix, name = path.split(".")
    for part in prefix:
        inner = to._modules.get(part)
        if inner is None:
            inner = Module()
            stand_ins.add(inner)
            to.add_module(part, inner)
        to = inner
    if isinstance(value, Tensor) and not value._is_parameter:
        if name not in to._buffers:
            to.register_buffer(name, value)
    elif not hasattr(to, name) or to._modules.get(name) in stand_ins:
        setattr(to, name, value)


def _mangled(name: str) -> str:
    """The name under which generated code knows a function that is not of torch: the printer's rule."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def namedtuples_in(result: Any) -> Any:
    """Which of the tuples that a function returns are namedtuples: a tree of their types; None where none is."""
    if isinstance(result, dict):
        parts = {k: namedtuples_in(v) for k, v in result.items()}
        return (None, parts) if any(parts.values()) else None
    if not isinstance(result, (tuple, list)):
        return None
    inner = [namedtuples_in(v) for v in result]
    kind = type(result) if hasattr(result, "_fields") else None
    return (kind, inner) if kind or any(inner) else None


def _returning(forward: Any, types: Any) -> Any:
    """A graph has tuples and no namedtuples: forward, of which those come out that the function returned."""

    @functools.wraps(forward)
    def call(*args: Any, **kwargs: Any) -> Any:
        return with_namedtuples(forward(*args, **kwargs), types)

    return call


class GraphModule(Module):
    """A graph with the modules and tensors that it refers to. Assign to `graph`, or edit it and call recompile().

    root: a Module, or a dict from paths to modules and tensors; what the graph does not use is left behind.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        # forward differs from object to object, and methods are found on classes: one class an object.
        for base in cls.__mro__:
            if base.__qualname__ != "GraphModule" or base.__dict__.get("_made"):
                continue
            return object.__new__(type("GraphModule", (cls,), {"_made": True, "__module__": cls.__module__}))
        return object.__new__(type(cls.__name__, (cls,), {"_made": True}))

    def __init__(self, root: Any, graph: Graph, class_name: str = "GraphModule"):
        super().__init__()
        type(self).__name__ = class_name
        if isinstance(root, Module):
            object.__setattr__(self, "training", root.training)
        targets = dict.fromkeys(n.target for n in graph.nodes(recursive=True) if n.op in ("get_attr", "call_module"))
        made: set[Module] = set()
        # Of a dict, modules come before what is in them; a root has both at once.
        for target in sorted(targets, key=lambda t: t.count(".")) if isinstance(root, dict) else targets:
            _assign(self, target, root[target] if isinstance(root, dict) else _fetch(root, target), made)
        object.__setattr__(self, "_source", root if isinstance(root, Module) else None)
        self.graph = graph

    @property
    def graph(self) -> Graph:
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        object.__setattr__(self, "_graph", g)
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The Python text of forward."""
        return self._code

    def recompile(self) -> str:
        """Makes forward anew from the graph; answers its text."""
        graph = self._graph
        names, annotations = self._globals()
        parameters, bindings = bound_inputs(graph, annotations) or ("", "")
        text = _C._python_code(graph, annotations, parameters, bindings)
        object.__setattr__(self, "_code", text)
        if names is None:  # two functions of one name: the text cannot tell them apart, the graph does

            def forward(self: Any, *args: Any) -> Any:
                return interpret(self, graph, args, at_run=True)
        else:
            where = f"<eval_with_key>.{next(_numbers)}"
            linecache.cache[where] = (len(text), None, text.splitlines(keepends=True), where)
            _modules_of_code[where] = self
            exec(compile(text, where, "exec"), names)
            forward = names["forward"]
            # Tracebacks show its lines for as long as it may run.
            weakref.finalize(forward.__code__, _forget, where).atexit = False
        types = graph._output.meta.get("namedtuples") if graph._output is not None else None
        type(self).forward = _returning(forward, types) if types else forward  # type: ignore[method-assign]
        return text

    def _globals(self) -> tuple[dict[str, Any] | None, dict[str, str]]:
        """What the code names beside builtins, None where no names can tell its functions apart; and the annotations of its nodes by their names."""
        names: dict[str, Any] = {
            "torch": package(),
            "device": _C.device,
            "inf": float("inf"),
            "nan": float("nan"),
            "NoneType": type(None),
        }

        def see(value: Any) -> bool:
            if isinstance(value, (tuple, list)):
                return all(see(v) for v in value)
            if isinstance(value, dict):
                return all(see(v) for v in value.values())
            if isinstance(value, Tensor):
                return value.numel() <= _C._largest_constant
            if not callable(value):
                return True
            name = _C._qualified_name(value)
            if name.startswith("torch.") or "." not in name:
                return True
            known = names.setdefault(_mangled(name), value)
            return known is value

        clear = True
        annotations: dict[str, str] = {}
        writer = Annotations(names)
        for node in self._graph.nodes(recursive=True):
            if node.type is not None:
                annotations[node.name] = writer.text(node.type)
            clear = clear and (node.op != "call_function" or see(node.target)) and see(node.args) and see(dict(node.kwargs))
        return names if clear else None, annotations

    def print_readable(self, print_output: bool = True) -> str:
        text = f"class {type(self).__name__}(torch.nn.Module):\n" + "\n".join(
            "    " + line if line else "" for line in self._code.strip("\n").splitlines()
        )
        if print_output:
            print(text)
        return text

    def __str__(self) -> str:
        return f"{super().__repr__()}\n{self._code}\n# To see more debug info, please use `graph_module.print_readable()`"

    __repr__ = __str__

    def _graph_copy(self) -> Graph:
        return copy.deepcopy(self._graph)

    def __deepcopy__(self, memo: Any) -> GraphModule:
        return module_from(copy.deepcopy(self._state(), memo), self._graph_copy(), type(self).__name__)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return module_from, (self._state(), self._graph, type(self).__name__)

    def _state(self) -> dict[str, Any]:
        """Everything of the module that its graph does not say."""
        return {k: v for k, v in self.__dict__.items() if k not in ("_graph", "_code", "_source")}

    def __copy__(self) -> GraphModule:
        return GraphModule(self, self._graph_copy(), type(self).__name__)

    def add_submodule(self, target: str, m: Module) -> bool:
        """Installs a module at a path, making the modules between; False where something else is in the way."""
        *prefix, name = target.split(".")
        at: Any = self
        for part in prefix:
            if not hasattr(at, part):
                at.add_module(part, Module())
            at = getattr(at, part)
            if not isinstance(at, Module):
                return False
        at.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        path, _, name = target.rpartition(".")
        try:
            parent = self.get_submodule(path)
        except AttributeError:
            return False
        if not isinstance(getattr(parent, name, None), Module):
            return False
        delattr(parent, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Removes the modules that no node refers to."""
        used: set[str] = set()
        for node in self._graph.nodes(recursive=True):
            if node.op in ("call_module", "get_attr"):
                parts = node.target.split(".")
                used.update(".".join(parts[: i + 1]) for i in range(len(parts)))
                if node.op == "call_module":
                    used.update(f"{node.target}.{name}" for name, _ in self.get_submodule(node.target).named_modules() if name)
        for name in [n for n, _ in self.named_modules() if n and n not in used]:
            self.delete_submodule(name)


def module_from(state: dict[str, Any], graph: Graph, name: str) -> GraphModule:
    """A GraphModule as it was: the state of its module, and its graph."""
    plain = Module()
    plain.__dict__.update(state)
    return GraphModule(plain, graph, name)


GraphModule.__module__ = "monograph.fx.graph_module"
