"""Layout (clang-format), mistakes (clang-tidy, ruff), types (mypy over python/monograph and its stubs), include directions and file
lengths. Runs all of them and ends with a line for each. clang-tidy remembers in build/lint the files that passed, until they or a
header of ours that they reach change."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from builds import RELEASE, configured
from common import BUILD, PYTHON, ROOT, VENV, environment, jobs, run as run_command
from environment import debian
from sources import cpp_files, python_files

SUMMARY = "clang-format, clang-tidy, ruff, mypy, include directions, file lengths"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="*", help="only these files (default: all)")
    parser.add_argument("--only", choices=sorted(CHECKS), action="append", help="only this check (repeated: these)")


def run(options: argparse.Namespace) -> int:
    debian("lint")
    configured()  # for the compile commands
    results = {name: CHECKS[name](options.files) for name in options.only or CHECKS}
    for name, passed in results.items():
        print(f"{name:<10}{'ok' if passed else 'FAILED'}")
    return 0 if all(results.values()) else 1


def clang_format(files: list[str]) -> bool:
    chosen = cpp_files(files)
    return not chosen or run_command(["clang-format-19", "--dry-run", "-Werror", "--ferror-limit=1", *chosen], check=False) == 0


def clang_tidy(files: list[str]) -> bool:
    database = RELEASE / "compile_commands.json"
    compiled = {entry["file"] for entry in json.loads(database.read_text())}
    chosen = [name for name in cpp_files(files) if str(ROOT / name) in compiled]
    BUILD.joinpath("lint").mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(jobs()) as pool:
        return all(list(pool.map(tidy_one, chosen)))


def tidy_one(name: str) -> bool:
    stamp = BUILD / "lint" / name.replace("/", "_")
    digest = reached(name)
    if stamp.exists() and stamp.read_text() == digest:
        return True
    done = subprocess.run(
        ["clang-tidy-19", "--quiet", "-p", RELEASE, "--extra-arg=-Wno-unknown-warning-option", name],
        cwd=ROOT, env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        print(done.stdout.strip() or done.stderr.strip(), flush=True)
        return False
    stamp.write_text(digest)
    return True


def reached(name: str) -> str:
    """A digest of a source file, the headers of ours that it reaches, and the checks."""
    files, todo = {ROOT / ".clang-tidy"}, [ROOT / name]
    while todo:
        file = todo.pop()
        if file in files:
            continue
        files.add(file)
        for include in INCLUDE.findall(file.read_text()):
            candidates = (base / include for base in (ROOT / "src", ROOT / "include", file.parent))
            todo += [path for path in candidates if path.is_file()][:1]
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def ruff(files: list[str]) -> bool:
    chosen = python_files(files)
    return not chosen or run_command([VENV / "bin" / "ruff", "check", "--quiet", "--output-format=concise", "--force-exclude", *chosen], check=False) == 0


def mypy(files: list[str]) -> bool:
    if files and not any(Path(name).match("python/monograph/**") for name in python_files(files)):
        return True
    return run_command([VENV / "bin" / "mypy", "--no-error-summary"], check=False) == 0


def includes(_: list[str]) -> bool:
    return run_command([PYTHON, ROOT / "tools" / "check_includes.py"], check=False) == 0


def lengths(_: list[str]) -> bool:
    return run_command([PYTHON, ROOT / "tools" / "check_lengths.py"], check=False) == 0


CHECKS = {"format": clang_format, "tidy": clang_tidy, "ruff": ruff, "mypy": mypy, "includes": includes, "lengths": lengths}
