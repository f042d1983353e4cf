"""Runs networks and programs of other people's packages (einops, safetensors, torchvision, timm, transformers) with Monograph in the place of PyTorch,
beside live PyTorch, and prints how initial weights, results, gradients, training and the captures compare. Exit 1 where something differs.

  ./dev programs                    all of it: some minutes
  ./dev programs --short            what the tests run
  ./dev programs bert resnet        only what has one of these words in its name
  ./dev programs --write            also writes docs/design/third_party_programs.md

The packages are installed without their dependencies into .programs, in the versions of tools/dev/requirements-programs.txt."""

from __future__ import annotations

import argparse

from builds import release
from common import ORACLE, PROGRAMS, PYTHON, ROOT, run as run_command
from environment import oracle_environment, program_packages

SUMMARY = "run networks of torchvision, timm and transformers, beside PyTorch"
SCRIPT = ROOT / "bench" / "capture" / "run_networks.py"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="only those whose names contain one of these words")
    parser.add_argument("--short", action="store_true", help="only those that the tests run")
    parser.add_argument("--eager-only", action="store_true", help="without the captures")
    parser.add_argument("--write", action="store_true", help="write docs/design/third_party_programs.md")


def run(options: argparse.Namespace) -> int:
    release()
    oracle_environment()
    program_packages()
    flags = [f"--{flag}" for flag in ("short", "eager-only", "write") if getattr(options, flag.replace("-", "_"))]
    return run_command(
        [PYTHON, SCRIPT, "--packages", PROGRAMS, "--pytorch", ORACLE / "bin" / "python", *flags, *options.names], check=False
    )
