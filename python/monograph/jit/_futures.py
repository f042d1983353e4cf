"""torch.jit.fork and wait. What is forked runs at once, in the caller's thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..futures import Future as Future, PlainFuture


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> PlainFuture:
    """Calls a function, and gives its result as a Future. It does not run beside the caller.

    >>> torch.jit.wait(torch.jit.fork(torch.neg, torch.ones(2)))
    tensor([-1., -1.])
    """
    future = PlainFuture()
    future.set_result(func(*args, **kwargs))
    return future


def wait(future: PlainFuture) -> Any:
    """The result of what was forked.

    >>> torch.jit.wait(torch.jit.fork(max, 1, 2))
    2
    """
    return future.wait()
