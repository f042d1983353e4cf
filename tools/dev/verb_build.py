"""The release build in build/release: libraries, the Python extension (beside python/monograph), the `monograph` program and the C++
tests. Incremental; the set-up is done first where it is missing."""

from __future__ import annotations

import argparse

from builds import release

SUMMARY = "the release build (incremental)"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", nargs="*", help="only these targets, as `ninja -C build/release -t targets` names them")
    parser.add_argument("-j", "--jobs", type=int, default=0, help="parallel compilations (default: the processors at hand)")


def run(options: argparse.Namespace) -> None:
    release(tuple(options.targets), options.jobs)
