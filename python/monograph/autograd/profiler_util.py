"""torch.autograd.profiler_util: the events that a profiler has recorded, and tables of them."""

from __future__ import annotations

import gzip
import json
import os
import threading
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg"]

_UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}
_WIDTH, _GAP = 12, "  "


def _time(us: float, unit: str | None = None) -> str:
    unit = unit or ("s" if us >= 1e6 else "ms" if us >= 1e3 else "us")
    return f"{us / _UNITS[unit]:.3f}{unit}"


class _Times:
    """The times that events and averages of events have in common, in microseconds."""

    count: int
    cpu_time_total: float
    self_cpu_time_total: float
    # There is no other device than the CPU.
    device_time = device_time_total = self_device_time_total = cuda_time = cuda_time_total = self_cuda_time_total = 0.0

    @property
    def cpu_time(self) -> float:
        """The mean time of a run."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        return _time(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        return _time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        return _time(self.self_cpu_time_total)


class FunctionEvent(_Times):
    """A call of an operator, a step of a backward pass, or a run of a region that record_function names."""

    count = 1

    def __init__(self, id: int, name: str, start_us: float, end_us: float, is_user_annotation: bool = False, input_shapes: list[list[int]] | None = None) -> None:
        self.id, self.name, self.key = id, name, name
        self.start_us, self.end_us = start_us, end_us
        self.is_user_annotation, self.input_shapes = is_user_annotation, input_shapes or []
        self.thread = threading.get_native_id()
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        return self.end_us - self.start_us

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """The time that no event inside of this one took."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    def __repr__(self) -> str:
        inside = [child.id for child in self.cpu_children]
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} start_us={self.start_us:.3f} end_us={self.end_us:.3f} "
            f"cpu_children={inside} thread={self.thread} input_shapes={self.input_shapes}>"
        )


class FunctionEventAvg(_Times):
    """The events of one name together."""

    def __init__(self, key: str, input_shapes: list[list[int]] | None = None) -> None:
        self.key, self.name, self.input_shapes = key, key, input_shapes or []
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.is_user_annotation = False

    def add(self, event: Any) -> FunctionEventAvg:
        self.count += event.count
        self.cpu_time_total += event.cpu_time_total
        self.self_cpu_time_total += event.self_cpu_time_total
        self.is_user_annotation |= event.is_user_annotation
        return self

    def __repr__(self) -> str:
        return f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} input_shapes={self.input_shapes}>"


class EventList(list[Any]):
    """Events, or averages of them, with a table."""

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """A table with a row for each event.

        sort_by: An attribute such as "cpu_time_total", "self_cpu_time_total" or "count": the largest come first.
        """
        rows = list(self)
        if top_level_events_only:
            rows = [e for e in rows if getattr(e, "cpu_parent", None) is None]
        if sort_by is not None:
            for device in ("cuda", "xpu", "privateuse1"):
                sort_by = sort_by.replace(device, "device")
            rows.sort(key=lambda e: getattr(e, sort_by), reverse=True)
        if not rows:
            return ""
        own, whole = sum(e.self_cpu_time_total for e in self), sum(e.self_cpu_time_total for e in self)
        titles: list[str] = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"]
        shapes = any(e.input_shapes for e in rows)
        lines = []
        for e in rows[: row_limit if row_limit != -1 else None]:
            share, total = (f"{100 * t / w:.2f}%" if w else "NaN" for t, w in ((e.self_cpu_time_total, own), (e.cpu_time_total, whole)))
            line = [_cut(e.key, max_name_column_width), share, _time(e.self_cpu_time_total, time_unit), total]
            line += [_time(e.cpu_time_total, time_unit), _time(e.cpu_time, time_unit), str(e.count)]
            lines.append(line + ([_cut(str(e.input_shapes), max_shapes_column_width)] if shapes else []))
        titles += ["Input Shapes"] if shapes else []
        widths = [min(max(len(e.key) for e in rows) + 4, max_name_column_width), *[_WIDTH] * 6]
        widths += [min(max(len(str(e.input_shapes)) for e in rows) + 4, max_shapes_column_width)] if shapes else []

        def joined(cells: Iterable[str]) -> str:
            return "".join(f"{cell:>{width}}{_GAP}" for cell, width in zip(cells, widths, strict=True))

        rule = joined("-" * width for width in widths)
        text = [*([header] if header else []), rule, joined(titles), rule, *map(joined, lines), rule]
        return "\n".join(text) + f"\nSelf CPU time total: {_time(own, time_unit)}\n"

    def __str__(self) -> str:
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        return sum(e.self_cpu_time_total for e in self)

    def total_average(self) -> FunctionEventAvg:
        """All events as one."""
        total = FunctionEventAvg("Total")
        for event in self:
            total.add(event)
        return total

    def key_averages(self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False) -> EventList:
        """The events of each name together, and with group_by_input_shapes of each name and shapes."""
        groups: dict[tuple[str, str], FunctionEventAvg] = {}
        for event in self:
            shapes = event.input_shapes if group_by_input_shapes else None
            group = groups.setdefault((event.key, str(shapes)), FunctionEventAvg(event.key, shapes))
            group.add(event)
        return EventList(groups.values())

    def export_chrome_trace(self, path: str, **more: Any) -> None:
        """Writes the events as JSON for chrome://tracing and Perfetto, compressed if the path ends with .gz."""
        process = os.getpid()
        events = [
            {
                "ph": "X",
                "cat": "user_annotation" if e.is_user_annotation else "cpu_op",
                "name": e.name,
                "pid": process,
                "tid": e.thread,
                "ts": e.start_us,
                "dur": e.cpu_time_total,
                "args": {"Input Dims": e.input_shapes} if e.input_shapes else {},
            }
            for e in self
        ]
        names = [{"ph": "M", "name": "process_name", "ts": 0, "pid": process, "tid": 0, "args": {"name": "python"}}]
        opened: Callable[..., Any] = gzip.open if str(path).endswith(".gz") else open
        with opened(path, "wt") as file:
            json.dump({"schemaVersion": 1, "displayTimeUnit": "ms", **more, "traceEvents": names + events}, file)


def _cut(text: str, width: int) -> str:
    return text if len(text) < width else text[: width - 3] + "..."
