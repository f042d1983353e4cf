"""The graph of a trace and the results of the call, for packages that count what a model computes (torch.jit._get_trace_graph)."""

from __future__ import annotations

from typing import Any

from ._trace import trace


def _get_trace_graph(
    f: Any,
    args: Any = (),
    kwargs: dict[str, Any] | None = None,
    strict: bool = True,
    _force_outplace: bool = False,
    return_inputs: bool = False,
    _return_inputs_states: bool = False,
) -> tuple[Any, Any]:
    if kwargs or return_inputs or _return_inputs_states:
        given = "kwargs" if kwargs else "return_inputs" if return_inputs else "_return_inputs_states"
        raise NotImplementedError(f"_get_trace_graph: {given} is not part of Monograph; use torch.jit.trace")
    inputs = args if isinstance(args, tuple) else (args,)
    traced: Any = trace(f, inputs, strict=strict, check_trace=False)
    return traced.inlined_graph, f(*inputs)
