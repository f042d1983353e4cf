"""torch.cond and torch.while_loop, which every capture keeps as an If or a Loop of the graph.

Without a capture they run as Python's own `if` and `while`. In a trace, the C++ capture runs both functions and records them as blocks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from . import _C
from ._overridable import overridable
from ._tensor import Tensor


def _check_list(function: str, argument: str, value: Any) -> None:
    if isinstance(value, Tensor):
        raise TypeError(f"{function}: {argument} must be a tuple or list of tensors, but got a Tensor; write ({argument},)")


def _check_callable(function: str, **callables: Any) -> None:
    for argument, value in callables.items():
        if not callable(value):
            raise TypeError(f"{function}: {argument} must be a function, but got {type(value).__name__}; write lambda: value")


def _takes(f: Callable[..., Any], values: tuple[Any, ...] | list[Any]) -> bool:
    try:
        inspect.signature(f).bind(*values)
    except TypeError:
        return False
    except ValueError:  # a builtin without a signature
        pass
    return True


def called(function: str, argument: str, f: Callable[..., Any], values: tuple[Any, ...] | list[Any], passed: str) -> Any:
    """f(*values). If f does not take that many arguments, the error names the argument of `function` that f is."""
    try:
        return f(*values)
    except TypeError:
        if _takes(f, values):
            raise
    count = f"{len(values)} argument" + ("" if len(values) == 1 else "s")
    raise TypeError(f"{function} calls {argument} with {count}, the values of {passed}, but {argument} takes {inspect.signature(f)}. It must take one argument for each value of {passed}")


def _is_true(condition: Any) -> bool:
    if isinstance(condition, Tensor) and condition.numel() != 1:
        raise RuntimeError(f"while_loop: cond_fn must return a bool or a tensor with one element, but returned a tensor of size {list(condition.shape)}; use any() or all()")
    return bool(condition)


@overridable
def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: tuple[Any, ...] | list[Any] = ()) -> Any:
    """Returns true_fn(*operands) if pred is true, else false_fn(*operands). A capture keeps both, as the blocks of an If.

    pred: a bool, or a Tensor with one element. Both functions must return the same number of Tensors, and must not change anything outside.

    Example:
        y = torch.cond(x.sum() > 0, lambda x: x, lambda x: -x, (x,))
    """
    _check_list("cond", "operands", operands)
    _check_callable("cond", true_fn=true_fn, false_fn=false_fn)
    if isinstance(pred, str) or pred is None:
        raise RuntimeError(f"cond: expected pred to be a bool or a tensor with one element, but got {type(pred).__name__}")
    if not isinstance(pred, Tensor) or not _C._is_capturing():
        if isinstance(pred, Tensor) and pred.numel() != 1:
            raise RuntimeError(f"cond: expected pred to be a bool or a tensor with one element, but got a tensor of size {list(pred.shape)}; use any() or all()")
        return called("cond", "true_fn", true_fn, operands, "operands") if pred else called("cond", "false_fn", false_fn, operands, "operands")
    single: list[bool] = []

    def noting(argument: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any) -> Any:
            result = called("cond", argument, function, args, "operands")
            single.append(isinstance(result, Tensor))
            return result

        return run

    results = _C._cond(pred, noting("true_fn", true_fn), noting("false_fn", false_fn), tuple(operands))
    return results[0] if single[0] else results


@overridable
def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: tuple[Any, ...] | list[Any]) -> Any:
    """Starts with values = carried_inputs, and repeats values = body_fn(*values) while cond_fn(*values) is true. Returns the last values.

    A capture keeps it, as a Loop of the graph.

    Example:
        i, x = torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))
    """
    _check_list("while_loop", "carried_inputs", carried_inputs)
    _check_callable("while_loop", cond_fn=cond_fn, body_fn=body_fn)
    traced = getattr(_C._capture_hook(), "while_loop", None)
    if traced is not None:  # a symbolic trace, of which cond_fn and body_fn may use values
        return traced(cond_fn, body_fn, carried_inputs)
    values = tuple(carried_inputs)
    if _C._is_capturing():
        return _C._while_loop(cond_fn, body_fn, values)
    while _is_true(called("while_loop", "cond_fn", cond_fn, values, "carried_inputs")):
        result = called("while_loop", "body_fn", body_fn, values, "carried_inputs")
        values = (result,) if isinstance(result, Tensor) else tuple(result)
        if len(values) != len(carried_inputs):
            raise RuntimeError(f"while_loop: body_fn must return as many tensors as carried_inputs has, which is {len(carried_inputs)}, but returned {len(values)}")
    return values


cond.__module__ = while_loop.__module__ = "monograph"
