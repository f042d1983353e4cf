"""Annotations in generated code, in torch.fx's words: torch.Tensor, list[int], typing_List[torch.Tensor]."""

from __future__ import annotations

import functools
import inspect
import re
import types
import typing
from typing import Any

from .. import _C

# torch.fx writes the classes that typing's generics stand for as typing's own.
_GENERIC = {dict: typing.Dict, list: typing.List, tuple: typing.Tuple, set: typing.Set, frozenset: typing.FrozenSet}  # noqa: UP006


def hints_of(function: Any) -> dict[str, Any]:
    """What a function's arguments and result are annotated with, as the function says it: a text stays one.

    Monograph's own layers write theirs as texts, and `Any` where PyTorch's layers write nothing; they are told as PyTorch's are.
    """
    function = inspect.unwrap(function)
    hints = getattr(function, "__annotations__", {})
    if not hints or (getattr(function, "__module__", None) or "").partition(".")[0] != __name__.partition(".")[0]:
        return hints
    return _own_hints(function)


@functools.cache  # texts are evaluated; the layers stay
def _own_hints(function: Any) -> dict[str, Any]:
    return {name: kind for name, kind in typing.get_type_hints(function).items() if kind is not Any}


class Annotations:
    """Writes types as code. `names` takes what that code names beside torch and the builtins."""

    def __init__(self, names: dict[str, Any]):
        self.names = names

    def text(self, kind: Any) -> str:
        if kind is None or kind is type(None):
            return "NoneType"
        if kind == ():
            return "()"
        arguments = getattr(kind, "__args__", ())
        if isinstance(kind, types.UnionType):
            return "|".join(map(self.text, arguments))
        origin = getattr(kind, "__origin__", None)
        if origin is not None:
            of = self._named(_GENERIC.get(origin, origin) if isinstance(kind, typing._BaseGenericAlias) else origin)  # type: ignore[attr-defined]
            return f"{of}[{','.join(map(self.text, arguments))}]" if arguments else of
        return self._named(kind)

    def _named(self, kind: Any) -> str:
        """The name of a class or of typing's; another object, an annotation that is a text among them, gets a name of its own."""
        if isinstance(kind, type):
            name = _C._qualified_name(kind)
            if name == "torch.device":
                return "device"
            if name.startswith("torch.") or kind.__module__ == "builtins":
                return name
        else:
            name = "..." if kind is ... else repr(kind)
        name = re.sub(r"[^A-Za-z0-9_]+", "_", name)
        made, k = name, 0
        while self.names.setdefault(made, kind) is not kind and self.names[made] != kind:
            k += 1
            made = f"{name}_{k}"
        return made
