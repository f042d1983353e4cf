"""torch.fx.Node: one step of a graph, which is its own value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .. import _C
from ..functional import _assert
from .value import Value, nodes_in


def map_arg(a: Any, fn: Callable[[Node], Any]) -> Any:
    """`a` with fn(node) in the place of each node."""
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """`a` with fn(x) in the place of everything inside that is not a list, tuple, dict or slice."""
    from .immutable_collections import immutable_dict, immutable_list

    if isinstance(a, tuple):
        parts = tuple(map_aggregate(x, fn) for x in a)
        return type(a)(*parts) if hasattr(a, "_fields") else parts
    if isinstance(a, list):
        return immutable_list(map_aggregate(x, fn) for x in a)
    if isinstance(a, dict):
        return immutable_dict((k, map_aggregate(v, fn)) for k, v in a.items())
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def _assert_is_none(value: Any, msg: str) -> None:
    """What generated code calls of an argument that concrete_args fixed to None."""
    assert value is None, msg


_assert_is_none.__module__ = "monograph.fx._symbolic_trace"  # where torch.fx has it
_impure_functions: set[Any] = {_assert, _assert_is_none}  # called for what they do, such as to raise


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Says that calls of `fn` do something beside their result, so eliminate_dead_code() keeps them. Also a decorator."""
    _impure_functions.add(fn)
    return fn


class Node(_C.NodeBase):
    """A node of a Graph. It is made by its graph and stays the same object for as long as it or the graph's node lives."""

    def __repr__(self) -> str:
        return self.name

    @property
    def stack_trace(self) -> Any:
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, text: Any) -> None:
        self.meta["stack_trace"] = text

    def update_arg(self, idx: int, arg: Any) -> None:
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Any) -> None:
        if not 0 <= idx <= len(self.args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Any) -> None:
        self.kwargs = {**self.kwargs, key: arg}

    def replace_all_uses_with(
        self, replace_with: Node, delete_user_cb: Callable[[Node], bool] | None = None, *, propagate_meta: bool = False
    ) -> list[Node]:
        """Puts another node in the place of this one in all its users (in those that delete_user_cb accepts), and answers them."""
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        if delete_user_cb is None:
            return self._replace_all_uses(replace_with)
        chosen = [user for user in self.users if delete_user_cb(user)]
        for user in chosen:
            user.replace_input_with(self, replace_with)
        return chosen

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether it must stay though nobody uses it."""
        return super().is_impure() or (self.op == "call_function" and self.target in _impure_functions)

    # As TorchScript's API asks ----------------------------------------------------------------------------------------------------------
    def kind(self) -> str:
        """aten::add of a call of an operator, prim::Param of an input, prim::Return of the output."""
        ends = {"placeholder": "prim::Param", "output": "prim::Return", "get_attr": "prim::GetAttr"}
        if self.op in ends:
            return ends[self.op]
        schema = self.schema()
        return schema.name if schema else str(self.target)

    def schema(self) -> Any:
        """The FunctionSchema of the operator that it calls; None of another node."""
        return _C._schema_of(self)

    def inputs(self) -> Iterator[Value]:
        """The values among its arguments, in order."""
        return map(Value, nodes_in((self.args, self.kwargs)))

    def outputs(self) -> Iterator[Value]:
        """Its value; of a call with several results those that are used, in order."""
        return map(Value, _C._results_of(self))

    def output(self) -> Value:
        """Its value, where it has one."""
        values = list(self.outputs())
        if len(values) != 1:
            raise RuntimeError(f"{self.name} has {len(values)} results; outputs() gives them")
        return values[0]

    def sourceRange(self) -> str:
        """file:line of the user's code that it came from; "" where that is not known."""
        return self.span or ""

    def format_node(self, *args: Any, **kwargs: Any) -> str:
        """The node as a line of str(graph)."""
        lines = self.graph._to_text("fx").splitlines()
        mark = f"%{self.name} "
        return next((line.strip() for line in lines if line.strip().startswith(mark)), lines[-1].strip())


Node.__module__ = "monograph.fx.node"
