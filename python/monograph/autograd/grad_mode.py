"""Contexts that switch the recording of operations for gradients: no_grad, enable_grad, set_grad_enabled, inference_mode."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from .. import _C

_GENERATOR = 0x20  # inspect.CO_GENERATOR, without inspect's import time

F = TypeVar("F", bound=Callable[..., Any])


class _ForwardLevel(threading.local):
    """The level of torch.autograd.forward_ad that this thread has entered."""

    level: Any = None


forward = _ForwardLevel()


def _switch(enabled: bool) -> None:
    if not enabled and forward.level is not None:
        _refuse_in_level()
    if enabled:
        _C._enable_grad()
    else:
        _C._disable_grad()


def _refuse_in_level() -> None:
    """A program's no_grad() in a level of forward_ad is an error: tangents come from the tape, and would be lost. The library's own is not."""
    import sys

    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    if not str(frame.f_globals.get("__name__")).startswith(__name__.partition(".")[0] + "."):
        raise NotImplementedError(
            "torch.no_grad() in a torch.autograd.forward_ad.dual_level() is not part of Monograph: the tape computes tangents. Leave the level first, or use "
            "torch.func.jvp"
        )


class _Mode:
    """A mode for a `with` block, or, as a decorator, for the calls of a function."""

    def clone(self) -> _Mode:
        return type(self)()

    def __call__(self, function: F) -> F:
        if getattr(getattr(function, "__code__", None), "co_flags", 0) & _GENERATOR:

            @functools.wraps(function)
            def generator(*args: Any, **kwargs: Any) -> Any:
                inner = function(*args, **kwargs)
                sent = None
                while True:
                    with self.clone():
                        try:
                            value = inner.send(sent)
                        except StopIteration as stop:
                            return stop.value
                    sent = yield value

            return generator  # type: ignore[return-value]

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exc: object) -> None:
        raise NotImplementedError


class _GradMode(_Mode):
    enabled: bool

    def __new__(cls, function: Any = None) -> Any:
        made = super().__new__(cls)
        if function is None:
            return made
        cls.__init__(made)
        return made(function)  # @no_grad without parentheses

    def __enter__(self) -> None:
        self.previous = _C._grad_mode()
        _switch(self.enabled)

    def __exit__(self, *exc: object) -> None:
        _C._restore_grad_mode(self.previous)


class no_grad(_GradMode):
    """No operation inside records itself: results do not require grad."""

    enabled = False


class enable_grad(_GradMode):
    """Operations inside record themselves, also within no_grad."""

    enabled = True


class set_grad_enabled(_Mode):
    """Switches recording at once, and back at the end of the `with` block if it is used as one."""

    def __init__(self, mode: bool):
        self.previous, self.mode = _C._grad_mode(), mode
        _switch(mode)

    def clone(self) -> _Mode:
        return set_grad_enabled(self.mode)

    def __call__(self, function: F) -> F:
        _C._restore_grad_mode(self.previous)
        return super().__call__(function)

    def __enter__(self) -> None:
        _switch(self.mode)

    def __exit__(self, *exc: object) -> None:
        _C._restore_grad_mode(self.previous)


class inference_mode(_Mode):
    """no_grad for programs that never look back: its results cannot enter a recorded computation either."""

    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if isinstance(mode, bool):
            return made
        cls.__init__(made)
        return made(mode)

    def __init__(self, mode: bool = True):
        self.mode = mode

    def clone(self) -> _Mode:
        return inference_mode(self.mode)

    def __enter__(self) -> None:
        self.previous = _C._is_inference_mode(), _C._grad_mode()
        _C._set_inference_mode(self.mode)
        _switch(not self.mode)

    def __exit__(self, *exc: object) -> None:
        _C._set_inference_mode(self.previous[0])
        _C._restore_grad_mode(self.previous[1])


class set_multithreading_enabled(_Mode):
    """Keeps whether backward passes may use several threads for devices, at once, and as before at the end of the `with` block. On the CPU there is one.

    >>> with torch.autograd.set_multithreading_enabled(False):
    ...     torch.ones(1, requires_grad=True).sum().backward()
    """

    _is_enabled = True

    def __init__(self, mode: bool):
        self.mode, self.previous = mode, set_multithreading_enabled._is_enabled
        set_multithreading_enabled._is_enabled = mode

    def clone(self) -> set_multithreading_enabled:
        return set_multithreading_enabled(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        set_multithreading_enabled._is_enabled = self.previous
