"""torch.cond and torch.while_loop in a symbolic trace.

Each becomes a node with blocks, an If or a Loop. The functions are traced into the blocks at the place of the call, so they may use every value
that the traced function has there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .. import _C, _higher_order
from .._higher_order import called
from .._tensor import Tensor
from .node import Node
from .proxy import WITH_BLOCKS, Proxy, TraceError, TracerBase, _user_line


@contextmanager
def _block(tracer: TracerBase) -> Iterator[None]:
    """Inside of a block, an attribute of a module is read again. Nodes after the block do not use that node, because it belongs to the block."""
    cache = getattr(tracer, "_cache", {})
    before, around = dict(cache), tracer.in_block
    nodes = dict(tracer.attribute_nodes)
    tracer.in_block = True
    try:
        yield
    finally:
        tracer.in_block, tracer.attribute_nodes = around, nodes
        cache.clear()
        cache.update(before)


def _parts(name: str, function_name: str, result: Any) -> tuple[Any, ...]:
    """What a function returned, as a tuple of tensors."""
    parts = tuple(result) if isinstance(result, (tuple, list)) else (result,)
    for part in parts:
        if not isinstance(part, (Proxy, Tensor)):
            raise TraceError(f"{name}: {function_name} must return a Tensor, or a tuple or list of Tensors, but returned a {type(part).__name__}:\n  {_user_line()}")
    return parts


def cond(tracer: TracerBase, pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()) -> Any:
    if not isinstance(pred, Proxy):
        return called("cond", "true_fn", true_fn, operands, "operands") if pred else called("cond", "false_fn", false_fn, operands, "operands")
    single: list[bool] = []

    def arm(function: Callable[..., Any], function_name: str) -> Callable[[], list[Any]]:
        def fill() -> list[Any]:
            with _block(tracer):
                result = called("cond", function_name, function, operands, "operands")
                single.append(not isinstance(result, (tuple, list)))
                return [tracer.create_arg(part) for part in _parts("cond", function_name, result)]

        return fill

    tracer.has_blocks = True
    nodes = _C._build_if(tracer.graph, tracer.create_arg(pred), arm(true_fn, "true_fn"), arm(false_fn, "false_fn"))
    results = tuple(map(tracer.proxy, nodes))
    return results[0] if single[0] else results


def while_loop(tracer: TracerBase, cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Any:
    def proxies(values: Any) -> tuple[Any, ...]:
        return tuple(tracer.proxy(v) if isinstance(v, Node) else v for v in values)

    def condition(values: tuple[Any, ...]) -> Any:
        (holds,) = _parts("while_loop", "cond_fn", called("while_loop", "cond_fn", cond_fn, values, "carried_inputs"))
        return tracer.create_arg(holds)

    def fill(carried: list[Node], _: Node) -> tuple[Any, list[Any]]:
        with _block(tracer):
            following = _parts("while_loop", "body_fn", called("while_loop", "body_fn", body_fn, proxies(carried), "carried_inputs"))
            if len(following) != len(carried):
                raise ValueError(f"while_loop: the body must return as many tensors as carried_inputs has, which is {len(carried)}, but returned {len(following)}:\n  {_user_line()}")
            return condition(following), [tracer.create_arg(v) for v in following]

    initial = [tracer.create_arg(v) for v in _parts("while_loop", "carried_inputs", carried_inputs)]
    first = condition(proxies(initial))
    tracer.has_blocks = True
    return proxies(_C._build_loop(tracer.graph, first, initial, fill, None))


def branch_again(tracer: TracerBase, holds: Any, then: Callable[[], tuple[Any, ...]], otherwise: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    """An If of a graph that is recorded once more: its values may be numbers, and None."""

    def arm(function: Callable[[], tuple[Any, ...]]) -> Callable[[], list[Any]]:
        def fill() -> list[Any]:
            with _block(tracer):
                return [tracer.create_arg(part) for part in function()]

        return fill

    tracer.has_blocks = True
    return tuple(map(tracer.proxy, _C._build_if(tracer.graph, tracer.create_arg(holds), arm(then), arm(otherwise))))


def loop_again(tracer: TracerBase, count: Any, holds: Any, initial: tuple[Any, ...], body: Callable[..., tuple[Any, tuple[Any, ...]]]) -> tuple[Any, ...]:
    """A Loop of a graph that is recorded once more. body(k, values) gives the condition of the next round and the new values."""

    def fill(carried: list[Node], counter: Node) -> tuple[Any, list[Any]]:
        with _block(tracer):
            again, values = body(tracer.proxy(counter), tuple(map(tracer.proxy, carried)))
            return tracer.create_arg(again), [tracer.create_arg(v) for v in values]

    tracer.has_blocks = True
    made = _C._build_loop(tracer.graph, tracer.create_arg(holds), [tracer.create_arg(v) for v in initial], fill, tracer.create_arg(count))
    return tuple(map(tracer.proxy, made))


WITH_BLOCKS.update({_higher_order.cond: cond, _higher_order.while_loop: while_loop})
