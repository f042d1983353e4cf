"""Runs hundreds of modules of other people's packages with Monograph in the place of PyTorch, beside live PyTorch, through gradients, each capture and archives both
ways, and counts what is equal.

  ./dev survey                      all of it: an hour on one core
  ./dev survey kornia metrics       only these groups of packages (bench/survey/cases)
  ./dev survey --causes             also prints why the others are not, the most frequent cause first
  ./dev survey --report --causes    runs nothing: prints what the last run gave
  ./dev survey --anew kornia        runs again what build/survey holds already

The packages are installed without their dependencies into .survey, in the versions of tools/dev/requirements-survey.txt."""

from __future__ import annotations

import argparse

from builds import release
from common import BUILD, ORACLE, PROGRAMS, PYTHON, ROOT, SURVEY, run as run_command
from environment import oracle_environment, program_packages, survey_packages

SUMMARY = "run modules of 35 packages of other people, beside PyTorch"
OUT = BUILD / "survey"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="a file of bench/survey/cases")
    parser.add_argument("--causes", action="store_true", help="print the causes of what is not equal")
    parser.add_argument("--report", action="store_true", help="run nothing: print what the last run gave")
    parser.add_argument("--anew", action="store_true", help="forget what the last run gave")


def run(options: argparse.Namespace) -> int:
    release()
    oracle_environment()
    program_packages()
    survey_packages()
    if options.anew:
        for group in options.groups or ["*"]:
            for file in OUT.glob(f"{group}.*"):
                file.unlink()
    flags = [f"--{flag}" for flag in ("causes", "report") if getattr(options, flag)]
    sides = ["--pytorch", ORACLE / "bin" / "python", "--packages", f"{SURVEY}:{PROGRAMS}", "--out", OUT]
    return run_command([PYTHON, ROOT / "bench" / "survey" / "run.py", *sides, *flags, *options.groups], check=False)
