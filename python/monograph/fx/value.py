"""torch._C.Value: a node's result as TorchScript's API names it. The node itself is the value; this is its other face."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _C

if TYPE_CHECKING:
    from .node import Node


class Use(NamedTuple):
    """One place where a value is used: the node, and which of its arguments it is (counted through lists and dicts)."""

    user: Node
    offset: int


class Value:
    """The result of a node. Two are equal where they are of one node."""

    __slots__ = ("_node",)

    def __init__(self, node: Node):
        self._node = node

    def node(self) -> Node:
        """The node that computes it."""
        return self._node

    def debugName(self) -> str:
        return self._node.name

    def setDebugName(self, name: str) -> Value:
        self._node.name = name
        return self

    def type(self) -> Any:
        """A Type; None where nothing is known."""
        return _C._type_of(self._node)

    def uses(self) -> list[Use]:
        return [Use(user, k) for user in self._node.users for k, used in enumerate(nodes_in((user.args, user.kwargs))) if used is self._node]

    def replaceAllUsesWith(self, other: Value) -> None:
        self._node.replace_all_uses_with(other.node())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and other._node is self._node

    def __hash__(self) -> int:
        return hash(self._node)

    def __repr__(self) -> str:
        return f"{self.debugName()} defined in ({self._node.format_node()})"


def nodes_in(argument: Any) -> Iterator[Node]:
    """The nodes inside of an argument in order, as often as each stands there."""
    if isinstance(argument, _C.NodeBase):
        yield argument  # type: ignore[misc]
    elif isinstance(argument, (list, tuple)):
        for part in argument:
            yield from nodes_in(part)
    elif isinstance(argument, dict):
        for part in argument.values():
            yield from nodes_in(part)
    elif isinstance(argument, slice):
        yield from nodes_in((argument.start, argument.stop, argument.step))


Value.__module__ = "monograph._C"
