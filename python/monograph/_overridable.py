"""Functions in Python that types with __torch_function__ can take over."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from . import _C

F = TypeVar("F", bound=Callable[..., Any])


@functools.cache
def _parameters(function: Any) -> tuple[inspect.Signature, frozenset[str]]:
    signature = inspect.signature(function)
    return signature, frozenset(n for n, p in signature.parameters.items() if p.default is p.empty and p.kind is not p.KEYWORD_ONLY)


def _rebind(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call as the signature names them: required ones by position, the others by keyword, defaults filled in."""
    signature, required = _parameters(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        function(*args, **kwargs)  # Python's own words, as for tensors
        raise
    bound.apply_defaults()
    arguments = bound.arguments
    for name in getattr(function, "_left_out", ()):
        if arguments[name] is signature.parameters[name].default:
            del arguments[name]
    return tuple(v for n, v in arguments.items() if n in required), {n: v for n, v in arguments.items() if n not in required}


_C._set_rebind(_rebind)


def leaves_out(*names: str) -> Callable[[F], F]:
    """As a decorator below `overridable` or `as_given`: arguments that PyTorch does not pass on. One is passed on where it is not its default."""

    def mark(function: F) -> F:
        function._left_out = names  # type: ignore[attr-defined]
        return function

    return mark


def overridable(function: F) -> F:
    """As a decorator: calls with an argument whose type has __torch_function__ go there."""
    return cast(F, _C._Overridable(function))


def torch_function_handler(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The type of the first argument that is no tensor and has __torch_function__; None where there is none."""
    kinds = map(type, (*args, *kwargs.values()))
    return next((t for t in kinds if hasattr(t, "__torch_function__") and not issubclass(t, _C.TensorBase)), None)


def as_given(function: F) -> F:
    """As a decorator: an argument that is no tensor and has __torch_function__ gets the call with its arguments as they are, as it does from a record.

    Arguments that only a keyword gives are passed on with their defaults: torch.meshgrid(x, y) gets indexing=None.
    """
    given = inspect.unwrap(function)
    defaults = {k: v for k, v in (given.__kwdefaults__ or {}).items() if k not in getattr(given, "_left_out", ())}

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if _C._any_hands_over(*args):
            return _C._hand_over(call, *args, **{**defaults, **kwargs})
        kind = torch_function_handler(args, kwargs)
        return function(*args, **kwargs) if kind is None else kind.__torch_function__(call, (kind,), args, {**defaults, **kwargs})

    return cast(F, call)
