"""Runs the programs of bench/capture/ through every capture of Monograph and of PyTorch, at the example and at two other inputs, and
prints for each: ok, raises at capture, raises at run, wrong after a warning, silently wrong, or crash. Exit 1 where Monograph is wrong or crashes.

  ./dev coverage                 all of it, about a minute
  ./dev coverage --ours-only     Monograph alone
  ./dev coverage --why           also why, for all but ok: the error with its line
  ./dev coverage --write         writes the table of docs/coverage.md"""

from __future__ import annotations

import argparse

from builds import release
from common import ORACLE, PYTHON, ROOT, environment, run as run_command
from environment import oracle_environment

SUMMARY = "try the functions of bench/capture in every capture, beside PyTorch"
SCRIPT = ROOT / "bench" / "capture" / "run.py"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--write", action="store_true", help="write docs/coverage.md")
    parser.add_argument("--why", action="store_true", help="say why, for all but ok")
    parser.add_argument("--ours-only", action="store_true", help="leave PyTorch out")


def run(options: argparse.Namespace) -> int:
    release()
    env = environment()
    if not options.ours_only:
        oracle_environment()
        env = environment(MONOGRAPH_ORACLE=str(ORACLE / "bin" / "python"))
    flags = [*(["--write"] if options.write else []), *(["--why"] if options.why else [])]
    return run_command([PYTHON, SCRIPT, *flags], env=env, check=False)
