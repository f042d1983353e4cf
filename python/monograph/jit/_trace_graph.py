"""The graph of a trace and the results of the call, for packages that count what a model computes (torch.jit._get_trace_graph), such as fvcore."""

from __future__ import annotations

import threading
from typing import Any

from .. import _C
from ._trace import trace

_CONVOLUTION = {"input", "weight", "bias", "stride", "padding", "dilation", "groups"}


class TracingState(threading.local):
    """What torch._C._get_tracing_state() gives while a trace runs. Packages push a scope before each module and pop it behind: nodes in between have the scope."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self._capture = 0
        self._scopes: list[str] = []
        self._begins: list[tuple[int, str]] = []

    def _note(self, change: Any) -> None:
        capture, position = _C._capture_position()
        if capture != self._capture:  # another trace, or another run of this one
            self._capture, self._scopes, self._begins = capture, [], []
        change()
        self._begins.append((position, self.current_scope()))

    def push_scope(self, name: str) -> None:
        self._note(lambda: self._scopes.append(name))

    def pop_scope(self) -> None:
        self._note(lambda: self._scopes and self._scopes.pop())

    def current_scope(self) -> str:
        """The names of the open scopes, the outer one first: "encoder/encoder.0"."""
        return "/".join(self._scopes)


_state = TracingState()


def _get_tracing_state() -> TracingState | None:
    """The state of the trace that runs; None if none does."""
    return _state if _C._is_capturing() and not _C._is_compiling() else None


def _as_pytorch_traces(graph: Any) -> None:
    """A convolution becomes aten::_convolution, which is what PyTorch's trace records of it, whatever the number of its axes."""
    for node in [n for block in _blocks(graph.block()) for n in block.nodes()]:
        schema = node.schema()
        names = [a.name for a in schema.arguments] if schema is not None else []
        given = dict(zip(names, node.inputs(), strict=False))
        if not given.keys() >= _CONVOLUTION or isinstance(given["padding"].toIValue(), str) or "transposed" in given:
            continue
        sizes = given["weight"].type().sizes()
        if sizes is None:
            continue

        def per_axis(name: str, given: Any = given, axes: int = len(sizes) - 2) -> Any:
            """The argument with a number for each axis."""
            one = given[name].toIValue() if name in given else 0
            one = one[0] if isinstance(one, (list, tuple)) and len(one) == 1 else one
            return [one] * axes if isinstance(one, int) else given[name]

        with graph.insert_point_guard(node):
            result = graph.insert(
                "aten::_convolution",
                [
                    *(given[name] for name in ("input", "weight", "bias")),
                    *(per_axis(name) for name in ("stride", "padding", "dilation")),
                    "output_padding" in given,
                    per_axis("output_padding"),
                    given["groups"],
                    *(False, False, True, True),
                ],
            )
        result.node().copyMetadata(node)
        node.output().replaceAllUsesWith(result)
        result.copyMetadata(node.output())
        node.destroy()


def _blocks(block: Any) -> Any:
    yield block
    for node in block.nodes():
        for inner in node.blocks():
            yield from _blocks(inner)


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
    _state.begin()
    graph: Any = trace(f, inputs, strict=strict, check_trace=False).inlined_graph
    if _state._begins:
        _C._set_scopes(graph, _state._begins)
    _C._type_by_examples(graph, list(inputs))
    _as_pytorch_traces(graph)
    return graph, f(*inputs)
