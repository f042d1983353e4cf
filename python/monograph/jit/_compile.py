"""torch.jit.script: functions compiled from their source text. The compiler is C++ (src/capture/script); here it is told what names mean."""

from __future__ import annotations

import builtins
import inspect
import math
import textwrap
import types
import typing
import warnings
from collections.abc import Callable
from typing import Any

from .. import _C
from .._tensor import Tensor
from ..fx.graph import Graph
from ..nn import Module
from ._marks import FunctionModifiers, modifier_of

_CONSTANTS = (bool, int, float, complex, str, type(None), _C.dtype, _C.device)
_MODULES = {math: "math"}


def _source_of(function: Any) -> tuple[str, str, int]:
    """The source text of a function, its file, and the number of its first line."""
    name = getattr(function, "__name__", repr(function))
    if name == "<lambda>":
        raise RuntimeError("jit.script got a lambda, whose source text is no statement; write a function with def")
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise OSError(
            f"jit.script needs the source text of {name}(), and Python has none: it was defined by exec, or at a prompt that keeps no text. "
            "Write the function in a file or a notebook, or give its text to torch.jit.CompilationUnit"
        ) from None
    return "".join(lines), inspect.getsourcefile(function) or "<unknown>", max(first, 1)


def _type_text(t: Any) -> str | None:
    """A Python type as the graph's types are written; None where it is no type of a script."""
    if isinstance(t, type) and issubclass(t, Tensor):
        return "Tensor"
    plain = {
        int: "int",
        float: "float",
        bool: "bool",
        str: "str",
        complex: "complex",
        type(None): "NoneType",
        _C.device: "Device",
        _C.dtype: "dtype",
        Any: "Any",
    }
    try:
        if t in plain:
            return plain[t]
    except TypeError:
        return None
    origin, parts = typing.get_origin(t), [_type_text(part) for part in typing.get_args(t)]
    if any(part is None for part in parts):
        return None
    words = [part for part in parts if part is not None]
    if origin is list:
        return f"List[{words[0]}]"
    if origin is dict:
        return f"Dict({words[0]}, {words[1]})"
    if origin is tuple:
        return f"({', '.join(words)}{',' if len(words) == 1 else ''})"
    if origin in (typing.Union, types.UnionType) and "NoneType" in words and len(words) == 2:
        return f"Optional[{next(word for word in words if word != 'NoneType')}]"
    return None


class _Host:
    """Answers the compiler's questions. Functions and modules are numbered in the order in which they are met; a function's number is the scope of its names."""

    def __init__(self) -> None:
        self.objects: list[Any] = []

    def add(self, thing: Any) -> int:
        for k, known in enumerate(self.objects):
            if known is thing:
                return k
        self.objects.append(thing)
        return len(self.objects) - 1

    def name(self, scope: int, name: str) -> tuple[str, Any]:
        function = self.objects[scope]
        if name in function.__code__.co_freevars:
            cell = function.__closure__[function.__code__.co_freevars.index(name)]
            try:
                return self.told(cell.cell_contents)
            except ValueError:
                return ("refused", f"'{name}' of the function around has no value yet")
        if name in function.__globals__:
            return self.told(function.__globals__[name])
        if hasattr(builtins, name):
            return self.told(getattr(builtins, name))
        return ("missing", None)

    def attribute(self, owner: int, name: str) -> tuple[str, Any]:
        try:
            return self.told(getattr(self.objects[owner], name))
        except AttributeError:
            return ("missing", None)

    def default_of(self, scope: int, parameter: str) -> tuple[str, Any]:
        value = inspect.signature(self.objects[scope]).parameters[parameter].default
        return ("missing", None) if value is inspect.Parameter.empty else self.told(value)

    def function(self, number: int) -> tuple[str, str, int, str, bool, bool]:
        function = self.objects[number]
        return (
            *_source_of(function),
            function.__name__,
            modifier_of(function) is FunctionModifiers.UNUSED,
            function.__module__.startswith("monograph."),
        )

    def told(self, thing: Any) -> tuple[str, Any]:
        """What a Python object is to the compiler."""
        if isinstance(thing, (*_CONSTANTS, tuple, list)) and not isinstance(thing, types.FunctionType):
            return ("constant", thing)
        if isinstance(thing, types.ModuleType):
            return ("namespace", self.add(thing))
        if type(thing).__name__ == "Builtin":
            return ("operator", _surface(thing))
        if thing is warnings.warn or thing is _C._assume_dims:
            return ("builtin", "nothing")
        if thing is _C._is_autocast_enabled:
            return ("builtin", "is_autocast_enabled")
        if thing is _C.tensor:
            return ("operator", "torch.tensor")
        if isinstance(thing, type) or typing.get_origin(thing) is not None:
            return self._class(thing)
        name: str = getattr(thing, "__name__", "")
        if isinstance(thing, types.BuiltinFunctionType) and thing.__module__ == "math":
            return ("operator", f"math.{name}")
        if isinstance(thing, types.BuiltinFunctionType) and getattr(builtins, name, None) is thing:
            return ("builtin", name)
        compiled = getattr(thing, "_compiled_from", None)
        if compiled is not None:
            return ("function", self.add(compiled))
        return self._function(thing)

    def _class(self, thing: Any) -> tuple[str, Any]:
        name: str = getattr(thing, "__name__", "")
        exception = inspect.isclass(thing) and BaseException in inspect.getmro(thing)
        if exception or (name and getattr(builtins, name, None) is thing):
            return ("exception" if exception else "builtin", name)
        text = _type_text(thing)
        return (
            ("refused", f"the class {getattr(thing, '__name__', thing)} is not supported in a script") if text is None else ("type", text)
        )

    def _ignored(self, function: Any) -> tuple[str, Any]:
        return (
            "refused",
            f"{function.__name__}() is marked with torch.jit.ignore, so that it stays in Python, and a graph runs without Python; mark it with "
            "torch.jit.unused, so that a call raises, or make it an operator with torch.library.custom_op",
        )

    def _function(self, thing: Any) -> tuple[str, Any]:
        plain: Any = inspect.unwrap(thing) if callable(thing) else thing
        if modifier_of(thing) is FunctionModifiers.IGNORE:
            return self._ignored(thing)
        if (
            isinstance(plain, types.FunctionType)
            and plain.__module__ == "monograph.functional"
            and _C._has_operator(f"aten::{plain.__name__}")
        ):
            return ("operator", f"torch.functional.{plain.__name__}")
        if isinstance(plain, types.FunctionType):
            return ("function", self.add(plain))
        if isinstance(thing, Module):
            return ("refused", "a Module from outside is no part of a script; make it a submodule of a scripted Module")
        if isinstance(thing, Tensor):
            return ("refused", "a tensor from outside is no constant of a script; pass it as an argument")
        return ("refused", f"a value of type {type(thing).__name__} from outside is not supported in a script")


def _surface(builtin: Any) -> str:
    """The name under which the graph knows an operator's function."""
    home = builtin.__module__.replace("monograph", "torch", 1)
    return f"{home}.{builtin.__name__}" if home in ("torch", "torch._C._nn") else f"aten::{builtin.__name__}"


class CompiledFunction:
    """What jit.script makes of a function: call it, print its graph and code, save its graph."""

    def __init__(self, graph: Graph, original: Any, name: str):
        self._graph, self._compiled_from, self.name = graph, original, name
        self.__name__ = self.__qualname__ = name
        self.__doc__ = getattr(original, "__doc__", None)
        self.__module__ = getattr(original, "__module__", type(self).__module__)
        self._names = [str(n.target) for n in graph.nodes if n.op == "placeholder"]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            args = _in_order(self.name, self._names, args, kwargs, self._compiled_from)
        return self._graph(*args)

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def inlined_graph(self) -> Graph:
        return self._graph

    @property
    def code(self) -> str:
        """The function in TorchScript's words."""
        return self._graph._to_text("code")

    def save(self, path: Any) -> None:
        """Saves the graph as .mgraph, which torch.load_graph reads. TorchScript's own archives are not written yet."""
        if not str(path).endswith(".mgraph"):
            raise NotImplementedError("a compiled function is saved as .mgraph; TorchScript archives are not written in Monograph yet")
        self._graph.save(path)

    def __repr__(self) -> str:
        return f"<torch.jit.ScriptFunction {self.name}>"


def _in_order(name: str, names: list[str], args: tuple[Any, ...], kwargs: dict[str, Any], original: Any) -> tuple[Any, ...]:
    values = dict(zip(names, args, strict=False))
    for key, value in kwargs.items():
        if key not in names or key in values:
            raise TypeError(f"{name}() got an unexpected or repeated argument {key!r}; it takes {', '.join(names)}")
        values[key] = value
    # What stands behind the last one that is given has its default in the graph.
    given = max((names.index(key) for key in values), default=-1) + 1
    defaults = {} if original is None else {k: p.default for k, p in inspect.signature(original).parameters.items()}
    for key in names[:given]:
        if key not in values and defaults.get(key, inspect.Parameter.empty) is inspect.Parameter.empty:
            raise TypeError(f"{name}() is missing the argument {key!r}")
    return tuple(values[key] if key in values else defaults[key] for key in names[:given])


def compile_function(function: Callable[..., Any]) -> CompiledFunction:
    """The function compiled from its source. RuntimeError with the user's line where it is no program of TorchScript's language."""
    plain = inspect.unwrap(function)
    host = _Host()
    graph = _C._script(host, host.add(plain))
    return CompiledFunction(graph, plain, plain.__name__)


def compile_text(text: str) -> dict[str, CompiledFunction]:
    """The functions of a text, by name. torch and math are the names that it may use beside its own."""
    return {name: CompiledFunction(graph, None, name) for name, graph in _C._script_text(textwrap.dedent(text))}
