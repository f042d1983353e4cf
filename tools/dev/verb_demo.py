"""Runs `monograph tour`, then every examples/*/demo.py: real models, other people's programs, C++ programs. Does set-up and build first if needed.

  ./dev demo                all of it
  ./dev demo minilm         only examples/minilm/demo.py"""

from __future__ import annotations

import argparse

from builds import release
from common import PYTHON, ROOT, Failure, run as run_command

SUMMARY = "run the tour, and the demos in examples/: a real model from end to end"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these folders of examples/")


def run(options: argparse.Namespace) -> None:
    demos = sorted(ROOT.glob("examples/*/demo.py"))
    known = [demo.parent.name for demo in demos]
    for name in options.names:
        if name not in known:
            raise Failure(f"no demo '{name}'; there are: {', '.join(known) or 'none yet'}")
    release()
    if not options.names:
        run_command([PYTHON.with_name("monograph"), "tour"])
    for demo in demos:
        if not options.names or demo.parent.name in options.names:
            run_command([PYTHON, demo])
