"""torch.compiler: what programs ask of the compiler and tell it. There is none yet, so the answers are no, and a mark leaves a function as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def is_compiling() -> bool:
    """Whether torch.compile or torch.export runs the code: never here."""
    return False


def is_dynamo_compiling() -> bool:
    """Whether torch.compile runs the code: never here."""
    return False


def is_exporting() -> bool:
    """Whether torch.export runs the code: never here."""
    return False


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Marks a function that the compiler shall leave alone: the function itself. Without one, the mark."""
    return (lambda f: f) if fn is None else fn


def allow_in_graph(fn: F) -> F:
    """Marks a function that the compiler shall not look into: the function itself."""
    return fn


def assume_constant_result(fn: F) -> F:
    """Marks a function whose result the compiler may keep: the function itself."""
    return fn


def substitute_in_graph(original_fn: Any, **kwargs: Any) -> Callable[[F], F]:
    """Marks a function that the compiler shall use for another: the function itself."""
    return lambda fn: fn


def reset() -> None:
    """Forgets what was compiled: nothing."""


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """The backends of torch.compile: none."""
    return []


def cudagraph_mark_step_begin() -> None:
    """Marks a step of CUDA graphs: there are none."""
