"""torch.jit.script, and the decorators and questions of torch.jit that programs use beside it.

Functions and classes are compiled from their source (_compile.py), and so are Modules (_script_module.py).
"""

from __future__ import annotations

import collections
import functools
import inspect
import sys
import types
import typing
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from .. import _C
from ..nn import Module
from . import _marks
from ._marks import Attribute as Attribute, FunctionModifiers, ScriptModule as ScriptModule, marked

F = TypeVar("F", bound=Callable[..., Any])
_state = {"told": False}


def __getattr__(name: str) -> Any:
    """The class whose home this is in PyTorch; its module imports the compiler."""
    if name == "RecursiveScriptModule":
        from ._script_module import RecursiveScriptModule

        return RecursiveScriptModule
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class ScriptWarning(Warning):
    """The category of PyTorch's warnings about scripts."""


class CompilationUnit:
    """Functions compiled from their text, which are its attributes.

    >>> unit = torch.jit.CompilationUnit("def double(x): return x * 2")
    >>> unit.double(torch.ones(1))
    tensor([2.])

    The text may be the `.code` of a function, too. Names that neither the text nor the library defines are those of the caller, so that a text which reads
    tensors finds them: `text, CONSTANTS = f.code_with_constants`.
    """

    def __init__(self, lang: str | None = None, _frames_up: int = 0) -> None:
        self._functions: dict[str, Any] = {}
        if lang is not None:
            self.define(lang, _frames_up=_frames_up + 1)

    def define(self, lang: str, rcb: Any = None, _frames_up: int = 0) -> None:
        """Adds the functions of a text. rcb gives what a name means that the text does not define, or None; without it the caller's frame says it."""
        from ._compile import compile_text, names_of_frame

        self._functions.update(compile_text(lang, rcb or names_of_frame(sys._getframe(_frames_up + 1))))

    def __getattr__(self, name: str) -> Any:
        functions = self.__dict__.get("_functions", {})
        if name in functions:
            return functions[name]
        raise AttributeError(f"the text has no function {name!r}")


def script(obj: Any, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """A function compiled from its source text into a graph, with its branches and loops. It runs without Python.

    Of a Module: a ScriptModule, whose forward and methods marked with jit.export are compiled, with everything that they call. It shares the
    parameters and buffers of the module.

    Of a class, NamedTuple or Enum: the class itself, once its methods compile.

    A program that is not in TorchScript's language raises RuntimeError, which shows the line. After install_as_torch() it stays a Python function instead, with
    a warning. A number, a text or a built-in function raises TypeError, a class of modules RuntimeError. Any other object is returned as it is, as in PyTorch under PYTORCH_JIT=0. The first one
    gives a warning. The other arguments are not used.

    Example:
        @torch.jit.script
        def f(x, n: int):
            if x.sum() > 0:
                for i in range(n):
                    x = x * 2
            return x

        f(torch.ones(2), 3)
        print(f.code)
    """
    if isinstance(obj, types.FunctionType) or isinstance(inspect.unwrap(obj), types.FunctionType):
        return _function(obj)
    if isinstance(obj, Module):
        from ._script_module import compile_module

        return compile_module(obj)
    if hasattr(obj, "__prepare_scriptable__"):
        return script(obj.__prepare_scriptable__())
    from . import _classes

    if _classes.kind_of(obj) is not None:
        from ._compile import compile_class

        compile_class(obj)
        return obj
    if isinstance(obj, type) and issubclass(obj, Module):
        raise RuntimeError(f"Type '{obj}' cannot be compiled since it inherits from nn.Module, pass an instance instead")
    if type(obj).__module__ == "builtins" and not isinstance(obj, (list, dict)):
        raise TypeError(f"{type(obj)} is a built-in class; torch.jit.script compiles functions, modules and classes")
    if not _state["told"]:
        _state["told"] = True
        warnings.warn(
            "torch.jit.script compiles functions, modules and classes. It returns any other object as it is, as PyTorch does under PYTORCH_JIT=0",
            stacklevel=2,
        )
    return obj


def _function(obj: Any) -> Any:
    """The function compiled. A program that was written for torch goes on with the Python function where it cannot be compiled here."""
    from .._absent import stands_in
    from ._compile import compile_function

    try:
        return compile_function(obj)
    except RuntimeError as error:
        if not stands_in():
            raise
        said = str(error).splitlines()[0]
        warnings.warn(f"torch.jit.script: {getattr(obj, '__name__', obj)} stays a Python function, since Monograph cannot compile it: {said}", ScriptWarning, stacklevel=3)
        return obj


def _compiled_module(module: Any) -> Any:
    from ._script_module import compile_module

    return compile_module(module)


_marks.compilers.append(_compiled_module)


def _create_function_from_graph(name: str, graph: Any) -> Any:
    """PyTorch's torch._C function of this name: a function that runs a copy of the graph, for example of one that torch._C.parse_ir has read."""
    from ._compile import CompiledFunction

    made = CompiledFunction(graph.copy(), None, name)
    made._made = None
    return made


_C._create_function_from_graph = _create_function_from_graph


def script_method(fn: F) -> F:
    """Marks a method of a ScriptModule as a part of its program, which `code`, `graph` and `save` of the module have. A call runs the method itself.

    >>> torch.jit.script_method(abs) is abs
    True
    """
    return marked(fn, FunctionModifiers.EXPORT) if isinstance(fn, types.FunctionType) else fn


def _unwrap_optional(x: Any) -> Any:
    """The value, which may not be None; in a script it has the type without None.

    >>> torch.jit._unwrap_optional(3)
    3
    """
    assert x is not None, "Unwrapping null optional"
    return x


def script_if_tracing(fn: F) -> F:
    """A function that is compiled where it is traced, so that the trace has its branches and loops.

    >>> torch.jit.script_if_tracing(lambda x: x + 1)(torch.ones(1))
    tensor([2.])
    """

    compiled: list[Any] = []

    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not is_tracing() or not isinstance(fn, types.FunctionType) or fn.__name__ == "<lambda>":
            return fn(*args, **kwargs)
        if not compiled:
            compiled.append(script(fn))
        return compiled[0](*args, **kwargs)

    wrapper.__original_fn = fn  # type: ignore[attr-defined]
    wrapper.__script_if_tracing_wrapper = True  # type: ignore[attr-defined]
    return wrapper  # type: ignore[return-value]


def export(fn: F) -> F:
    """Marks a method of a Module: jit.script compiles it, even if forward does not call it.

    >>> torch.jit.export(lambda self: self)._torchscript_modifier
    'export (compile this function even if nothing calls it)'
    """
    return marked(fn, FunctionModifiers.EXPORT)


def unused(fn: F) -> F:
    """Marks a function or property that jit.script leaves out: a call of it in a script raises RuntimeError when it runs.

    >>> torch.jit.unused(lambda x: x)(3)
    3
    """
    if isinstance(fn, property):
        if fn.fget is not None:
            marked(fn.fget, FunctionModifiers.UNUSED)
        return fn
    return marked(fn, FunctionModifiers.UNUSED)


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Marks a function that stays in Python: `@torch.jit.ignore`, or `@torch.jit.ignore(drop=True)`, which is torch.jit.unused.

    A graph runs without Python, so a script that calls an ignored function is an error when it is compiled. Give such a function to the graph as an
    operator of your own (torch.library.custom_op). Raises RuntimeError where `drop` is neither a bool nor a function.

        >>> torch.jit.ignore(lambda x: x)(3)
        3
    """
    if callable(drop):
        return marked(drop, FunctionModifiers.IGNORE)
    if not isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    return lambda fn: marked(fn, FunctionModifiers.UNUSED if drop else FunctionModifiers.IGNORE)


def interface(obj: F) -> F:
    """Marks a class as the type of modules that have its methods. A script compiles a call for the module that it is.

    >>> torch.jit.interface(object) is object
    True
    """
    if isinstance(obj, type) and obj is not object:
        obj.__torch_script_interface__ = True  # type: ignore[attr-defined]
    return obj


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value. The type is for the compiler.

    >>> torch.jit.annotate(int, 3)
    3
    """
    return the_value


def is_tracing() -> bool:
    """Whether torch.jit.trace runs the code now.

    >>> torch.jit.is_tracing()
    False
    """
    return _C._is_capturing() and not _C._is_compiling()


def isinstance_(obj: Any, target_type: Any) -> bool:
    """isinstance() that knows the types of annotations: List[int], Dict[str, Tensor], Optional[int] and tuples of types.

    >>> torch.jit.isinstance([1, 2], list[int]), torch.jit.isinstance([1, "a"], list[int])
    (True, False)
    """
    if isinstance(target_type, tuple):
        return any(isinstance_(obj, t) for t in target_type)
    origin, args = typing.get_origin(target_type), typing.get_args(target_type)
    if origin is None:
        return isinstance(obj, target_type)
    if origin is typing.Union or type(target_type).__name__ == "UnionType":
        return any(isinstance_(obj, t) if t is not type(None) else obj is None for t in args)
    if origin is tuple:
        return isinstance(obj, tuple) and len(obj) == len(args) and all(map(isinstance_, obj, args))
    if origin in (list, collections.abc.Sequence):
        return isinstance(obj, list) and all(isinstance_(v, args[0]) for v in obj)
    if origin is dict:
        return isinstance(obj, dict) and all(isinstance_(k, args[0]) and isinstance_(v, args[1]) for k, v in obj.items())
    return isinstance(obj, origin)


isinstance_.__name__ = isinstance_.__qualname__ = "isinstance"


class _IgnoreContextManager:
    """Code that the compiler shall leave to Python."""

    def __init__(self, **kwargs: Any) -> None: ...

    def __enter__(self) -> None: ...

    def __exit__(self, *exc: object) -> None: ...


def _overload(func: F) -> F:
    """Marks one of several signatures for the compiler. The last function of the name is what runs, and takes arguments of all of their types."""
    _marks.overloaded.add((func.__module__, func.__qualname__))
    return func


_overload_method = _overload


def _drop(fn: F) -> F:
    """Marks a function that jit.script leaves out, as unused does."""
    return marked(fn, FunctionModifiers.UNUSED)


def _copy_to_script_wrapper(fn: F) -> F:
    """Marks a method that a script cannot call."""
    return marked(fn, FunctionModifiers.COPY_TO_SCRIPT_WRAPPER)
