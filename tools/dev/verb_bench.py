"""Measures the rows of bench/*.py in Monograph and PyTorch (products: oneDNN) by turns, and prints a table of ratios: Monograph's time divided by the
other's, on one thread, the median of the rounds. Exit 1 if a row misses its bound.

  ./dev bench                    all rows
  ./dev bench eager              one group, or one row by its name (--list lists them)
  ./dev bench records            every operator record with samples, at three sizes: the slow ones are printed
  ./dev bench --write            also writes the tables into docs/benchmarks.md, and the READMEs' figures
  ./dev bench --build            what Monograph itself costs: import, memory, wheel, build times (bench/build.py)
  ./dev bench --native [NAME]    the C++ micro-benchmarks of bench/*_bench.cpp (Google Benchmark)"""

from __future__ import annotations

import argparse

from builds import release
from common import BUILD, ORACLE, PYTHON, ROOT, Failure, run as run_command
from environment import oracle_environment

SUMMARY = "measure times beside PyTorch in one run, as ratios"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows or groups (default: all)")
    parser.add_argument("--list", action="store_true", help="list the rows and their bounds")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md and the READMEs' figures")
    parser.add_argument("--json", metavar="FILE", help="write the figures")
    parser.add_argument("--rounds", type=int, default=15, help="interleaved rounds (default 15)")
    parser.add_argument("--no-bounds", action="store_true", help="exit 0 also where a bound is missed")
    parser.add_argument("--build", action="store_true", help="import time, memory, wheel size, build times")
    parser.add_argument("--only", action="append", metavar="FIGURE", help="with --build: import, resident, wheel, full or incremental")
    parser.add_argument("--native", action="store_true", help="the C++ micro-benchmarks")


def run(options: argparse.Namespace) -> int:
    flags = [*(["--write"] if options.write else []), *(["--no-bounds"] if options.no_bounds else [])]
    if options.native:
        return native(options.rows)
    if options.list:
        return run_command([PYTHON, ROOT / "bench" / "run.py", "--list", *options.rows], check=False)
    release(("all", *(programs() if not options.build else ())))
    if options.build:
        only = [word for figure in options.only or () for word in ("--only", figure)]
        return run_command([PYTHON, ROOT / "bench" / "build.py", *only, *flags], check=False)
    oracle_environment()
    more = ["--json", options.json] if options.json else []
    command = [PYTHON, ROOT / "bench" / "run.py", "--peer-python", ORACLE / "bin" / "python", "--rounds", str(options.rounds)]
    return run_command([*command, *flags, *more, *options.rows], check=False)


def programs() -> list[str]:
    return [source.stem for source in sorted(ROOT.glob("bench/*_bench.cpp"))]


def native(words: list[str]) -> int:
    names = programs()
    chosen = [name for name in names if not words or any(word in name for word in words)]
    if not chosen:
        raise Failure(f"no such benchmark; there are: {', '.join(names) or 'none'}")
    release(tuple(chosen))
    return max(run_command([BUILD / "release" / "bench" / name], check=False) for name in chosen)
