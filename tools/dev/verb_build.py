"""Builds what changed, into build/release: the libraries, the command `monograph`, the C++ tests, and the Python extension (beside
python/monograph). Does the set-up first if it is missing.

  ./dev build                      everything
  ./dev build monograph -j 1       one target, with one compilation at a time"""

from __future__ import annotations

import argparse

from builds import release

SUMMARY = "build what changed, into build/release"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", nargs="*", help="only these targets, as `ninja -C build/release -t targets` names them")
    parser.add_argument("-j", "--jobs", type=int, default=0, help="parallel compilations (default: the processors at hand)")


def run(options: argparse.Namespace) -> None:
    release(tuple(options.targets), options.jobs)
