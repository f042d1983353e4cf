"""torch.fx._lazy_graph_module: how passes make a GraphModule. The code of a GraphModule is made when it is needed here, so there is no second, lazy class."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .graph_module import GraphModule

_LazyGraphModule = GraphModule


@contextmanager
def _use_lazy_graph_module(should_use: bool) -> Iterator[None]:
    """Changes nothing: every GraphModule makes its code late."""
    yield


@contextmanager
def _force_skip_lazy_graph_module() -> Iterator[None]:
    """Changes nothing: every GraphModule makes its code late, and can be scripted."""
    yield


def _get_graph_module_cls() -> type[GraphModule]:
    return GraphModule


def _make_graph_module(*args: Any, graph_module_cls: type[GraphModule] | None = None, **kwargs: Any) -> GraphModule:
    """GraphModule(...), or one of this class."""
    return (graph_module_cls or GraphModule)(*args, **kwargs)
