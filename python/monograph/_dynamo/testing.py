"""torch._dynamo.testing: backends that count, for tests of compiled programs."""

from __future__ import annotations

from typing import Any

from . import missing_name
from .backends.registry import lookup_backend
from .utils import same  # noqa: F401


class CompileCounter:
    """A backend that counts graphs and the calls in them, and runs them as they are."""

    def __init__(self) -> None:
        self.clear()

    def __call__(self, gm: Any, example_inputs: Any) -> Any:
        self.frame_count += 1
        self.op_count += sum("call" in node.op for node in gm.graph.nodes)
        return gm.forward

    def clear(self) -> None:
        self.frame_count = self.op_count = 0


class CompileCounterWithBackend(CompileCounter):
    """The same with another backend behind it; it keeps the graphs."""

    def __init__(self, backend: Any):
        super().__init__()
        self.backend, self.graphs = backend, []

    def __call__(self, gm: Any, example_inputs: Any) -> Any:
        super().__call__(gm, example_inputs)
        self.graphs.append(gm)
        return lookup_backend(self.backend)(gm, example_inputs)


class EagerAndRecordGraphs:
    """A backend that keeps the graphs and runs them as they are."""

    def __init__(self) -> None:
        self.graphs: list[Any] = []

    def __call__(self, gm: Any, example_inputs: Any) -> Any:
        self.graphs.append(gm)
        return gm.forward


__getattr__ = missing_name(__name__)
