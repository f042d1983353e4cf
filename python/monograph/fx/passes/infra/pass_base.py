"""torch.fx.passes.infra.pass_base: a pass as a class, with a check before and one after it."""

from __future__ import annotations

import abc
from typing import NamedTuple

from ...graph_module import GraphModule

__all__ = ["PassResult", "PassBase"]


class PassResult(NamedTuple):
    """What a pass gives."""

    graph_module: GraphModule
    modified: bool  # whether the pass changed something


class PassBase(abc.ABC):
    """Derive a class with the method `call`; an object of it is a pass."""

    def __call__(self, graph_module: GraphModule) -> PassResult | None:
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: GraphModule) -> PassResult | None:
        """The pass itself."""

    def requires(self, graph_module: GraphModule) -> None:  # noqa: B027 (may be left as it is)
        """Raises where the module is not what the pass takes."""

    def ensures(self, graph_module: GraphModule) -> None:  # noqa: B027
        """Raises where the pass left something wrong."""
