"""torch.utils.benchmark: how long statements take, as measurements that can be printed and compared."""

from __future__ import annotations

import dataclasses
import math
import sys
import textwrap
import timeit
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = ["Compare", "Measurement", "TaskSpec", "Timer", "select_unit", "timer", "trim_sigfig", "unit_to_english"]

timer = timeit.default_timer
_UNITS = {-3: "ns", -2: "us", -1: "ms"}
_ENGLISH = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
_MOST_FIGURES = 4
_LEAST_INTERVAL = 25e-9  # one cycle of a clock of 40 MHz: no time is known better
_UNSTEADY, _VERY_UNSTEADY = 0.1, 0.25  # the range of the middle half of the times, as a share of the median


def unit_to_english(u: str) -> str:
    """The whole word for a unit.

    >>> torch.utils.benchmark.unit_to_english("us")
    'microsecond'
    """
    return _ENGLISH[u]


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which to show a time, and how many seconds it has.

    >>> torch.utils.benchmark.select_unit(2e-5)
    ('us', 1e-06)
    """
    unit = _UNITS.get(int(math.floor(math.log10(t) / 3)), "s")
    return unit, _SECONDS[unit]


def trim_sigfig(x: float, n: int) -> float:
    """The number rounded to n decimal digits.

    >>> torch.utils.benchmark.trim_sigfig(1234.0, 2)
    1200.0
    """
    if x == 0:
        return 0.0
    scale = 10 ** (math.ceil(math.log10(abs(x))) - n)
    return float(round(x / scale) * scale)


@dataclasses.dataclass(init=True, repr=False, eq=True, frozen=True)
class TaskSpec:
    """What was measured.

    >>> torch.utils.benchmark.TaskSpec("x.sum()", "pass", label="sums", sub_label="float32").title
    'sums: float32'
    """

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label and what is below it; without a label the statement."""
        below = self.sub_label
        if self.label is not None or "\n" not in self.stmt:
            return (self.stmt if self.label is None else self.label) + (f": {below}" if below else "")
        return "stmt:" + (f" ({below})" if below else "") + "\n" + textwrap.indent(self.stmt, "  ")

    def setup_str(self) -> str:
        """The setup as a line, or as lines below a heading; nothing for "pass"."""
        if self.setup == "pass" or not self.setup:
            return ""
        return "setup:\n" + textwrap.indent(self.setup, "  ") if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """Title, description and setup. A part of several lines has an empty line behind it."""
        parts = [part for part in (self.title, self.description or "", self.setup_str()) if part]
        return "\n".join(part + "\n" if "\n" in part else part for part in parts)


def _quantile(ordered: list[float], q: float) -> float:
    place = q * (len(ordered) - 1)
    below = int(place)
    share, low, high = place - below, ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return high - (high - low) * (1 - share) if share >= 0.5 else low + (high - low) * share


class Measurement:
    """The times that a Timer took. It has the attributes of its TaskSpec, too.

    number_per_run: how often the statement ran for each time. raw_times: the times, in seconds.

    >>> m = torch.utils.benchmark.Measurement(10, [0.5, 0.625], torch.utils.benchmark.TaskSpec("f()", "pass"))
    >>> m.times, m.median
    ([0.05, 0.0625], 0.05625)
    """

    def __init__(self, number_per_run: int, raw_times: list[float], task_spec: TaskSpec, metadata: dict[Any, Any] | None = None) -> None:
        self.number_per_run, self.raw_times, self.task_spec, self.metadata = number_per_run, raw_times, task_spec, metadata

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "task_spec":
            raise AttributeError(name)
        return getattr(self.task_spec, name)

    @property
    def times(self) -> list[float]:
        """The seconds of one run of the statement, for each time that was taken."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def _ordered(self) -> list[float]:
        return sorted(self.times)

    @property
    def median(self) -> float:
        return _quantile(self._ordered, 0.5) if self.raw_times else -1.0

    @property
    def mean(self) -> float:
        return sum(self._ordered) / len(self.times) if self.raw_times else -1.0

    @property
    def iqr(self) -> float:
        """The range of the middle half of the times."""
        ordered = self._ordered
        return _quantile(ordered, 0.75) - _quantile(ordered, 0.25) if ordered else 0.0

    @property
    def significant_figures(self) -> int:
        """How many decimal digits of the median are known: by the spread of the middle half of the times, at a confidence of 90 %."""
        ordered = self._ordered
        middle = ordered[len(ordered) // 4 : math.ceil(3 * len(ordered) / 4)]
        mean = math.fsum(middle) / len(middle)
        spread = math.sqrt(math.fsum((t - mean) ** 2 for t in middle) / len(middle))
        known = math.log10(self.median / max(1.645 * spread / math.sqrt(len(middle)), _LEAST_INTERVAL))
        return max(1, min(int(math.floor(known)), _MOST_FIGURES))

    @property
    def has_warnings(self) -> bool:
        """Whether the times differ by more than a tenth."""
        return bool(self.raw_times) and self.iqr / self.median > _UNSTEADY

    def meets_confidence(self, threshold: float = _UNSTEADY) -> bool:
        """Whether the range of the middle half of the times is below this share of the median."""
        return self.iqr / self.median < threshold

    @property
    def title(self) -> str:
        return self.task_spec.title

    @property
    def env(self) -> str:
        return "Unspecified env" if self.task_spec is None else self.task_spec.env  # type: ignore[return-value]

    @property
    def as_row_name(self) -> str:
        """The name of its row in a table: the sub_label, or else the statement."""
        return self.sub_label or self.stmt or "[Unknown]"

    def __repr__(self) -> str:
        """The statement and its time."""
        count, threads, unit = len(self.raw_times), self.task_spec.num_threads, select_unit(self.median)
        first, last = (_quantile(self._ordered, q) / unit[1] for q in (0.25, 0.75))
        lines = [f"<{__name__.replace(_PACKAGE, 'torch', 1)}.utils.common.{type(self).__name__} object at {hex(id(self))}>", self.task_spec.summarize()]
        lines.append(f"  {'Median: ' if count > 1 else ''}{self.median / unit[1]:.2f} {unit[0]}")
        if count > 2:
            lines.append(f"  IQR:    {self.iqr / unit[1]:.2f} {unit[0]} ({first:.2f} to {last:.2f})")
        runs = f"{count} measurement{'s' if count > 1 else ''}, {self.number_per_run} runs {'per measurement' if count > 1 else ''}"
        lines.append(f"  {runs}, {threads} thread{'s' if threads > 1 else ''}")
        if self.has_warnings:
            share = self.iqr / self.median
            cause = "This suggests significant environmental influence." if share > _VERY_UNSTEADY else "This could indicate system fluctuation."
            lines += [f"  WARNING: Interquartile range is {share * 100:.1f}% of the median measurement.", f"           {cause}"]
        return "\n".join(lines)

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """One Measurement for each task, with all its times, each of a single run."""
        groups: dict[TaskSpec, list[Measurement]] = defaultdict(list)
        for m in measurements:
            groups[m.task_spec].append(m)
        return [Measurement(1, [t for m in group for t in m.times], spec) for spec, group in groups.items()]


_PACKAGE = __name__.partition(".")[0]


def _package() -> Any:
    return sys.modules[_PACKAGE]


class _threads:
    """torch.set_num_threads for a block."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __enter__(self) -> None:
        self.before = _package().get_num_threads()
        _package().set_num_threads(self.count)

    def __exit__(self, *error: object) -> None:
        _package().set_num_threads(self.before)


class Timer:
    """Measures how long a statement takes.

    Args:
        stmt: the statement, a text of Python
        setup: a text that runs once before it
        global_setup: for C++, which is not taken here
        timer: a function that gives the time in seconds
        globals: the names that the statement uses; `torch` is among them
        label: names what is measured, for tables
        sub_label: names the row of the table
        description: names its column
        env: says where it was measured
        num_threads: how many threads the operators have

    >>> m = torch.utils.benchmark.Timer("x + x", globals={"x": torch.ones(2)}).timeit(100)
    >>> m.number_per_run, m.median > 0
    (100, True)
    """

    def __init__(
        self,
        stmt: str = "pass",
        setup: str = "pass",
        global_setup: str = "",
        timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None,
        label: str | None = None,
        sub_label: str | None = None,
        description: str | None = None,
        env: str | None = None,
        num_threads: int = 1,
        language: Any = "python",
    ) -> None:
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        if str(getattr(language, "name", language)).lower() not in ("python", "py"):
            raise NotImplementedError(f"Timer measures Python, but got language={language!r}; call the C++ code from Python, or measure it in C++")
        if global_setup:
            raise ValueError(f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`.")
        names = {"torch": _package(), **(globals or {})}
        stmt, setup = (textwrap.dedent(text).strip("\n").rstrip() for text in (stmt, setup))
        self._timer = timeit.Timer(stmt, setup, timer, names)
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)

    def _timeit(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)

    def timeit(self, number: int = 1000000) -> Measurement:
        """Runs the statement so many times, and a hundredth of that before, and takes one time."""
        with _threads(self._task_spec.num_threads):
            self._timeit(max(number // 100, 2))
            return Measurement(number, [self._timeit(number)], self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callable[[int, float], Any] | None = None) -> None:
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def collect_callgrind(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError("Timer.collect_callgrind counts instructions with valgrind, which Monograph does not start; use blocked_autorange()")

    def _times(self, number: int, done: Callable[[list[float]], bool], least: float, most: float, callback: Callable[[int, float], Any] | None) -> Measurement:
        times: list[float] = []
        total = 0.0
        while not times or total < least or (total < most and not done(times)):
            took = self._timeit(number)
            total += took
            if callback is not None:
                callback(number, took)
            times.append(took)
        return Measurement(number, times, self._task_spec)

    def _block(self, seconds: float) -> int:
        """How many runs take this long, at least."""
        empty = max(min(timeit.Timer("pass").timeit(100) / 100 for _ in range(5)), 1e-9)
        number = 1
        while True:
            took = self._timeit(number)
            # The reading of the clock and the loop around the statement must not count.
            if took >= seconds and (took / number > 100 * empty or took > 1e4 * empty):
                return number
            if took >= 10 * seconds or number >= 10**9:
                return number
            number *= 10

    def blocked_autorange(self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2) -> Measurement:
        """Takes times for `min_run_time` seconds. Each is that of a block of runs, so long that the clock does not matter.

        callback: gets the number of runs and the seconds of each block.
        """
        with _threads(self._task_spec.num_threads):
            return self._times(self._block(min_run_time / 1000), lambda times: True, min_run_time, min_run_time, callback)

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0, callback: Callable[[int, float], Any] | None = None
    ) -> Measurement:
        """Takes times until the middle half of them lies within `threshold` of the median, or `max_run_time` seconds are over."""

        def steady(times: list[float]) -> bool:
            return len(times) > 3 and Measurement(1, times, self._task_spec).meets_confidence(threshold)

        with _threads(self._task_spec.num_threads):
            return self._times(self._block(min_run_time / 10), steady, min_run_time, max_run_time, callback)


class Compare:
    """A table of measurements: a row for each sub_label, a column for each description, a part for each number of threads, a table for each label.

    >>> task = torch.utils.benchmark.TaskSpec("x + x", "pass", label="sums", description="f32")
    >>> print(torch.utils.benchmark.Compare([torch.utils.benchmark.Measurement(1, [2e-6], task)]))
    [------ sums -----]
                 |  f32
    1 threads: --------
          x + x  |  2.0
    <BLANKLINE>
    Times are in microseconds (us).
    <BLANKLINE>
    """

    def __init__(self, results: list[Measurement]) -> None:
        self._results: list[Measurement] = []
        self.extend_results(results)
        self._trims = self._warns = False
        self._colors: str | None = None

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """Adds measurements."""
        for result in results:
            if not isinstance(result, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
            self._results.append(result)

    def trim_significant_figures(self) -> None:
        """Shows no more digits than are known."""
        self._trims = True

    def colorize(self, rowwise: bool = False) -> None:
        """Shows in colors how far a time is from the best of its column; rowwise: of its row."""
        self._colors = "rows" if rowwise else "columns"

    def highlight_warnings(self) -> None:
        """Marks times that differ much from run to run."""
        self._warns = True

    def print(self) -> None:
        print(str(self))

    def __str__(self) -> str:
        tables: dict[str | None, list[Measurement]] = defaultdict(list)
        for result in Measurement.merge(self._results):
            tables[result.label].append(result)
        return "\n".join(self._table(label or "", results) for label, results in tables.items())

    def _table(self, label: str, results: list[Measurement]) -> str:
        unit, scale = select_unit(min(r.median for r in results))
        columns = list(dict.fromkeys(r.description for r in results))
        rows = sorted(dict.fromkeys((r.num_threads, r.task_spec.env or "", r.as_row_name) for r in results), key=lambda row: row[:2])
        cells = {((r.num_threads, r.task_spec.env or "", r.as_row_name), r.description): r for r in results}
        grid = [[cells.get((row, column)) for column in columns] for row in rows]
        names = list(self._names(rows))
        texts = [[""] * len(columns) for _ in rows]
        for k in range(len(columns)):
            for i, text in enumerate(self._shown([line[k] for line in grid], scale)):
                texts[i][k] = text
        widths = [max(map(len, names))] + [max(len(column or ""), *(len(line[k]) for line in texts)) for k, column in enumerate(columns)]
        whole = sum(widths) + 5 * len(columns)

        def line(first: str, others: Iterable[str]) -> str:
            return "  |  ".join([first.ljust(widths[0]), *others])

        lines = [f" {label} ".center(whole - 2, "-").join("[]"), line("", (str(column or "").center(width) for column, width in zip(columns, widths[1:], strict=True)))]
        threads = None
        for i, row in enumerate(rows):
            if row[0] != threads:
                threads = row[0]
                lines.append(f"{threads} threads: ".ljust(whole, "-"))
            centered = [text.center(width) for text, width in zip(texts[i], widths[1:], strict=True)]
            lines.append(line(names[i], (self._colored(text, grid, i, k) for k, text in enumerate(centered))))
        lines += ["", f"Times are in {unit_to_english(unit)}s ({unit}).", ""]
        if self._warns and any(r.has_warnings for r in results):
            lines[-1:] = ["(! XX%) Measurement has high variance, where XX is the IQR / median * 100.", ""]
        return "\n".join(lines)

    @staticmethod
    def _names(rows: list[tuple[int, str, str]]) -> Iterator[str]:
        """The beginnings of the lines. The environment stands before its first row."""
        before, width = None, max(len(env) for _, env, _ in rows) + 2
        for threads, env, name in rows:
            yield f"  {f'({env})' if env and (threads, env) != before else '':{width}}  {name}"
            before = (threads, env)

    def _shown(self, column: list[Measurement | None], scale: float) -> Iterator[str]:
        there = [m for m in column if m is not None]
        digits = [math.ceil(math.log10(m.median / scale)) for m in there]
        decimals = min(max(m.significant_figures - d, 0) for m, d in zip(there, digits, strict=True)) if self._trims else 1
        width = max(digits) + decimals + (1 if decimals else 0)
        marked = self._warns and any(m.has_warnings for m in there)
        for m in column:
            if m is None:
                yield ""
                continue
            value = m.median / scale
            mark = f" (! {m.iqr / m.median * 100:.0f}%)" if marked and m.has_warnings else ""
            yield f"{trim_sigfig(value, m.significant_figures) if self._trims else value:>{max(width, 0)}.{decimals}f}{mark:>{7 if marked else 0}}"

    def _colored(self, text: str, grid: list[list[Measurement | None]], i: int, k: int) -> str:
        m = grid[i][k]
        if self._colors is None or m is None:
            return text
        group = grid[i] if self._colors == "rows" else [line[k] for line in grid]
        times = m.median / min(other.median for other in group if other is not None)
        code = "\033[92m\033[1m" if times <= 1.01 else "\033[34m\033[1m" if times <= 1.1 else "\033[31m\033[1m" if times >= 5 else "\033[2m\033[91m" if times >= 2 else ""
        return f"{code}{text}\033[0m\033[0m" if code else text
