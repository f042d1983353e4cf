"""Checks the sources as CI does, and ends with a line for each check:

  format      layout of C++ (clang-format)          includes    a layer includes only the layers below it
  tidy        mistakes in C++ (clang-tidy)          imports     no circle of imports in the Python package
  ruff        mistakes in Python                    kernels     kernels do not allocate, throw or check shapes
  mypy        types of python/monograph             names       operator names stand in records only; a type's name has one meaning
  texts       no code decides by an error's text    files       no file is too long, or no text

  ./dev lint                                        all checks, all files
  ./dev lint --only ruff --only mypy                two checks
  ./dev lint --only tidy src/ops/record.cpp         one check of one file

clang-tidy remembers the files that passed (in build/lint) until they, or a header of ours that they include, change."""

from __future__ import annotations

import argparse
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tidy
from builds import release
from common import PYTHON, ROOT, VENV, run as run_command
from environment import debian
from sources import copied_families, cpp_files, python_files

SUMMARY = "check the sources as CI does: layout, mistakes, types, layers, names"


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", help="only these files (default: all)")
    parser.add_argument("--only", choices=sorted(CHECKS), action="append", help="only this check (repeated: these)")


def run(options: argparse.Namespace) -> int:
    debian("lint")
    release(("monograph_api_headers",))  # the compile commands, and the headers that a build generates
    chosen = options.only or list(CHECKS)

    def check(names: list[str]) -> dict[str, bool]:
        return {name: CHECKS[name](options.files) for name in names}

    # clang-tidy has a process on each processor, and fewer at its end; each other check is one process. So they run beside it, one after another.
    with ThreadPoolExecutor(2) as pool:
        parts = pool.map(check, ([name for name in chosen if name == "tidy"], [name for name in chosen if name != "tidy"]))
        results = {name: passed for part in parts for name, passed in part.items()}
    for name in chosen:
        print(f"{name:<10}{'ok' if results[name] else 'FAILED'}")
    return 0 if all(results.values()) else 1


def clang_format(files: list[str]) -> bool:
    chosen = cpp_files(files)
    return not chosen or run_command(["clang-format-19", "--dry-run", "-Werror", "--ferror-limit=1", *chosen], check=False) == 0


def clang_tidy(files: list[str]) -> bool:
    names = [name for name in cpp_files(files) if name.endswith(".cpp")]  # headers by those that include them
    return tidy.check(names if files else [*names, *copied_families()])


def ruff(files: list[str]) -> bool:
    chosen = python_files(files)
    return not chosen or run_command([VENV / "bin" / "ruff", "check", "--quiet", "--output-format=concise", "--force-exclude", *chosen], check=False) == 0


def mypy(files: list[str]) -> bool:
    if files and not any(Path(name).match("python/monograph/**") for name in python_files(files)):
        return True
    return run_command([VENV / "bin" / "mypy", "--no-error-summary"], check=False) == 0


def includes(_: list[str]) -> bool:
    return run_command([PYTHON, ROOT / "tools" / "check_includes.py"], check=False) == 0


def imports(_: list[str]) -> bool:
    return run_command([PYTHON, ROOT / "tools" / "check_imports.py"], check=False) == 0


def kernels(_: list[str]) -> bool:
    return run_command([PYTHON, ROOT / "tools" / "check_kernels.py"], check=False) == 0


def names(_: list[str]) -> bool:
    failures = [run_command([PYTHON, ROOT / "tools" / f"check_{kind}_names.py"], check=False) for kind in ("operator", "type")]
    return not any(failures)


def texts(_: list[str]) -> bool:
    return run_command([PYTHON, ROOT / "tools" / "check_texts.py"], check=False) == 0


def files(_: list[str]) -> bool:
    return run_command([PYTHON, ROOT / "tools" / "check_files.py"], check=False) == 0


CHECKS = {"format": clang_format, "tidy": clang_tidy, "ruff": ruff, "mypy": mypy, "includes": includes, "imports": imports, "kernels": kernels, "names": names, "texts": texts, "files": files}
