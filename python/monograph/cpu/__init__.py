"""torch.cpu: the CPU as one device. Work on it is done when a call returns."""

from __future__ import annotations

from typing import Any

from . import amp

__all__ = [
    "Event", "Stream", "StreamContext", "amp", "current_device", "current_stream", "device_count", "is_available", "is_initialized", "set_device", "stream", "synchronize",
]  # fmt: skip


def is_available() -> bool:
    """Whether there is a CPU: yes."""
    return True


def is_initialized() -> bool:
    """Whether the CPU can be used: yes."""
    return True


def device_count() -> int:
    """How many CPUs there are as devices: 1."""
    return 1


def current_device() -> str:
    """The device: "cpu"."""
    return "cpu"


def set_device(device: Any) -> None:
    """Chooses the CPU: nothing."""


def synchronize(device: Any = None) -> None:
    """Waits for the work: it is done."""


class Stream:
    """An order of work: on the CPU, that of the calls."""

    def __init__(self, priority: int = -1) -> None: ...

    def wait_stream(self, stream: Any) -> None:
        """Nothing."""

    def record_event(self) -> None:
        """Nothing."""

    def wait_event(self, event: Any) -> None:
        """Nothing."""


class Event:
    """A time in the work: what was called before is done."""

    def query(self) -> bool:
        """True: the work is done."""
        return True

    def record(self, stream: Any = None) -> None:
        """Nothing."""

    def synchronize(self) -> None:
        """Nothing."""

    def wait(self, stream: Any = None) -> None:
        """Nothing."""


_current = Stream()


class StreamContext:
    """A context in which current_stream() is this stream; None changes nothing."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        global _current
        self._before = _current
        _current = self.stream or _current

    def __exit__(self, *exc: object) -> None:
        global _current
        _current = self._before


def stream(stream: Stream | None) -> StreamContext:
    """A context in which current_stream() is this stream."""
    return StreamContext(stream)


def current_stream(device: Any = None) -> Stream:
    """The stream in use."""
    return _current
