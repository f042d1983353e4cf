"""The error of a call whose arguments do not fit, in PyTorch's words: which argument, its value, and the declaration of what was called.

It is a TypeError, as of any function, and a RuntimeError, as PyTorch raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import _C
from .._tensor import Tensor

_LONGEST = 200  # characters of a value


def unknown(name: str, key: str, text: str) -> TypeError:
    """The error of a keyword argument that the function `name` has not. `text`: Monograph's words."""
    return _of(f"Unknown keyword argument {key!r} for operator {name!r}. Schema: ", text)


def repeated(key: str, text: str) -> TypeError:
    """The error of an argument that is given twice."""
    return _of(f"Argument {key!r} specified both as positional and keyword argument. Schema: ", text)


def missing(name: str, key: str, text: str) -> TypeError:
    """The error of an argument that is not given."""
    return _of(f"{name}() is missing value for argument {key!r}. Declaration: ", text)


def _of(begin: str, text: str) -> TypeError:
    error: TypeError = _C._WrongInput(text)
    error._begin = begin  # type: ignore[attr-defined]
    return error


def describe(error: Any, name: str, schema: Callable[[], Any], args: Sequence[Any]) -> None:
    """Puts PyTorch's words in front of the message. `args`: the arguments in the order of the graph's inputs."""
    begin, place = getattr(error, "_begin", None), getattr(error, "_place", None)
    if begin is None and place is None:
        return  # the error of a call inside, which has its words
    declared = schema()
    parameters = declared.arguments
    own = bool(parameters) and str(parameters[0].type).startswith("__torch__")  # self of a method
    if begin is not None:
        text = f"{begin}{declared}"
    elif (place := int(place or 0)) < 0:
        text = f"{name}() expected at most {len(parameters)} argument(s) but received {len(args) + own} argument(s). Declaration: {declared}"
    elif place >= len(args):
        text = f"{name}() is missing value for argument {parameters[place + own].name!r}. Declaration: {declared}"
    else:
        parameter, value = parameters[place + own], args[place]
        if isinstance(value, Tensor) and str(parameter.type) == "Tensor":
            return  # of another dtype or number of dims, which PyTorch does not ask for
        shown = repr(value)
        shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."
        text = (
            f"{name}() Expected a value of type '{parameter.type.annotation_str}' for argument {parameter.name!r} but instead found type "
            f"'{type(value).__name__}'.\nPosition: {place + own}\nValue: {shown}\nDeclaration: {declared}"
        )
    error._begin = error._place = None
    error.args = (f"{text}\n{error}",)
