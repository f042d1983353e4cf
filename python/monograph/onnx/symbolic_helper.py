"""torch.onnx.symbolic_helper: marks of functions that PyTorch's exporter calls. There is no exporter yet, so nothing calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def parse_args(*arg_descriptors: str) -> Callable[[F], F]:
    """Marks a function of the exporter: the function itself."""
    return lambda fn: fn
