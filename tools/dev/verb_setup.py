"""Installs Debian's packages (as root or with sudo), makes .venv with pinned packages, builds, and puts the package and the
command `monograph` into .venv. It skips what is there already, so a second run needs no rights.

  ./dev setup                what a build, the tests and the demo need
  ./dev setup --all          also PyTorch in .venv-oracle, sanitizers and linters"""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor

import environment
from builds import release

SUMMARY = "prepare this machine: Debian packages, .venv, the release build"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="also the packages for lint, the sanitizers, docs, CPython's own tests, and the comparison with PyTorch")
    parser.add_argument("--programs", action="store_true", help="also the Python packages that ./dev programs runs")


def run(options: argparse.Namespace) -> None:
    environment.debian("build", *(("sanitize", "lint", "docs", "tests") if options.all else ()))
    environment.python_environment()
    # Packages are downloaded and unpacked beside the build, which waits for the compiler alone.
    with ThreadPoolExecutor(1) as pool:
        packages = pool.submit(python_packages, options)
        release()
    packages.result()
    print("ready: .venv/bin/python -c 'import monograph', ./dev test, ./dev demo")


def python_packages(options: argparse.Namespace) -> None:
    if options.all:
        environment.oracle_environment()
    if options.all or options.programs:
        environment.program_packages()
