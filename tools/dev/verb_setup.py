"""Installs Debian's packages (as root or with sudo), makes .venv with pinned packages, builds, and puts the package and the
`monograph` program into .venv. What is there already is skipped; a second run needs no rights."""

from __future__ import annotations

import argparse

import environment
from builds import release

SUMMARY = "make this machine ready: Debian packages, .venv, the release build"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="also what lint, the sanitizers, docs and the comparison with PyTorch need")
    parser.add_argument("--programs", action="store_true", help="also the packages that ./dev programs runs")


def run(options: argparse.Namespace) -> None:
    release()
    if options.all:
        for group in ("sanitize", "lint", "docs"):
            environment.debian(group)
        environment.oracle_environment()
    if options.all or options.programs:
        environment.program_packages()
    print("ready: .venv/bin/python -c 'import monograph', ./dev test, ./dev demo")
