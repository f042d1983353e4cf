"""torch._C.Value: what a node takes or gives, as TorchScript's API names it. A node's result is the node itself; this is its other face."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _C

if TYPE_CHECKING:
    from .script_view import ScriptNode


class Use(NamedTuple):
    """One place where a value is used: the node, and which of its inputs it is."""

    user: ScriptNode
    offset: int


class Value:
    """What a node takes or gives. Two are equal where they are the same result, or stand at the same place.

    A literal that stands among the arguments of a node is a value too: its node() is a prim::Constant, or a prim::ListConstruct.
    """

    __slots__ = ("_node", "_path")

    def __init__(self, node: Any, path: tuple[int, ...] = ()):
        self._node, self._path = node, path

    @property
    def _ref(self) -> tuple[Any, tuple[int, ...]]:
        return (self._node, self._path)

    def node(self) -> ScriptNode:
        """The node that makes it."""
        from .script_view import node_at

        return node_at(*_C._view_node(self._node, self._path))

    def offset(self) -> int:
        """Which of the node's outputs it is."""
        return _C._view_offset(self._node, self._path)

    def debugName(self) -> str:
        return self._node.name if not self._path else ".".join([self._node.name, *(str(k & 0xFFFF) for k in self._path)])

    def setDebugName(self, name: str) -> Value:
        if self._path:
            raise RuntimeError(f"a literal among the inputs of {self._node.name} has no name of its own; graph.insertConstant makes a node that has one")
        self._node.name = name
        return self

    def type(self) -> Any:
        """A Type; None where nothing is known."""
        return _C._view_type(self._node, self._path)

    def setType(self, kind: Any) -> Value:
        """Declares the type. kind: a Type, or its text."""
        if self._path:
            raise RuntimeError("a literal has the type that it has")
        _C._view_set_type(self._node, str(kind))
        return self

    def toIValue(self) -> Any:
        """What a constant is worth; None of another value. dtypes and memory formats are their numbers, as in PyTorch."""
        found = _C._view_attribute(self._node, self._path, "value") if self.node().kind() == "prim::Constant" else ()
        return found[0] if found else None

    def uses(self) -> list[Use]:
        from .script_view import node_at

        return [Use(node_at(*user), offset) for user, offset in _C._view_uses(self._node, self._path)]

    def hasUses(self) -> bool:
        return bool(self.uses())

    def replaceAllUsesWith(self, other: Value) -> None:
        """Whoever uses this value uses the other one. A literal is used once, where it stands."""
        _C._view_replace_all(self._ref, other._ref)

    def replaceAllUsesAfterNodeWith(self, node: Any, other: Value) -> None:
        """Uses behind a node become those of the other value."""
        place = node._ref[0]
        for use in self.uses():
            user = use.user._ref[0]
            if user is not place and place < user:
                _C._view_set_input(use.user._ref, use.offset, other._ref)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and other._node is self._node and other._path == self._path

    def __hash__(self) -> int:
        return hash((id(self._node), self._path))

    def __repr__(self) -> str:
        if not self._path:
            return f"{self.debugName()} defined in ({self._node.format_node()})"
        return f"{self.debugName()} defined in ({self.node()})"


def nodes_in(argument: Any) -> Iterator[Any]:
    """The nodes inside of an argument in order, as often as each stands there."""
    if isinstance(argument, _C.NodeBase):
        yield argument
    elif isinstance(argument, (list, tuple)):
        for part in argument:
            yield from nodes_in(part)
    elif isinstance(argument, dict):
        for part in argument.values():
            yield from nodes_in(part)
    elif isinstance(argument, slice):
        yield from nodes_in((argument.start, argument.stop, argument.step))


Value.__module__ = "monograph._C"
