"""monograph.capture: one front door over the captures, with a report of the way taken."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from .fx import Graph, Tracer
from .fx._lowering import lower
from .fx.proxy import TraceError
from .jit._trace import _in_order, _rebuild, _structure, _Traced
from .nn import Module


class Guard(NamedTuple):
    """Something that the capture took from the example and that every run checks."""

    expression: str
    expected: str
    where: str


class Captured:
    """What a capture gave: call it, look at `graph`, read the report.

    graph: the program in operators. how: the way taken, "trace" or "symbolic". guards: what it relies on. tried: ways that failed, with why.
    """

    def __init__(self, graph: Graph, how: str, tried: list[tuple[str, str]], run: Any):
        self.graph, self.how, self.tried, self._run = graph, how, tried, run

    @property
    def guards(self) -> list[Guard]:
        return [Guard(*g) for g in self.graph.guards]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._run(*args, **kwargs)

    def report(self) -> str:
        lines = [f"captured by {self.how}: {sum(1 for _ in self.graph.nodes)} nodes"]
        for how, why in self.tried:
            lines.append(f"  {how} was tried before: {why.splitlines()[0]}")
        if not self.guards:
            lines.append("  no guards: the graph is the program for all inputs of these dtypes and numbers of dims")
        for g in self.guards:
            lines.append(f"  guard at {g.where}: {g.expression}  was {g.expected}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.report()


def capture(f: Any, *inputs: Any, how: str = "auto", control_flow: str = "guard", **kwargs: Any) -> Captured:
    """Captures a function or Module as a graph of operators, called as f(*inputs, **kwargs).

    how: "trace" runs it once on the inputs; "symbolic" runs it on proxies and needs none; "auto" takes symbolic capture where the program allows it
    (it relies on nothing) and else the trace. control_flow: what a trace does where Python takes a branch or number from a value: "guard" (checked
    at every run), "error", "freeze".
    """
    if how not in ("auto", "trace", "symbolic"):
        raise ValueError(f'how must be "auto", "trace" or "symbolic", but got {how!r}')
    module = f if isinstance(f, Module) else None
    tried: list[tuple[str, str]] = []
    if how in ("auto", "symbolic"):
        try:
            return _symbolic(f, inputs, kwargs)
        except (TraceError, TypeError, RuntimeError, NotImplementedError, NameError, ValueError) as error:
            if how == "symbolic" or not (inputs or kwargs):
                raise
            tried.append(("symbolic", str(error)))
    if not (inputs or kwargs):
        raise TypeError("a trace needs example inputs: capture(f, x, ...)")
    traced = _Traced(
        f.forward if module is not None and not module._forward_hooks and not module._forward_pre_hooks else f,
        inputs,
        kwargs,
        module,
        False,
        control_flow,
    )
    return Captured(traced.graph, "trace", tried, traced)


def _arguments(f: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """What the example tells of the arguments: the defaults that it leaves in place, which are part of the program then, and the names of the inputs
    that *args and **kwargs stand for. Without an example, nothing."""
    if not (inputs or kwargs):
        return {}, {}
    signature = inspect.signature(f.forward if isinstance(f, Module) else f)
    given = signature.bind(*inputs, **kwargs).arguments
    defaults = {n: p.default for n, p in signature.parameters.items() if n not in given and p.default is not p.empty}
    rest: dict[str, list[str]] = {}
    for n, p in signature.parameters.items():
        if p.kind is p.VAR_POSITIONAL:
            rest[n] = [f"{n}_{i}" for i in range(len(given.get(n, ())))]
        elif p.kind is p.VAR_KEYWORD:
            rest[n] = list(given.get(n, {}))
    return defaults, rest


def _symbolic(f: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Captured:
    from .fx.graph_module import GraphModule

    tracer = Tracer()
    defaults, tracer.rest = _arguments(f, inputs, kwargs)
    graph = tracer.trace(f, defaults)
    gm = GraphModule(tracer.root, graph, "Captured")
    graph.owning_module = gm
    lowered = lower(graph, gm)
    structure = _structure(graph.output_node().args[0])
    names = [n.target for n in graph.nodes if n.op == "placeholder" and not n.args and not n.target.startswith("*")]

    def run(*args: Any, **given: Any) -> Any:
        return _rebuild(lowered(*_in_order(names, args, given)), structure)

    return Captured(lowered, "symbolic", [], run)


Captured.__module__ = Guard.__module__ = capture.__module__ = "monograph"
