"""torch._dynamo.export: a function as a torch.fx GraphModule, with what holds for the call that was captured."""

from __future__ import annotations

from typing import Any, NamedTuple


class ExportResult(NamedTuple):
    """The program as a GraphModule with the signature of the function, and the lines of what was guarded."""

    graph_module: Any
    guards: Any


def exported(f: Any, args: Any, kwargs: Any) -> ExportResult:
    """Raises torch._dynamo.exc.Unsupported where the call is not one graph."""
    from .. import _C
    from .._compile import compile as compiled, compiled_of
    from ..fx._symbolic_trace import symbolic_trace

    made = compiled_of(compiled(f, backend="interpreter", fullgraph=True))
    made(*args, **kwargs)
    guards = [line for entry in _C._compiled_entries(made) for line in entry["guards"]]
    return ExportResult(symbolic_trace(f), guards)
