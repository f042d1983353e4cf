"""Rows of figures beside PyTorch, in one run: `./dev bench`.

A row is a function in bench/*.py, decorated with @row. It gets a module `torch` - Monograph in one process, PyTorch in another, each in
its own environment - prepares its inputs and returns the call to time:

    @row("add_100", at_most=0.5, about="torch.add of two 100-element tensors")
    def add_100(torch):
        a, b = torch.rand(100), torch.rand(100)
        return lambda: torch.add(a, b)

Both processes run one thread, or as many as the row says (`threads=`). Rounds alternate between the two, so that a change in the machine's load meets both, and are shared among
several pairs of processes: where the pages of one lie in memory decides which of them push each other out of the caches, a fifth of a
row's time. A row's ratio is the median over the rounds of (Monograph's time / PyTorch's time), at most `at_most` where it states one. A
row may compare with another call on PyTorch's side (`peer=`, for instance torch.compile), and both results must agree (`rtol`, `atol`;
NaN equals NaN; None: not compared).

A long list of rows (`row_list`, and `of=` in its rows) is judged as a whole: by the median of its ratios, by its worst row, and by how many of its
rows miss their bounds. Each of its rows gets a few short rounds by one pair of processes; one that misses its bound is measured again, as long as
any other row or as the list says, and that counts. Of a `brief` list only the rows that missed are printed, the worst first. A row may say that it
cannot be measured (NotMeasured); then it does not count.

What is below Python is measured by a program, bench/NAME_bench.cpp, with a peer of its own (`program_rows`): it prints `row NAME: OURS PEER`.
Where PyTorch's side is Python and Monograph's is C++ (`answered_by=`), the program takes the place of Monograph's process: called with --serve, it
answers the same requests."""

from __future__ import annotations

import argparse
import functools
import importlib.util
import itertools
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

QUICK = (5, 0.01)  # of a list's rows: rounds, and seconds of calls in a round
LONGEST = 2.0  # seconds that one side of a row may take by one pair of processes
SETTLED = 0.02  # seconds in which the peer's idle threads stop spinning
ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"
PROGRAMS = ROOT / "build" / "release" / "bench"


@dataclass
class Row:
    name: str
    function: Callable[[Any], Callable[[], Any]]
    about: str
    group: str
    at_most: float | None
    peer: Callable[[Any], Callable[[], Any]] | None
    rtol: float | None
    atol: float | None  # None: rtol times the largest of the peer's numbers
    program: tuple[str, ...] = ()  # the C++ benchmark that measures the row, and its arguments
    beside: str = "PyTorch"
    unit: str = "s"  # "": the figures are factors, not seconds
    threads: int = 1
    of: str = ""  # the list that it belongs to
    note: Callable[[Result], str] | None = None  # what is printed after its figures
    answered_by: str = ""  # the C++ benchmark that is Monograph's side


@dataclass
class RowList:
    name: str
    about: str
    group: str
    median_at_most: float
    share_above: float = 0.0  # how many of its rows may miss their bounds
    quick: tuple[int, float] = QUICK  # rounds, and seconds of calls in a round
    again: tuple[int, float] | None = None  # of a row that missed its bound; None: as a row that is in no list
    brief: bool = False  # only rows that missed are printed


class NotMeasured(Exception):
    """Raised by a row's function: there is nothing to measure, for this reason."""


ROWS: dict[str, Row] = {}
# Where a row may be called in several ways (the call's attributes `ways` and `way`): those that the peer has, of which this side takes one.
GIVEN: dict[str, Any] = {"ways": None}
LISTS: dict[str, RowList] = {}


def row(
    name: str, *, about: str, at_most: float | None = None, peer=None, rtol: float | None = 1e-5, atol: float | None = 1e-6, threads: int = 1,
    of: str = "", note=None, answered_by: str = "",
):  # fmt: skip
    """Registers a row; its group is the name of its file."""

    def register(function):
        group = LISTS[of].group if of else Path(function.__code__.co_filename).stem
        ROWS[name] = Row(name, function, about, group, at_most, peer, rtol, atol, threads=threads, of=of, note=note, answered_by=answered_by)
        return function

    return register


def row_list(name: str, *, about: str, median_at_most: float, group: str = "", **how) -> None:
    """Registers a list of rows, which name it with `of` and belong to its group: that of its file, where it names none. `how`: fields of RowList."""
    LISTS[name] = RowList(name, about, group or Path(sys._getframe(1).f_code.co_filename).stem, median_at_most, **how)


def thread_rows(name: str, about: str, prepare, call, *, of: str, peer=None, **tolerances) -> None:
    """Registers a row of a list for one thread and one for two. `prepare(torch)` makes the tensors of one call; four sets in turn, so that no call
    finds its own in the first cache. `peer` is the call on PyTorch's side where Monograph has the operator under another name."""

    def side(function):
        def start(torch):
            sets = itertools.cycle([prepare(torch) for _ in range(4)])
            return lambda: function(torch, *next(sets))

        return start

    for threads, suffix, words in ((1, "", ""), (2, "_2t", ", two threads")):
        theirs = side(peer) if peer else None
        row(f"{name}{suffix}", at_most=1.1, about=about + words, peer=theirs, threads=threads, of=of, **tolerances)(side(call))


def program_rows(*program: str, beside: str, at_most: float | None, rows: dict[str, str], unit: str = "s") -> None:
    """Registers rows (name: what it is) that one run of a C++ benchmark measures beside a peer that it names; their group is the file's name."""
    group = Path(sys._getframe(1).f_code.co_filename).stem
    for name, about in rows.items():
        ROWS[name] = Row(name, lambda _: lambda: None, about, group, at_most, None, None, 0, program, beside, unit)


def load_rows() -> None:
    sys.modules["run"] = sys.modules[__name__]  # so that `from run import row` finds this registry
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if file.name in ("run.py", "build.py"):
            continue
        spec = importlib.util.spec_from_file_location(f"bench_{file.stem}", file)
        assert spec and spec.loader
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)  # where dataclasses look for their module
        spec.loader.exec_module(module)


# --- the two processes ---------------------------------------------------------------------------------------------------------------


def serve(side: str) -> None:
    """One side: answers {"prepare": row} with its result's numbers, then {"time": n} with seconds a call."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if side == "ours":
        import monograph as torch
    else:
        import torch
    load_rows()
    call: Callable[[], Any] = lambda: None
    for text in sys.stdin:
        request = json.loads(text)
        try:
            if "prepare" in request:
                chosen = ROWS[request["prepare"]]
                torch.set_num_threads(chosen.threads)
                torch.manual_seed(0)
                GIVEN["ways"] = request.get("ways")
                call = (chosen.peer if side == "peer" and chosen.peer else chosen.function)(torch)
                answer: Any = {"numbers": numbers(call()) if chosen.rtol is not None else []}
                answer |= {name: getattr(call, name, None) for name in ("way", "ways")}
            else:
                answer = time_calls(call, request["time"])
            answer = {"ok": answer}
        except NotMeasured as reason:
            answer = {"not measured": str(reason)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def numbers(value: Any, limit: int = 4096) -> list[float]:
    """At most `limit` numbers of a result, evenly chosen: enough to see that both sides computed the same."""
    if isinstance(value, (list, tuple)):
        return [n for item in value for n in numbers(item, limit)]
    if hasattr(value, "detach"):
        value = value.detach()
        parts = [value.real, value.imag] if value.is_complex() else [value]
        if value.is_complex() or value.is_floating_point():  # NumPy has no bfloat16
            parts = [part.double() for part in parts]
        flat = (part.numpy().reshape(-1) for part in parts)
        return [float(n) for part in flat for n in part[:: max(1, len(part) // limit)]]
    return [float(value)] if isinstance(value, (int, float)) else []


def time_calls(call: Callable[[], Any], calls: int) -> float:
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - begin) / calls


class Side:
    def __init__(self, *command: str | Path):
        env = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self.process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request: Any) -> Any:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        text = self.process.stdout.readline()
        if not text:
            raise RuntimeError(f"its process ended with exit code {self.process.wait()}")
        answer = json.loads(text)
        if "not measured" in answer:
            raise NotMeasured(answer["not measured"])
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["ok"]

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


# --- one run -------------------------------------------------------------------------------------------------------------------------


@dataclass
class Result:
    row: Row
    ours: float = math.nan  # seconds a call, medians
    peer: float = math.nan
    ratio: float = math.nan
    error: str = ""
    not_measured: str = ""  # the reason, where there is nothing to measure

    @property
    def held(self) -> bool:
        return not self.error and (self.not_measured != "" or self.row.at_most is None or self.ratio <= self.row.at_most)


@functools.cache
def printed(program: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """What a C++ benchmark measured: ours and the peer's, by row."""
    command = [str(PROGRAMS / program[0]), *program[1:]]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout
    return {name: (float(a), float(b)) for name, a, b in re.findall(r"^row (\S+): (\S+) (\S+)$", output, re.MULTILINE)}


@functools.cache
def peak() -> float:
    """GFLOP/s of one core in its registers alone."""
    text = subprocess.run([PROGRAMS / "matmul_bench", "--peak"], stdout=subprocess.PIPE, text=True, check=False).stdout
    return float(text.split()[-2]) if text else math.nan


def measure(chosen: Row, pairs: list[tuple[Side, Side]], rounds: int, slice_seconds: float) -> Result:
    result = Result(chosen)
    if chosen.program:
        if chosen.name not in printed(chosen.program):
            result.error = f"{chosen.program[0]} printed no such row"
            return result
        result.ours, result.peer = printed(chosen.program)[chosen.name]
        result.ratio = result.ours / result.peer
        return result
    if chosen.answered_by:
        program = Side(PROGRAMS / chosen.answered_by, "--serve")
        try:
            return in_rounds(chosen, [(program, peer) for _, peer in pairs], rounds, slice_seconds)
        finally:
            program.close()
    return in_rounds(chosen, pairs, rounds, slice_seconds)


def in_rounds(chosen: Row, pairs: list[tuple[Side, Side]], rounds: int, slice_seconds: float) -> Result:
    """As many rounds as the row's list asks for."""
    if not chosen.of:
        return rounds_of(chosen, pairs, rounds, slice_seconds)
    whole = LISTS[chosen.of]
    result = rounds_of(chosen, pairs[:1], *whole.quick)
    if result.held or result.error or result.not_measured:
        return result
    return rounds_of(chosen, pairs[:1], *whole.again) if whole.again else rounds_of(chosen, pairs, rounds, slice_seconds)


def rounds_of(chosen: Row, pairs: list[tuple[Side, Side]], rounds: int, slice_seconds: float) -> Result:
    result = Result(chosen)
    times: list[tuple[float, float]] = []
    try:
        for k, (ours, peer) in enumerate(pairs):
            times += in_turn(chosen, ours, peer, len(range(k, rounds, len(pairs))), slice_seconds)
    except NotMeasured as reason:
        result.not_measured = str(reason)
        return result
    except RuntimeError as error:
        result.error = str(error)
        return result
    result.ours, result.peer = (statistics.median(side) for side in zip(*times))
    result.ratio = statistics.median(a / b for a, b in times)
    return result


def in_turn(chosen: Row, ours: Side, peer: Side, rounds: int, slice_seconds: float) -> list[tuple[float, float]]:
    """Seconds a call of one pair of processes, round by round. Raises RuntimeError where a side fails or the two results differ."""
    sides = {"Monograph": ours, "PyTorch": peer}
    computed, counts = prepared(chosen, sides), {}
    for name, side in sides.items():
        # As many calls as fill one slice of time; the first ones also warm caches and compile.
        once = max(side.ask(time=1), side.ask(time=1), 1e-7)
        once = min(once, side.ask(time=max(1, round(min(0.01, slice_seconds) / once))))
        counts[name] = max(1, round(slice_seconds / once))
        rounds = min(rounds, max(1, round(LONGEST / once)))
    if chosen.rtol is not None and not agree(*computed, chosen.rtol, chosen.atol):
        raise RuntimeError("the two results differ")
    times, last = [], ""
    for turn in range(rounds):  # the order changes too: neither side always follows the other
        taken = {}
        for name in list(sides)[:: -1 if turn % 2 else 1]:
            if chosen.threads > 1 and name != last:  # the other's threads wait for more work, and spin
                time.sleep(SETTLED)
            taken[name], last = sides[name].ask(time=counts[name]), name
        times.append((taken["Monograph"], taken["PyTorch"]))
    return times


def prepared(chosen: Row, sides: dict[str, Side]) -> tuple[list[float], list[float]]:
    """The numbers of both results, ours first. Where there are several ways to call a row, both take the first one that both have."""

    def ask(name: str, **more: Any) -> dict[str, Any]:
        try:
            return sides[name].ask(prepare=chosen.name, **more)
        except RuntimeError as error:
            raise RuntimeError(f"{name}: {error}") from None

    peer = ask("PyTorch")
    ours = ask("Monograph", ways=peer["ways"])
    if ours["way"] != peer["way"]:
        peer = ask("PyTorch", ways=[ours["way"]])
    return ours["numbers"], peer["numbers"]


def agree(ours: list[float], peers: list[float], rtol: float, atol: float | None) -> bool:
    if atol is None:
        atol = rtol * max((abs(b) for b in peers if math.isfinite(b)), default=0.0)

    def near(a: float, b: float) -> bool:
        return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= atol + rtol * abs(b)

    return len(ours) == len(peers) and all(map(near, ours, peers))


def quantity(figure: float, unit: str) -> str:
    if math.isnan(figure):
        return "–"
    return duration(figure) if unit == "s" else f"{figure:.2f}"


def duration(seconds: float) -> str:
    for unit, scale in (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.2g} ns"


def line(r: Result) -> str:
    """A row as it is printed, and as its claim finds it again."""
    if r.error or r.not_measured:
        return f"{r.row.name}: {r.error or r.not_measured}"
    note = f"; {r.row.note(r)}" if r.row.note else ""
    return f"{r.row.name} ratio: {r.ratio:.3f} ({quantity(r.ours, r.row.unit)}, {r.row.beside} {quantity(r.peer, r.row.unit)}{note}){'' if r.held else ' MISSED'}"


@dataclass
class Summary:
    """A list of rows as a whole."""

    of: RowList
    median: float
    worst: Result
    count: int
    missed: list[Result]  # the worst first
    not_measured: int = 0

    @property
    def few_missed(self) -> bool:
        return len(self.missed) <= self.of.share_above * self.count

    @property
    def held(self) -> bool:
        return self.median <= self.of.median_at_most and self.few_missed

    def lines(self) -> list[str]:
        bound = f"at most {self.of.median_at_most:g}; {len(self.missed)} of {self.count} rows missed theirs"
        if self.not_measured:
            bound += f", {self.not_measured} cannot be measured"
        return [
            *(line(r) for r in self.missed if self.of.brief),
            f"{self.of.name} median ratio: {self.median:.3f} ({bound}){'' if self.held else ' MISSED'}",
            f"{self.of.name} worst ratio: {self.worst.ratio:.3f} ({self.worst.row.name})",
        ]


def summary(results: list[Result]) -> Summary:
    """Of the results of one list's rows."""
    there = [r for r in results if not r.not_measured]
    measured = [r for r in there if not r.error]
    median = statistics.median(r.ratio for r in measured) if measured else math.nan
    worst = max(measured, key=lambda r: r.ratio, default=results[0])
    missed = sorted((r for r in there if not r.held), key=lambda r: -math.inf if r.error else -r.ratio)
    return Summary(LISTS[results[0].row.of], median, worst, len(there), missed, len(results) - len(there))


def summaries(results: list[Result]) -> list[Summary]:
    names = dict.fromkeys(r.row.of for r in results if r.row.of)
    return [summary([r for r in results if r.row.of == name]) for name in names]


def claim(name: str, command: str, words: str, tolerance: str, figure: str) -> str:
    """A figure in a table's row with the command that derives it again: write_section puts the one into the page, the other beside it."""
    return "\x02" + "\x1f".join((name, command, words, tolerance, figure)) + "\x03"


CLAIM_NAME = re.compile(r"\[(\w+)\]")
CLAIM = re.compile("\x02(.*?)\x1f(.*?)\x1f(.*?)\x1f(.*?)\x1f(.*?)\x03")


def list_table(of_lists: list[Summary]) -> list[str]:
    lines = ["| rows | count | median ratio | at most | worst ratio | row |", "|---|---|---|---|---|---|"]
    for s in of_lists:
        figures = [
            claim(f"{s.of.name}_{kind}", command_of(s.of.group), f"{s.of.name} {kind} ratio:", "50%", f"{ratio:.2f}")
            for kind, ratio in (("median", s.median), ("worst", s.worst.ratio))
        ]
        missed = f" ({len(s.missed)} missed)" if s.missed else ""
        lines.append(
            f"| {s.of.about} | {s.count} | {figures[0]} | {s.of.median_at_most:g} | {figures[1]}{missed} | {s.worst.row.about}: {duration(s.worst.ours)}, {s.worst.row.beside} {duration(s.worst.peer)} |"
        )
    return lines


def table(results: list[Result]) -> list[str]:
    lines = [f"| row | Monograph | {results[0].row.beside} | ratio | at most |", "|---|---|---|---|---|"]
    for r in results:
        bound = "" if r.row.at_most is None else f"{r.row.at_most:g}"
        figure = f"{float(f'{r.ratio:.3f}'):.2f}"  # of what is printed, as the READMEs' figures are
        ratio = r.error or claim(r.row.name, command_of(r.row.group), f"{r.row.name} ratio:", "50%", figure)
        lines.append(
            f"| {r.row.about} | {quantity(r.ours, r.row.unit)} | {quantity(r.peer, r.row.unit)} | {ratio}{'' if r.held else ' (missed)'} | {bound} |"
        )
    return lines


def command_of(group: str) -> str:
    """What derives a group's figures again."""
    return f"./dev bench {group} --no-bounds"


def machine() -> str:
    flags = set(Path("/proc/cpuinfo").read_text().split())
    level = "x86-64-v4 (AVX-512)" if "avx512f" in flags else "x86-64-v3 (AVX2)" if "avx2" in flags else platform.machine()
    return level


def write_section(name: str, lines: list[str]) -> None:
    """Puts lines between the markers `bench: begin NAME` and `bench: end NAME` of docs/benchmarks.md, made at its end where missing, and the
    claims of their figures into the page's file of claims."""
    sys.path.insert(0, str(ROOT / "tools"))
    import claims

    begin, end = f"<!-- bench: begin {name} -->", f"<!-- bench: end {name} -->"
    text = PAGE.read_text()
    if begin not in text:
        text = f"{text.rstrip()}\n\n## {name.capitalize()}\n\n{begin}\n{end}\n"
    before, rest = text.split(begin, 1)
    section, after = rest.split(end, 1)
    old = {c.id for c in claims.parse(PAGE, PAGE.read_text()) if len(before) <= c.span[0] < len(before) + len(begin) + len(section)}
    heading = re.findall(r"^#+ +(.*?) *$", before, re.MULTILINE)[-1]
    added = []
    for row in lines:
        for stated in CLAIM.finditer(row):
            first, *cells = CLAIM.sub(r"\5", row[: stated.start()] + "{}" + row[stated.end() :]).strip("| ").split(" | ")
            at = next(k for k, cell in enumerate(cells) if "{}" in cell)
            words = f"| {' | '.join([first, *['...'] * at, cells[at]])} |"
            identity, command, line_words, tolerance, _ = stated.groups()
            added.append(claims.entry_text(identity, text=words, under=heading, cmd=command, line=line_words, tolerance=tolerance))
    PAGE.write_text("\n".join([before + begin, "", *[CLAIM.sub(r"\5", row) for row in lines], "", end + after]))
    claims.replace_entries(PAGE, old | {CLAIM_NAME.match(entry)[1] for entry in added}, added)


def write_claims(printed_by: dict[str, str]) -> None:
    """Puts the figures of this run into the claims of both READMEs that the same commands derive: one run, one figure everywhere."""
    sys.path.insert(0, str(ROOT / "tools"))
    import claims

    for page in sorted(ROOT.glob("README*.md")):
        # From the end backwards, so that a figure of another length leaves the places before it valid.
        for stated in reversed(claims.parse(page, page.read_text())):
            if stated.cmd in printed_by and claims.derived_text(stated, printed_by[stated.cmd]) is not None:
                page.write_text(claims.updated(page.read_text(), stated, printed_by[stated.cmd]))


def progress(rows: list[Row]) -> Any:
    """A bar on the error stream, of which there is one where a person looks at it."""
    from tqdm import tqdm

    return tqdm(total=len(rows), unit="row", disable=None, leave=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows, lists of rows or groups (default: all)")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--pairs", type=int, default=3, help="pairs of processes that the rounds are shared among")
    parser.add_argument("--slice", type=float, default=0.05, help="seconds of calls in a round")
    parser.add_argument(
        "--write", action="store_true", help="write the tables into docs/benchmarks.md, and the READMEs' figures; groups whole"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    parser.add_argument("--no-bounds", action="store_true", help="exit 0 also where a row misses its bound")
    parser.add_argument("--peer-python", default=str(ROOT / ".venv-oracle" / "bin" / "python"))
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return 0
    load_rows()
    unknown = [name for name in options.rows if name not in ROWS and name not in LISTS and name not in {r.group for r in ROWS.values()}]
    if unknown:
        known = [*LISTS, *(r.name for r in ROWS.values() if not r.of)]
        print(f"no row or group {', '.join(unknown)}; rows and lists of rows: {', '.join(known)}", file=sys.stderr)
        return 2
    chosen = [r for r in ROWS.values() if not options.rows or {r.name, r.group, r.of} & set(options.rows)]
    if options.write:  # a table has all its rows from one run
        chosen = [r for r in ROWS.values() if r.group in {wanted.group for wanted in chosen}]
    if options.list:
        for r in chosen:
            print(f"{r.name:<35} {r.about}" + ("" if r.at_most is None else f" (at most {r.at_most:g})"))
        return 0
    pairs = [(Side(sys.executable, __file__, "--serve", "ours"), Side(options.peer_python, __file__, "--serve", "peer")) for _ in range(options.pairs)]
    results = []
    with progress(chosen) as bar:
        for r in chosen:
            results.append(measure(r, pairs, options.rounds, options.slice))
            bar.update()
            if not (r.of and LISTS[r.of].brief):
                bar.clear()
                print(line(results[-1]), flush=True)
    of_lists = summaries(results)
    for whole in of_lists:
        print("\n".join(whole.lines()))
    for pair in pairs:
        for side in pair:
            side.close()
    for group in dict.fromkeys(r.group for r in chosen) if options.write else ():
        of_group = [r for r in results if r.row.group == group]
        first = of_group[0].row
        how = (
            f"`{' '.join(first.program)}`"
            if first.program
            else f"Median of {options.rounds} interleaved rounds of {options.pairs} pairs of processes"
        )
        single = [r for r in of_group if not r.row.of]
        lists = [whole for whole in of_lists if whole.of.group == group]
        lines = []
        if single:
            lines += [f"{how} on {machine()}, one thread; ratio: the first figure over the second.", "", *table(single)]
        if lists:
            of = lists[0].of
            again = of.again[0] if of.again else options.rounds
            rounds = f"Median of {of.quick[0]} interleaved rounds, of {again} where a row missed its bound at first"
            lines += [f"{rounds}, on {machine()}; ratio: Monograph's time over PyTorch's.", "", *list_table(lists)]
        write_section(group, lines)
        write_claims({command_of(group): "\n".join([*map(line, single), *(text for whole in lists for text in whole.lines())])})
    if options.json:
        options.json.write_text(json.dumps({r.row.name: {"ours": r.ours, "peer": r.peer, "ratio": r.ratio} for r in results}, indent=2))
    allowed = {r.row.name for whole in of_lists if whole.few_missed for r in whole.missed if not r.error}
    missed = [r.row.name for r in results if not r.held and r.row.name not in allowed] + [
        f"the median of {whole.of.name}" for whole in of_lists if whole.median > whole.of.median_at_most
    ]
    print(f"{sum(r.held for r in results)} rows within their bounds, {len(missed)} not" + (f": {', '.join(missed)}" if missed else ""))
    return 1 if missed and not options.no_bounds or any(r.error for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
