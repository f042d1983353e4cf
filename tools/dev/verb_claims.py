"""Each figure and each yes/no in README and docs has a command that derives it (in docs/claims/*.toml; tools/claims.py explains the syntax).
Runs these commands, and fails if a page says something else.

  ./dev claims --list                               the claims, with their commands
  ./dev claims docs/scope.md                        those of one page
  ./dev claims README.md --only import_s --update   one figure, and writes it into the page"""

from __future__ import annotations

import argparse

from builds import release
from common import PYTHON, ROOT, run as run_command
from environment import oracle_environment

SUMMARY = "derive each figure in README and docs again; an altered one fails"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", help="only these files (default: README*.md and docs/)")
    parser.add_argument("--only", metavar="ID", help="only this claim")
    parser.add_argument("--skip", metavar="COMMAND", action="append", default=[], help="leave out claims whose command begins so")
    parser.add_argument(
        "--known", metavar="COMMAND=FILE", action="append", default=[], help="a command that was run already, and the file with its output"
    )
    parser.add_argument("--update", action="store_true", help="write the derived figures into the text")
    parser.add_argument("--list", action="store_true", help="list the claims, run nothing")


def run(options: argparse.Namespace) -> int:
    flags = [f"--{name}" for name in ("update", "list") if getattr(options, name)]
    if options.only:
        flags += ["--only", options.only]
    for name in ("skip", "known"):
        for value in getattr(options, name):
            flags += [f"--{name}", value]
    if not options.list:
        release()
        oracle_environment()  # what is said of PyTorch is asked of PyTorch
    return run_command([PYTHON, ROOT / "tools" / "claims.py", *flags, *options.files], check=False)
