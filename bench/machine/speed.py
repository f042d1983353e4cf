"""The capture machine beside CPython: how many times longer pure Python takes in it.

python bench/machine/speed.py            # a line for each program
python bench/machine/speed.py --at-most 10   # exit 1 where one takes longer"""

from __future__ import annotations

import argparse
import statistics
import sys
import time

import monograph as torch
from programs import PROGRAMS

ROUNDS = 7


def seconds(run) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def ratio(program) -> tuple[float, float]:
    """CPython's seconds, and the machine's as a multiple: the median of runs side by side."""
    if program() != torch._C._machine_run(program, ()):
        raise SystemExit(f"{program.__name__}: the machine's result differs")
    pairs = [(seconds(program), seconds(lambda: torch._C._machine_run(program, ()))) for _ in range(ROUNDS)]
    return min(python for python, _ in pairs), statistics.median(machine / python for python, machine in pairs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--at-most", type=float, default=float("inf"), help="exit 1 if a program takes more than this many times CPython's time"
    )
    options = parser.parse_args()
    worst = 0.0
    print(f"{'program':<12}{'CPython ms':>12}{'machine':>10}")
    for program in PROGRAMS:
        python, times = ratio(program)
        worst = max(worst, times)
        print(f"{program.__name__:<12}{python * 1e3:>12.1f}{times:>9.2f}x")
    print(f"largest: {worst:.2f}")
    return int(worst > options.at_most)


if __name__ == "__main__":
    sys.exit(main())
