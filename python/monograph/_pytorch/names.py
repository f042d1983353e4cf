"""Functions and classes of PyTorch by those of Monograph, and the other way, by their names."""

from __future__ import annotations

import builtins
import functools
import importlib
import math
import operator
from collections.abc import Callable
from typing import Any

from .. import _C, _absent
from ..fx._names import qualified_name
from .operators import written_here

# Operators on lists, which PyTorch's operators cannot take in a graph of torch.fx.
_OF_LISTS = {"__getitem__": operator.getitem, "len": len}


def _is_python(function: Any) -> bool:
    """Whether it is one of Python's own functions, which mean themselves."""
    name = getattr(function, "__name__", None)
    return isinstance(name, str) and any(getattr(home, name, None) is function for home in (operator, math, builtins))


@functools.cache
def _named(path: str) -> Any:
    """torch.nn.functional.relu or monograph.nn.functional.relu by its name; None if there is none."""
    package, *parts = path.split(".")
    found: Any = importlib.import_module(package)
    for part in parts:
        try:
            found = getattr(found, part)
        except (AttributeError, ImportError, NotImplementedError):
            return None
    return found


def _operator(namespace: str, name: str, overload: str | None) -> Any:
    """Our operator, without the names that only stand for missing ones."""
    try:
        packet = _C._find_packet(f"{namespace}::{name}")
        return packet if overload is None else getattr(packet, overload)
    except AttributeError:
        return None


def _arguments(schema: Any) -> list[str]:
    return [a.name for a in schema.arguments]


def function_of_ours(theirs: Any) -> Any:
    """Monograph's function for one that PyTorch's graphs call; None where there is none."""
    import torch

    if theirs in written_here():
        return written_here()[theirs]
    if isinstance(theirs, torch._ops.OpOverload):
        namespace, _, name = theirs._schema.name.partition("::")
        found = _operator(namespace, name, theirs._overloadname)
        return found if found is not None and _arguments(found._schema) == _arguments(theirs._schema) else None
    if isinstance(theirs, torch._ops.OpOverloadPacket):
        namespace, _, name = theirs._qualified_op_name.partition("::")
        return _operator(namespace, name, None)
    if isinstance(theirs, torch._ops.HigherOrderOperator):
        return {"cond": _named("monograph.cond")}.get(theirs.name())
    if _is_python(theirs):
        return theirs
    name = torch.fx.node._get_qualified_name(theirs) if not isinstance(theirs, functools.partial) else ""
    if name.partition(".")[0] != "torch" or _named(name) is not theirs and not _is_spelling(theirs, name):
        return None
    found = _named("monograph" + name.removeprefix("torch"))
    return found if callable(found) and not _is_missing(found) else None


def _is_spelling(theirs: Any, name: str) -> bool:
    """Whether the name leads to a function that is another object each time it is read."""
    return getattr(_named(name), "__name__", None) == getattr(theirs, "__name__", "")


def _is_missing(found: Any) -> bool:
    return (
        isinstance(found, type)
        and getattr(type(found), "__name__", "") == "_Placeholder"
        or _absent.__name__ == getattr(found, "__module__", "")
    )


def function_of_theirs(ours: Any) -> Any:
    """PyTorch's function for one that Monograph's graphs call; None where there is none."""
    import torch

    if isinstance(ours, _C.OpOverload):
        return _their_operator(ours.namespace, ours._opname, ours._overloadname)
    if isinstance(ours, _C.OpOverloadPacket):
        namespace, _, name = ours._qualified_op_name.partition("::")
        return _their_operator(namespace, name, None)
    if isinstance(ours, str):
        namespace, _, name = ours.partition("::")
        base, _, overload = name.partition(".")
        return _their_operator(namespace, base, overload) if name else getattr(operator, ours.removeprefix("operator."), None)
    if _is_python(ours):
        return ours
    for theirs, function in written_here().items():
        if function is ours:
            return theirs
    name = qualified_name(ours)
    if not name.startswith("torch.") or _named("monograph" + name.removeprefix("torch")) is not ours:
        return None
    if name == "torch.cond":
        return torch.ops.higher_order.cond
    found = _named(name)
    return found if callable(found) else None


def _their_operator(namespace: str, name: str, overload: str | None) -> Any:
    """PyTorch's operator; one of its overloads, if `overload` is given. The one without a name is "default"."""
    import torch

    if namespace == "aten" and name in _OF_LISTS:
        return _OF_LISTS[name]
    packet = getattr(getattr(torch.ops, namespace), name, None)
    return packet if packet is None or overload is None else getattr(packet, overload or "default", None)


def class_of(path: str, to_ours: bool) -> Any:
    """The class with this name in the other library; None where there is none."""
    package, _, rest = path.partition(".")
    if package != ("torch" if to_ours else "monograph"):
        return None
    found = _named(("monograph." if to_ours else "torch.") + rest)
    return found if isinstance(found, type) and not _is_missing(found) else None


def draws(operator: Any) -> bool:
    """Whether an operator draws random numbers, which come from PyTorch's generator in a program of PyTorch."""
    import torch

    return isinstance(operator, torch._ops.OpOverload) and torch.Tag.nondeterministic_seeded in operator.tags


def decompositions(function_of: Callable[[Any], Any]) -> dict[Any, Callable[..., Any]]:
    """PyTorch's own, for operators that Monograph lacks. function_of: gives Monograph's function for an operator, or None."""
    import torch
    from torch._decomp import decomposition_table

    aten = torch.ops.aten
    # That of the first does not give what its gradient reads. The others work on constants, whose values PyTorch does not let a decomposition see.
    kept = {aten._scaled_dot_product_flash_attention_for_cpu.default, aten.lift.default, aten.lift_fresh.default}
    return {
        op: rule
        for op, rule in decomposition_table.items()
        if isinstance(op, torch._ops.OpOverload)
        and op not in kept
        and not op._schema.is_mutable
        and not draws(op)
        and function_of(op) is None
    }
