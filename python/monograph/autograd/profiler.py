"""torch.autograd.profiler: times the regions that a program names by record_function. Calls of operators are not recorded; the report says so."""

from __future__ import annotations

import functools
import json
import threading
import time
from collections.abc import Callable
from typing import Any

__all__ = ["EventList", "FunctionEvent", "emit_itt", "emit_nvtx", "kineto_available", "profile", "record_function"]

_active: list[profile] = []
NOTE = "Only regions of record_function are timed; Monograph's profiler does not record calls of operators."


def kineto_available() -> bool:
    """Whether PyTorch's library for profiles is there: no."""
    return False


class FunctionEvent:
    """One run of a region, or the runs of one name together. Times are microseconds."""

    key: str
    cpu_time_total: float
    self_cpu_time_total: float

    def __init__(self, name: str, start: float, end: float, count: int = 1) -> None:
        self.name = self.key = name
        self.count, self.start, self.end = count, start, end
        self.cpu_time_total = self.self_cpu_time_total = end - start
        self.thread = threading.get_ident()

    @property
    def cpu_time(self) -> float:
        """The mean time of a run."""
        return self.cpu_time_total / self.count if self.count else 0.0

    def __repr__(self) -> str:
        return f"<FunctionEvent name={self.name} cpu_time={self.cpu_time:.3f}us count={self.count}>"


class EventList(list[FunctionEvent]):
    """Events, with a table of them."""

    def table(self, sort_by: str | None = None, row_limit: int = 100, **layout: Any) -> str:
        """A table by name. sort_by: "cpu_time_total", "cpu_time" or "count", the largest first. Other arguments are PyTorch's, and change nothing."""
        rows = sorted(self, key=lambda e: getattr(e, sort_by or "", 0.0), reverse=True) if sort_by else list(self)
        lines = [f"{'Name':40}  {'CPU total (us)':>16}  {'CPU mean (us)':>16}  {'# of Calls':>10}"]
        lines += [f"{e.name[:40]:40}  {e.cpu_time_total:16.3f}  {e.cpu_time:16.3f}  {e.count:10}" for e in rows[:row_limit]]
        return "\n".join([*lines, NOTE]) + "\n"

    def total_average(self) -> FunctionEvent:
        """All events as one."""
        total = FunctionEvent("Total", 0.0, sum(e.cpu_time_total for e in self), sum(e.count for e in self))
        return total

    def key_averages(self, *args: Any, **kwargs: Any) -> EventList:
        """The runs of each name together."""
        kinds: dict[str, list[FunctionEvent]] = {}
        for event in self:
            kinds.setdefault(event.name, []).append(event)
        return EventList(FunctionEvent(name, 0.0, sum(e.cpu_time_total for e in events), sum(e.count for e in events)) for name, events in kinds.items())

    def export_chrome_trace(self, path: str) -> None:
        """Writes the events for chrome://tracing."""
        events = [{"name": e.name, "ph": "X", "ts": e.start, "dur": e.cpu_time_total, "pid": 0, "tid": e.thread, "args": {}} for e in self]
        with open(path, "w") as file:
            json.dump({"traceEvents": events, "note": NOTE}, file)


class profile:
    """A context that times the regions of record_function in it. Calls of operators are not recorded.

    enabled: False records nothing. Other arguments are PyTorch's, and change nothing.

        >>> with torch.autograd.profiler.profile() as prof:
        ...     with torch.autograd.profiler.record_function("sum"):
        ...         _ = torch.ones(3).sum()
        >>> [event.name for event in prof.key_averages()]
        ['sum']
    """

    function_events: EventList | None

    def __init__(self, enabled: bool = True, **settings: Any) -> None:
        self.enabled = enabled
        self.function_events = None
        self._events = EventList()
        self._entered = False

    def __enter__(self) -> profile:
        if not self.enabled:
            return self
        if self._entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._entered = True
        self._start = time.perf_counter() * 1e6
        _active.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        if self.enabled:
            _active.remove(self)
            self._end = time.perf_counter() * 1e6
            self.function_events = self._events

    def _finished(self) -> EventList:
        if self.function_events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self.function_events

    def table(self, *args: Any, **kwargs: Any) -> str:
        """A table of the runs."""
        return self._finished().table(*args, **kwargs)

    def key_averages(self, *args: Any, **kwargs: Any) -> EventList:
        """The runs of each name together."""
        return self._finished().key_averages()

    def total_average(self) -> FunctionEvent:
        """All runs as one."""
        return self._finished().total_average()

    def export_chrome_trace(self, path: str) -> None:
        """Writes the runs for chrome://tracing."""
        self._finished().export_chrome_trace(path)

    @property
    def self_cpu_time_total(self) -> float:
        """The time in the context, in microseconds."""
        self._finished()
        return self._end - self._start

    def __repr__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self.function_events is None else repr(self.function_events)

    def __str__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self.function_events is None else self.function_events.table()


class record_function:
    """A context or decorator that names a region for profile.

    >>> @torch.autograd.profiler.record_function("double")
    ... def double(x):
    ...     return x * 2
    >>> double(torch.ones(1))
    tensor([2.])
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self._starts: list[float] = []

    def __enter__(self) -> record_function:
        self._starts.append(time.perf_counter() * 1e6)
        return self

    def __exit__(self, *exc: object) -> None:
        start, end = self._starts.pop(), time.perf_counter() * 1e6
        for profiler in _active:
            profiler._events.append(FunctionEvent(self.name, start, end))

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with record_function(self.name, self.args):
                return function(*args, **kwargs)

        return call


class emit_nvtx:
    """Ranges for NVIDIA's profiler, which packages name in annotations. There is no GPU to profile, so making one raises."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        raise NotImplementedError(f"torch.autograd.profiler.{type(self).__name__}: there is no GPU; use torch.autograd.profiler.profile and record_function")


class emit_itt(emit_nvtx):
    """Ranges for Intel's profiler. Making one raises."""
