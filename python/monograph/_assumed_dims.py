"""What functions of the library do in the graph in operators of a symbolic trace, which does not know how many dims their input has.

F.interpolate(x, mode="bilinear") resamples images: x has four dims. In the graph in operators of a symbolic trace the function runs for that number of dims, and
the graph checks it at every run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from . import _C
from ._overridable import _parameters

F = TypeVar("F", bound=Callable[..., Any])


def assumes_dims(dims: Callable[[dict[str, Any]], int | None]) -> Callable[[F], F]:
    """As a decorator below `overridable`. `dims` gets the arguments by name, and says how many dims the first one has; None where that is open.

    A list of sizes that the graph computes has an element for each dim behind the first two.
    """

    def mark(function: F) -> F:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            first = args[0] if args else kwargs.get("input")
            if isinstance(first, _C.TensorBase) and first._is_symbolic:
                bound = _parameters(function)[0].bind(*args, **kwargs)
                bound.apply_defaults()
                if (count := dims(bound.arguments)) is not None:
                    _C._assume_dims(first, count)
                    return function(**{name: value if value is None else _C._assume_length(value, count - 2) for name, value in bound.arguments.items()})
            return function(*args, **kwargs)

        return cast(F, call)

    return mark


def _dims_to_resample(arguments: dict[str, Any]) -> int:
    """By the mode, or by how many sizes are given; else those of images."""
    named = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}.get(arguments["mode"])
    given = arguments["size"] if arguments["size"] is not None else arguments["scale_factor"]
    return named or (len(given) + 2 if isinstance(given, (list, tuple)) else 4)


# As a decorator, of F.interpolate.
resamples = assumes_dims(_dims_to_resample)


def symbolically(instead: Callable[..., Any]) -> Callable[[F], F]:
    """As a decorator below `overridable`: where the first argument is a symbolic tensor, `instead` is called with all arguments by name. It calls an operator, which
    knows the dims when the graph runs."""

    def mark(function: F) -> F:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            first = args[0] if args else kwargs.get(next(iter(_parameters(function)[0].parameters)))
            symbolic = isinstance(first, _C.TensorBase) and first._is_symbolic
            if not symbolic:
                return function(*args, **kwargs)
            bound = _parameters(function)[0].bind(*args, **kwargs)
            bound.apply_defaults()
            return instead(**bound.arguments)

        return cast(F, call)

    return mark
