"""What the decorators of torch.jit note on a function, and the base of scripted and traced modules: what the compiler and its users share."""

from __future__ import annotations

import typing
from collections.abc import Callable
from typing import Any, TypeVar

from ..nn import Module

F = TypeVar("F", bound=Callable[..., Any])


# What a ScriptModule of the user's has as a program.
_OF_PROGRAMS = {"code", "code_with_constants", "graph", "inlined_graph", "graph_for", "save", "save_to_buffer", "original_name", "_compiled", "_program"}

# What compiles a ScriptModule of the user's: _script.py gives it, for the compiler stands on this module.
compilers: list[Callable[[Any], Any]] = []

# Functions with other signatures (torch.jit._overload), by module and qualified name.
overloaded: set[tuple[str, str]] = set()


class ScriptModule(Module):
    """What jit.script and jit.trace make of a Module is one. A class of your own with it as its base is a Module whose calls run in Python. Its forward and the
    methods that are marked with script_method are compiled where `code`, `graph`, `save` and the like are read."""

    _compiled_call_impl: Any = None  # it is a graph: set_execution("graph") leaves its calls as they are

    def __getattr__(self, name: str) -> Any:
        if name in _OF_PROGRAMS and not hasattr(type(self), "inlined_graph"):
            return getattr(compilers[0](self), name)
        return super().__getattr__(name)

    @property
    def _c(self) -> Any:
        """The module as PyTorch's object of C++: its methods and attributes by their names."""
        from ._module_members import ModuleMembers

        return ModuleMembers(self)


class Attribute(typing.NamedTuple):
    """A value with a type for the compiler, which PyTorch's ScriptModule takes out.

    >>> torch.jit.Attribute(3, int).value
    3
    """

    value: Any
    type: Any


class FunctionModifiers:
    """What the marks of this module say of a function."""

    UNUSED = "unused (ignored and replaced with raising of an exception)"
    IGNORE = "ignore (leave as a call to Python, cannot be torch.jit.save'd)"
    EXPORT = "export (compile this function even if nothing calls it)"
    COPY_TO_SCRIPT_WRAPPER = "if this method is not scripted, copy the python method onto the scripted model"


def modifier_of(fn: Any) -> Any:
    """The mark of a function, or None."""
    return getattr(fn, "_torchscript_modifier", None)


def marked(fn: F, modifier: str) -> F:
    """The function, which has the mark from here on."""
    fn._torchscript_modifier = modifier  # type: ignore[attr-defined]
    return fn


ScriptModule.__module__ = Attribute.__module__ = "monograph.jit._script"
