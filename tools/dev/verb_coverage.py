"""Runs the programs of bench/capture/ through every capture of Monograph and of PyTorch, at the example and at two other inputs, and
prints for each: ok, refuses (with the line), silently wrong, or crash. Writes the table of docs/coverage.md."""

from __future__ import annotations

import argparse

from builds import release
from common import ORACLE, PYTHON, ROOT, Failure, environment, run as run_command
from environment import oracle_environment

SUMMARY = "programs of every kind through every capture, beside PyTorch"
SCRIPT = ROOT / "bench" / "capture" / "run.py"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--write", action="store_true", help="write docs/coverage.md")
    parser.add_argument("--ours-only", action="store_true", help="leave PyTorch out")


def run(options: argparse.Namespace) -> None:
    if not SCRIPT.exists():
        raise Failure("the programs to capture (bench/capture/) do not exist yet")
    release()
    env = environment()
    if not options.ours_only:
        oracle_environment()
        env = environment(MONOGRAPH_ORACLE=str(ORACLE / "bin" / "python"))
    run_command([PYTHON, SCRIPT, *(["--write"] if options.write else [])], env=env)
