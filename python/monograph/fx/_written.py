"""Which arguments a call of a node may write to, as the records say."""

from __future__ import annotations

import functools
import operator
from typing import Any

from .. import _C
from .._tensor import Tensor

FORMS = {getattr(operator, name): form for name, _, form in _C._python_operators()}


@_C._natively
def schemas(kind: str, target: Any) -> list[Any]:
    """The records that a call may mean; none where it is no operator's."""
    function = getattr(Tensor, target, None) if kind == "call_method" else target
    return getattr(function, "_schemas", [])


@_C._natively
def _is_item_write(target: Any) -> bool:
    """x[i] = v, as an operator, or of a tensor that is no proxy: TensorBase.__setitem__."""
    return getattr(target, "__name__", "").strip("_") == "setitem"


@functools.cache
def _written_places(function: Any) -> dict[str, int]:
    """Names of the arguments that an operator may write to, each with its place; -1 of one that only a keyword gives."""
    places: dict[str, int] = {}
    for schema in function._schemas:
        for k, a in enumerate(schema.arguments):
            if a.alias_info is not None and a.alias_info.is_write:
                places.setdefault(a.name, -1 if a.kwarg_only else k)
    return places


def may_write(kind: str, target: Any) -> bool:
    """Whether calls of this function or method may write to an argument; what they are called with tells."""
    if kind == "call_function" and (_is_item_write(target) or _is_in_place_operator(target)):
        return True
    function = getattr(Tensor, target, None) if kind == "call_method" else target
    return isinstance(function, (_C.Builtin, _C.BuiltinMethod)) and bool(_written_places(function))


@_C._natively
def never_writes(kind: str, target: Any) -> bool:
    """Whether no call of this target writes to an argument, or changes its sizes or whether it requires grad, as far as is known."""
    if kind == "call_method":
        return not target.endswith("_") or target.endswith("__")
    if kind != "call_function" or may_write(kind, target):
        return False
    return isinstance(target, _C.Builtin) or getattr(target, "__module__", "") in ("builtins", "_operator", "math")


@_C._natively
def written(kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The arguments that a call writes to."""
    if type(target) in _KNOWN_TARGETS:
        places = _call_places(kind, target)
        if not places:  # most calls
            return []
    else:
        places = _places(kind, target)
    return [kwargs[name] if name in kwargs else args[k] for name, k in places if name in kwargs or 0 <= k < len(args)]


@_C._natively
def _places(kind: str, target: Any) -> list[tuple[str, int]]:
    """What a call may write to: the name of the argument and its place, as in _written_places."""
    first = [("", 0)] if kind == "call_function" and (_is_item_write(target) or _is_in_place_operator(target)) else []
    function = getattr(Tensor, target, None) if kind == "call_method" else target
    return first + (list(_written_places(function).items()) if isinstance(function, (_C.Builtin, _C.BuiltinMethod)) else [])


# Of targets that live as long as the library: names of methods and its own functions, those of `operator` among them.
_KNOWN_TARGETS = {str, _C.Builtin, _C.BuiltinMethod, type(operator.add)}
_call_places = functools.lru_cache(maxsize=4096)(_places)


@_C._natively
def _is_in_place_operator(target: Any) -> bool:
    # x @= y has no such form: it makes a new tensor.
    return callable(target) and FORMS.get(target) == "inplace" and hasattr(_C.TensorBase, f"__{target.__name__}__")
