"""The tensors that printed code reads."""

from __future__ import annotations

from typing import Any

from .. import _C


class ConstMap:
    """The tensors that a text calls CONSTANTS.c0, CONSTANTS.c1, …"""

    def __init__(self, const_mapping: dict[str, Any]) -> None:
        self.const_mapping = const_mapping

    def __getattr__(self, attr: str) -> Any:
        mapping = self.__dict__.get("const_mapping", {})
        if attr not in mapping:
            raise AttributeError(f"the text has no constant {attr}; it has {', '.join(mapping) or 'none'}")
        return mapping[attr]


def code_with_constants(graph: Any) -> tuple[str, ConstMap]:
    """`.code` of a graph, and the tensors that it reads."""
    text, tensors = _C._code_with_constants(graph)
    return text, ConstMap({f"c{k}": t for k, t in enumerate(tensors)})
