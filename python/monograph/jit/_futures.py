"""torch.jit.fork and wait. What is forked runs at once, in the caller's thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Future:
    """What fork gives: the result, for wait()."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def wait(self) -> Any:
        """The result."""
        return self._value

    def value(self) -> Any:
        """The result, as wait()."""
        return self._value

    def done(self) -> bool:
        """True: what is forked runs at once."""
        return True

    def then(self, callback: Callable[[Any], Any]) -> Future:
        """The Future of callback(self)."""
        return Future(callback(self))

    def add_done_callback(self, callback: Callable[[Any], Any]) -> None:
        """Calls callback(self)."""
        callback(self)


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future:
    """Calls a function, and gives its result as a Future. It does not run beside the caller.

    >>> torch.jit.wait(torch.jit.fork(torch.neg, torch.ones(2)))
    tensor([-1., -1.])
    """
    return Future(func(*args, **kwargs))


def wait(future: Future) -> Any:
    """The result of what was forked.

    >>> torch.jit.wait(torch.jit.fork(max, 1, 2))
    2
    """
    return future.wait()
