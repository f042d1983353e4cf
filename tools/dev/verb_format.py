"""Rewrites files in place: C++ by .clang-format, and in Python what ruff can repair, such as the order of imports.

  ./dev format                            all files that git tracks
  ./dev format src/ops/record.cpp         one file"""

from __future__ import annotations

import argparse

from common import VENV, run as run_command
from environment import debian, python_environment
from sources import cpp_files, python_files

SUMMARY = "repair what a tool can repair: layout of C++, order of imports"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", help="only these files (default: all that are tracked)")


def run(options: argparse.Namespace) -> None:
    debian("lint")
    python_environment()
    if files := cpp_files(options.files):
        run_command(["clang-format-19", "-i", *files])
    if files := python_files(options.files):
        run_command([VENV / "bin" / "ruff", "check", "--fix", "--quiet", *files])
