"""torch._check and its relatives: an error of the type in their name where a condition does not hold."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from . import _C
from ._tensor import Tensor

Message = Callable[[], object]
_branches_are_the_programs = True  # a capture follows both ways of a check, as of an `if` and `raise` in the program itself


def _check_with(error_type: type[Exception], cond: object, message: Message | None) -> None:
    if not isinstance(cond, (bool, _C.SymBool)):
        if isinstance(cond, _C.TensorBase):
            raise TypeError(
                "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert that all elements are true."
            )
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error_type(
            "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an enhancement request to PyTorch.)"
        )
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _check(cond: object, message: Message | None = None) -> None:
    """Raises RuntimeError where `cond`, a bool, is False. message: a function that gives the error's text.

        >>> torch._check(2 > 1, lambda: "never")
    """
    _check_with(RuntimeError, cond, message)


def _check_is_size(i: int, message: Message | None = None, *, max: int | None = None) -> None:
    """Raises RuntimeError where `i` is negative or above `max`. Warns: _check(i >= 0) is the new way."""
    warnings.warn(
        "_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious.     Use _check(i >= 0) instead.",
        FutureWarning,
        stacklevel=2,
    )
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_index(cond: object, message: Message | None = None) -> None:
    """Raises IndexError where `cond` is False."""
    _check_with(IndexError, cond, message)


def _check_value(cond: object, message: Message | None = None) -> None:
    """Raises ValueError where `cond` is False."""
    _check_with(ValueError, cond, message)


def _check_type(cond: object, message: Message | None = None) -> None:
    """Raises TypeError where `cond` is False."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: object, message: Message | None = None) -> None:
    """Raises NotImplementedError where `cond` is False."""
    _check_with(NotImplementedError, cond, message)


def _check_tensor_all_with(error_type: type[Exception], cond: object, message: Message | None = None) -> None:
    if not isinstance(cond, _C.TensorBase):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype != _C._dtypes["bool"]:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond.all()), message)


def _check_tensor_all(cond: object, message: Message | None = None) -> None:
    """Raises RuntimeError where an element of `cond`, a tensor of bools, is False.

        >>> torch._check_tensor_all(torch.ones(2) > 0)
    """
    _check_tensor_all_with(RuntimeError, cond, message)


def _assert_async(input: Tensor, assert_msg: str | None = None) -> None:
    """Raises RuntimeError where the one element of a tensor is zero. On the CPU nothing is asynchronous; a trace guards it.

    assert_msg: the error's text.

        >>> torch._assert_async(torch.ones(1))
    """
    if not input:
        raise RuntimeError("Expected Tensor with single nonzero value, but got zero" if assert_msg is None else assert_msg)
