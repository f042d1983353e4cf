"""torch.futures: results that come later, in threads of one process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

T = TypeVar("T")

__all__ = ["Future", "collect_all", "wait_all"]


class PlainFuture:
    """torch.Future: what jit.fork and then() give. torch.futures.Future is made of it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._done = False
        self._result: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Any], Any]] = []

    def done(self) -> bool:
        """Whether the result, or an error, is there."""
        return self._done

    def wait(self) -> Any:
        """The result, once it is there. Raises the error that was set in its place."""
        with self._changed:
            self._changed.wait_for(self.done)
        return self.value()

    def value(self) -> Any:
        """The result, which must be there. Raises the error that was set in its place."""
        if self._error is not None:
            raise self._error
        if not self._done:
            raise RuntimeError("value() of a Future whose result is not there yet; call wait(), or ask done() first")
        return self._result

    def then(self, callback: Callable[[Any], Any]) -> PlainFuture:
        """A Future of callback(self), which is called once the result is there. It raises RuntimeError where the callback raised."""
        after = PlainFuture()

        def pass_on(done: PlainFuture) -> None:
            try:
                after.set_result(callback(done))
            except Exception as error:
                after.set_exception(RuntimeError(f"Got the following error when running the callback: {type(error).__name__}: {error}"))

        self._call_when_done(pass_on)
        return after

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        """Calls callback(self) once the result is there. An error in it is dropped, as in PyTorch."""

        def call(done: PlainFuture) -> None:
            try:
                callback(done)
            except Exception:
                return

        self._call_when_done(call)

    def set_result(self, result: Any) -> None:
        """Gives the result, once. Callbacks run in this thread."""
        self._finish(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Gives an error in place of the result: wait() and value() raise it."""
        if not isinstance(result, BaseException):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def _finish(self, result: Any, error: BaseException | None) -> None:
        with self._changed:
            if self._done:
                raise RuntimeError("Attempting to mark a completed Future as complete again. Note that a Future can only be marked completed once.")
            self._result, self._error, self._done = result, error, True
            callbacks, self._callbacks = self._callbacks, []
            self._changed.notify_all()
        for callback in callbacks:
            callback(self)

    def _call_when_done(self, callback: Callable[[Any], Any]) -> None:
        with self._changed:
            if not self._done:
                return self._callbacks.append(callback)
        callback(self)

    def __reduce__(self) -> Any:
        raise RuntimeError("Can not pickle torch.futures.Future; wait() for its result, and pickle that")


PlainFuture.__name__ = PlainFuture.__qualname__ = "Future"
PlainFuture.__module__ = __name__.partition(".")[0]


class Future(PlainFuture, Generic[T]):
    """A result that another thread gives. `devices` is accepted for PyTorch's sake; it changes nothing.

    >>> future = torch.futures.Future()
    >>> twice = future.then(lambda f: 2 * f.value())
    >>> future.set_result(torch.tensor(3))
    >>> twice.wait()
    tensor(6)
    """

    def __init__(self, *, devices: Sequence[Any] | None = None) -> None:
        super().__init__()


def collect_all(futures: Sequence[PlainFuture]) -> PlainFuture:
    """A Future of the list itself, which is there once all of its Futures are.

    >>> futures = [torch.futures.Future(), torch.futures.Future()]
    >>> both = torch.futures.collect_all(futures)
    >>> futures[0].set_result(1), both.done()
    (None, False)
    >>> futures[1].set_result(2), [f.value() for f in both.wait()]
    (None, [1, 2])
    """
    all_of = PlainFuture()
    lock, left = threading.Lock(), [len(futures)]

    def one_is_there(_: PlainFuture) -> None:
        with lock:
            left[0] -= 1
            last = left[0] == 0
        if last:
            all_of.set_result(futures)

    for future in futures:
        future.add_done_callback(one_is_there)
    if not futures:
        all_of.set_result(futures)
    return all_of


def wait_all(futures: Sequence[PlainFuture]) -> list[Any]:
    """The results of all Futures, once they are there. Raises the first error among them."""
    return [future.value() for future in collect_all(futures).wait()]
