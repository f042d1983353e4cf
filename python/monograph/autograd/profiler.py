"""torch.autograd.profiler: times the operators that a thread calls, the steps of its backward passes, and the regions that it names by record_function."""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from typing import Any

from .. import _C
from .profiler_util import EventList, FunctionEvent, FunctionEventAvg

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "emit_itt", "emit_nvtx", "kineto_available", "profile", "record_function"]


def kineto_available() -> bool:
    """Whether Kineto, PyTorch's profiling library, is available: always False."""
    return False


def _warn_of(settings: dict[str, Any]) -> None:
    """Warns about options that the program sets but the profiler does not support."""
    for name in ("profile_memory", "with_stack", "with_flops", "with_modules", "use_cuda"):
        if settings.get(name):
            warnings.warn(f"The profiler does not record what {name}=True asks for; its tables have no column for it", stacklevel=3)


def _events_of(told: list[tuple[Any, ...]]) -> EventList:
    events = EventList()
    for number, (name, region, begin, end, parent, shapes) in enumerate(told):
        event = FunctionEvent(number, name, begin / 1e3, end / 1e3, region, shapes)
        if parent >= 0:
            event.cpu_parent = events[parent]
            events[parent].cpu_children.append(event)
        events.append(event)
    return events


class profile:
    """A context that records what its thread does in it: each call of an operator, each step of a backward pass, each region of record_function.

    enabled: False records nothing.
    record_shapes: Whether the sizes of the arguments are recorded.

        >>> with torch.autograd.profiler.profile() as prof:
        ...     with torch.autograd.profiler.record_function("sum"):
        ...         _ = torch.ones(3).sum()
        >>> [event.key for event in prof.key_averages()]
        ['sum', 'aten::ones', 'aten::sum']
    """

    function_events: EventList | None

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        **settings: Any,
    ) -> None:
        if enabled:
            _warn_of({"use_cuda": use_cuda, "with_flops": with_flops, "profile_memory": profile_memory, "with_stack": with_stack, "with_modules": with_modules})
        self.enabled, self.record_shapes = enabled, record_shapes
        self.function_events = None
        self.entered = False

    def __enter__(self) -> profile:
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        _C._start_recording_calls(self.record_shapes)
        self.entered = True
        return self

    def __exit__(self, *exc: object) -> None:
        if self.enabled:
            self.function_events = _events_of(_C._recorded_calls())

    def _finished(self) -> EventList:
        if self.function_events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self.function_events

    def table(self, *args: Any, **kwargs: Any) -> str:
        """A table of the events."""
        return self._finished().table(*args, **kwargs)

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False) -> EventList:
        """The events of each name together, and with group_by_input_shape of each name and shapes."""
        return self._finished().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        """All events as one."""
        return self._finished().total_average()

    def export_chrome_trace(self, path: str) -> None:
        """Writes the events as JSON for chrome://tracing and Perfetto."""
        self._finished().export_chrome_trace(path)

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events, in microseconds."""
        return self._finished().self_cpu_time_total

    def __repr__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self.function_events is None else repr(self.function_events)

    def __str__(self) -> str:
        return "<unfinished torch.autograd.profile>" if self.function_events is None else str(self.function_events)


class record_function:
    """A context or decorator that names a region for the profilers of its thread.

    >>> @torch.autograd.profiler.record_function("double")
    ... def double(x):
    ...     return x * 2
    >>> double(torch.ones(1))
    tensor([2.])
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self._numbers: list[int] = []

    def __enter__(self) -> record_function:
        self._numbers.append(_C._begin_region(self.name))
        return self

    def __exit__(self, *exc: object) -> None:
        _C._end_region(self._numbers.pop())

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


# What PyTorch's C++ module of the same name has, and the generated code of FX calls (Graph.python_code(record_func=True)).
_C._profiler = types.SimpleNamespace(_RecordFunctionFast=record_function)
