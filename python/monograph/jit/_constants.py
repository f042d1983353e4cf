"""Programs with a text in TorchScript's words, and the tensors that such a text reads."""

from __future__ import annotations

import io
import weakref
from typing import Any

from .. import _C
from ..fx.graph import Graph

_last: list[Any] = [None]  # the graph that ran last, as a weak reference


def last_executed_optimized_graph() -> Any:
    """The graph of the scripted function or method that was called last; None where there is none, or where it is gone.

    >>> torch.jit.last_executed_optimized_graph() is torch.jit.last_executed_optimized_graph()
    True
    """
    return None if _last[0] is None else _last[0]()


def ran(graph: Graph) -> None:
    """Notes which graph runs."""
    _last[0] = weakref.ref(graph)


class ConstMap:
    """The tensors that a text calls CONSTANTS.c0, CONSTANTS.c1, …"""

    def __init__(self, const_mapping: dict[str, Any]) -> None:
        self.const_mapping = const_mapping

    def __getattr__(self, attr: str) -> Any:
        mapping = self.__dict__.get("const_mapping", {})
        if attr not in mapping:
            raise AttributeError(f"the text has no constant {attr}; it has {', '.join(mapping) or 'none'}")
        return mapping[attr]


class Printed:
    """A program that has a text. `_text_graph` is the graph that the text shows."""

    def _text_graph(self) -> Graph:
        raise NotImplementedError

    @property
    def code(self) -> str:
        """The program in TorchScript's words, with its calls of functions and methods as its text has them. Of a module it is forward."""
        return self._told()[0]

    def graph_for(self, *args: Any, **kwargs: Any) -> Graph:
        """The graph that a call with these arguments runs."""
        return self.inlined_graph  # type: ignore[attr-defined]

    def save_to_buffer(self, _extra_files: Any = None) -> bytes:
        """The archive that save() writes, as bytes."""
        buffer = io.BytesIO()
        self.save(buffer, _extra_files)  # type: ignore[attr-defined]
        return buffer.getvalue()

    def _told(self) -> tuple[str, list[Any]]:
        """The text, and the tensors that it calls CONSTANTS.c0, CONSTANTS.c1, …"""
        printed: tuple[str, list[Any]] = _C._code_with_constants(self._graph_of_code())
        return printed

    def _graph_of_code(self) -> Graph:
        """The graph with tuples in the place of NamedTuples: a text has no classes."""
        graph = self._text_graph()
        known = graph._in_tuples
        return known[1] if known is not None and known[0] == graph._version else graph

    @property
    def code_with_constants(self) -> tuple[str, ConstMap]:
        """`.code`, and the tensors that it calls CONSTANTS.c0, CONSTANTS.c1, …"""
        text, tensors = self._told()
        return text, ConstMap({f"c{k}": t for k, t in enumerate(tensors)})


class ScriptFunction(Printed):
    """A scripted or traced function: call it, print its graph and code, save it."""

    name: str

    @property
    def qualified_name(self) -> str:
        """The name that it has in programs: "__torch__.model.f"."""
        home = getattr(self, "_home", "")
        if home is None:  # of a text
            return self.name
        home = home.replace("monograph.", "torch.", 1) if home.startswith("monograph.") else home
        return f"__torch__.{self.name}" if home in ("", "__main__") else f"__torch__.{home}.{self.name}"

    def __repr__(self) -> str:
        return f"<torch.jit.ScriptFunction {self.name}>"
