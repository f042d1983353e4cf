"""Writes of a traced function to tensors that its graph holds as constants. A graph has one constant for all its runs: a write would stay, and what the
program reads from the tensor while it is traced would be the value before."""

from __future__ import annotations

import contextlib
import functools
import operator
import threading
from collections.abc import Callable, Iterator
from typing import Any

from .. import _C
from .._package import package
from .._tensor import Tensor
from ._written import FORMS, schemas, written
from .node import Node
from .proxy import Proxy, TraceError, _user_line


class ConstantWritten(TraceError):
    """What is written would be a constant of the graph. A tracer then records torch.tensor(...), where that made it, and traces again."""

    def __init__(self, name: str):
        super().__init__(
            f"{name} writes to a tensor that is not an input, parameter or buffer, and was not made by a factory function such as torch.zeros in the function; in the graph it is a "
            f"constant, which all runs share:\n  {_user_line()}\n"
            "Make it in the function by torch.zeros(...), torch.full(...) or torch.tensor(...), register it as a buffer, or compute a new tensor (a = a + b)"
        )


@functools.cache
def inplace_place(function: Any) -> int:
    """The place of the parameter `inplace` of a function in Python; -1 where it has none."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    return names.index("inplace") if "inplace" in names else -1


def layer_writes(root: Any, path: str) -> bool:
    """Whether the layer of this path, or one inside, is one that works in place, as nn.ReLU(inplace=True)."""
    layer = root
    for name in path.split("."):
        layer = layer._modules.get(name) if layer is not None else None
    if layer is None:  # no such layer: lint() and a run say so
        return False
    return any(m.__dict__.get("inplace") is True for m in (layer.modules() if layer._modules else (layer,)))


@_C._natively
def gives_back(node: Node) -> bool:
    """Whether a call may give the very object that it was called with, as x.add_(1) does, and x.contiguous() may."""
    if node.op == "call_module":
        return True
    if node.op == "call_function" and node.target in FORMS:
        return FORMS[node.target] == "inplace" or node.target is operator.pos
    schema = node.schema()
    found = [schema] if schema is not None else schemas(node.op, node.target)
    if not found:
        return node.op == "call_method" or getattr(node.target, "__module__", "") not in ("builtins", "_operator", "math")
    return "out" in node.kwargs or any(0 in s._shown for s in found)


def _may_be_its_argument(node: Node) -> bool:
    """Whether a result may show the memory of the first argument: views, writes in place, and all that no record describes."""
    if node.op == "call_function" and node.target in FORMS:
        return FORMS[node.target] not in ("binary", "comparison")
    schema = node.schema()
    found = [schema] if schema is not None else schemas(node.op, node.target)
    return not found or any(0 in s._shown for s in found)


def constant_behind(node: Node, constants: dict[str, Any]) -> str | None:
    """The constant whose memory the node may show."""
    while node.op != "get_attr":
        if node.op == "placeholder" or not node.args or not isinstance(node.args[0], Node) or not _may_be_its_argument(node):
            return None
        node = node.args[0]
    return node.target if node.target in constants else None


def _written_tensors(graph: Any) -> Iterator[tuple[Node, Any]]:
    """The nodes of a graph of operators that write, each with the input, attribute, constant or new tensor that it writes to, maybe through views."""
    for node in graph.nodes(recursive=True):
        schema = node.schema()
        if schema is None or not schema.is_mutable:
            continue
        for k, a in enumerate(schema.arguments):
            if a.alias_info is None or not a.alias_info.is_write:
                continue
            value = node.args[k] if k < len(node.args) else node.kwargs.get(a.name)
            while isinstance(value, Node) and value.args and _may_be_its_argument(value):
                value = value.args[0]
            yield node, value


def refuse_lost_writes(graph: Any, trained: set[str]) -> None:
    """Raises where a traced graph writes to what it could not write when it runs: memory of a constant, or parameters that are trained."""
    for node, value in _written_tensors(graph):
        if isinstance(value, Tensor):
            raise RuntimeError(
                f"[{node.kind()}] writes through a view to a tensor from outside of the captured function; pass it as an input, or make it a buffer of a "
                f"module\n  at {node.span or '?'}"
            )
        if isinstance(value, Node) and value.op == "get_attr" and value.target in trained:
            raise RuntimeError(
                f"[{node.kind()}] writes under no_grad() to the parameter {value.target}, which requires grad; a graph cannot record no_grad(), and "
                f"without it this write is an error\n  at {node.span or '?'}\n"
                "Make it a buffer, call requires_grad_(False) on it, or trace and run the function under no_grad()"
            )


@_C._natively
def check(kind: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], constants: dict[str, Any], is_attribute: Callable[[Tensor], bool]) -> None:
    """Raises where the call writes to what is, or shows, a constant of the graph. is_attribute: whether a tensor is a parameter or buffer."""
    for value in written(kind, target, args, kwargs):
        if isinstance(value, Proxy):
            constant = constant_behind(value.node, constants) is not None
        else:
            constant = isinstance(value, Tensor) and not is_attribute(value)
        if constant:
            raise ConstantWritten(target if isinstance(target, str) else target.__name__)


_telling = threading.Lock()
_told = 0  # captures, of all threads, that hear of torch.tensor(...) now


@contextlib.contextmanager
def made_is_told() -> Iterator[None]:
    """Inside, torch.tensor(...) is hook.make_constant(args, kwargs), of the hook of the capture that runs on the thread. Outside it costs nothing."""
    global _told
    with _telling:
        if not _told:
            package().tensor = told_tensor
        _told += 1
    try:
        yield
    finally:
        with _telling:
            _told -= 1
            if not _told:
                package().tensor = _C.tensor


def told_tensor(*args: Any, **kwargs: Any) -> Any:
    """What stands for torch.tensor meanwhile."""
    hook = _C._capture_hook()
    return hook.make_constant(args, kwargs) if hasattr(hook, "make_constant") else _C.tensor(*args, **kwargs)
