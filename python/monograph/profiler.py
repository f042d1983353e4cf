"""torch.profiler: times the operators that a thread calls, the steps of its backward passes, and the regions that it names by record_function."""

from __future__ import annotations

import os
import socket
import time
import warnings
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from . import _C
from .autograd.profiler import _events_of, _warn_of, kineto_available, record_function
from .autograd.profiler_util import EventList

__all__ = [
    "DeviceType", "ProfilerAction", "ProfilerActivity", "kineto_available", "profile", "record_function", "schedule", "supported_activities",
    "tensorboard_trace_handler",
]  # fmt: skip


class ProfilerActivity(Enum):
    """Where a program computes."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class DeviceType(Enum):
    """The kind of device that an event ran on."""

    CPU = 0
    CUDA = 1


class ProfilerAction(Enum):
    """What a profiler does in a step. WARMUP records nothing here."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


_RECORDS = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


def supported_activities() -> set[ProfilerActivity]:
    """What a profiler can record: the CPU."""
    return {ProfilerActivity.CPU}


def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0) -> Callable[[int], ProfilerAction]:
    """What a profiler does in each step: after `skip_first` steps it waits, warms up and records, again and again.

    repeat: How often. 0 is for ever.
    skip_first_wait: Not 0 leaves out the first wait.

        >>> steps = torch.profiler.schedule(wait=1, warmup=1, active=2, repeat=1)
        >>> [steps(k).name for k in range(5)]
        ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(f"schedule() needs active > 0 and no negative number, but got {wait=}, {warmup=}, {active=}, {repeat=}, {skip_first=}")
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    cycle = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"a step is 0 or more, but got {step}")
        if step < skip_first:
            return ProfilerAction.NONE
        step = step - skip_first + (wait if skip_first_wait else 0)
        if 0 < repeat <= step // cycle:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait + warmup:
            return ProfilerAction.NONE if place < wait else ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == cycle - 1 else ProfilerAction.RECORD

    return action


def tensorboard_trace_handler(dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False) -> Callable[[profile], None]:
    """For on_trace_ready: writes each trace as a file of this folder."""

    def write(prof: profile) -> None:
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        prof.export_chrome_trace(os.path.join(dir_name, f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")))

    return write


class profile:
    """A context that records what its thread does in it: each call of an operator, each step of a backward pass, each region of record_function.

    schedule: What to do in each step. The program calls step() at the end of its steps.
    on_trace_ready: A function that gets the profiler when a trace is complete.
    record_shapes: Whether the sizes of the arguments are recorded.

        >>> with torch.profiler.profile(record_shapes=True) as prof:
        ...     _ = torch.ones(2, 3).sum()
        >>> [(event.name, event.input_shapes) for event in prof.events()][-1]
        ('aten::sum', [[2, 3], []])
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
    ) -> None:
        self.activities = set(activities) if activities is not None else supported_activities()
        if not self.activities:
            raise AssertionError("No valid profiler activities found")
        others = sorted(str(getattr(a, "name", a)) for a in self.activities - supported_activities())
        if others:
            warnings.warn(f"The profiler records the CPU only, not {', '.join(others)}", stacklevel=2)
        _warn_of({"profile_memory": profile_memory, "with_stack": with_stack, "with_flops": with_flops, "with_modules": with_modules, "use_cuda": use_cuda})
        self.schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self.record_steps = schedule is not None
        self.on_trace_ready, self.record_shapes, self.acc_events = on_trace_ready, record_shapes, acc_events
        self.step_num = 0
        self.current_action = self.schedule(0)
        self._recording = False
        self._step: record_function | None = None
        self._events: EventList | None = None
        self._metadata: dict[str, Any] = {}

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begins to record, if the schedule says so for step 0."""
        if self.current_action in _RECORDS:
            self._begin()
        self._begin_step()

    def stop(self) -> None:
        """Ends the profile."""
        self._end_step()
        if self._recording:
            self._save()
        self.current_action = ProfilerAction.NONE

    def step(self) -> None:
        """Says that the next step of the program begins."""
        self._end_step()
        before, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self.schedule(self.step_num)
        if self._recording and before is not ProfilerAction.RECORD_AND_SAVE and self.current_action not in _RECORDS:
            warnings.warn("Incorrect schedule: RECORD followed by " + self.current_action.name, stacklevel=2)
            self._end()
        elif self._recording and before is ProfilerAction.RECORD_AND_SAVE:
            self._save()
        if self.current_action in _RECORDS and not self._recording:
            self._begin()
        self._begin_step()

    def _begin_step(self) -> None:
        if self.record_steps:
            self._step = record_function(f"ProfilerStep#{self.step_num}").__enter__()

    def _end_step(self) -> None:
        if self._step is not None:
            self._step.__exit__()
            self._step = None

    def _begin(self) -> None:
        _C._start_recording_calls(self.record_shapes)
        self._recording = True

    def _end(self) -> None:
        self._recording = False
        events = _events_of(_C._recorded_calls())
        if self.acc_events and self._events is not None:
            events = EventList([*self._events, *events])
        self._events = events

    def _save(self) -> None:
        self._end()
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def events(self) -> EventList:
        """What was recorded, in the order of the beginnings."""
        if self._events is None:
            raise AssertionError("The profiler has no trace yet; ask for it in on_trace_ready, or after the `with` block")
        return self._events

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False) -> EventList:
        """The events of each name together, and with group_by_input_shape of each name and shapes."""
        return self.events().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(self, path: str) -> None:
        """Writes the events as JSON for chrome://tracing and Perfetto, compressed if the path ends with .gz."""
        self.events().export_chrome_trace(path, **self._metadata)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Raises: lines of the program are not recorded."""
        raise NotImplementedError("torch.profiler records no lines of the program, so there are no stacks to export; use export_chrome_trace, or cProfile")

    def add_metadata(self, key: str, value: str) -> None:
        """A text that export_chrome_trace writes beside the events."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """A value, as JSON, that export_chrome_trace writes beside the events."""
        import json

        self._metadata[key] = json.loads(value)
