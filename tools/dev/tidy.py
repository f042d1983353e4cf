"""clang-tidy over the sources: cheap to repeat, and cheap the first time.

Nine tenths of its time on one file go into the headers that the file shares with its neighbours. So files with the same compiler options are
checked in bunches: one translation unit that includes them all. A clean bunch clears all of its files. What a bunch complains of is asked
again of the accused file alone, so that no report depends on the company. Two files that cannot share a unit, for unnamed namespaces with a
helper of the same name, are accused by the compiler in the same way: every file compiles alone, so an error in one spoils no other. A file
that passed is not checked again until its text, a header of ours that it reaches, its options, .clang-tidy or the tool changes
(build/lint/tidy.json)."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from builds import RELEASE
from common import BUILD, ROOT, Failure, environment, jobs, output, progress

TOOL = "clang-tidy-19"
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
DIAGNOSTIC = re.compile(r"^(/[^:\n]+):\d+:\d+: (?:error|warning): .* \[([\w.,-]+)\]$", re.MULTILINE)
# gcc's warnings are not ours to answer; of clashes all are wanted, for they say what to part.
QUIET = ["-Wno-unknown-warning-option", "-ferror-limit=0"]
# Lines in a bunch: more save little more, and leave the last processor alone at the end.
BUNCH = 4000
# Fewer files than this are checked one by one where they do not compile together.
WORTHWHILE = 3

Options = tuple[str, ...]


@dataclass
class Verdict:
    """What one run settled: files without findings, the findings of a single file, and the bunches to ask again."""

    passed: list[str]
    again: list[list[str]]
    findings: str = ""


def check(names: list[str]) -> bool:
    """Checks those of the files (relative to the root) that have not passed as they are; prints what it finds."""
    options = compiler_options(names)
    tool = output([TOOL, "--version"])
    digests = {name: digest(name, tool, options[name]) for name in names}
    stamp = BUILD / "lint" / "tidy.json"
    stamp.parent.mkdir(parents=True, exist_ok=True)
    passed: dict[str, str] = json.loads(stamp.read_text()) if stamp.exists() else {}
    todo = [name for name in names if passed.get(name) != digests[name]]
    failed = settled = 0
    with progress("clang-tidy", lambda: f"{settled} of {len(todo)} files") as show, workers() as pool:
        running = {pool.submit(examine, bunch, options[bunch[0]]) for bunch in bunches(todo, options)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for verdict in (future.result() for future in done):
                running |= {pool.submit(examine, bunch, options[bunch[0]]) for bunch in verdict.again}
                if verdict.findings:
                    failed += 1
                    show(verdict.findings)
                settled += len(verdict.passed) + bool(verdict.findings)
                passed |= {name: digests[name] for name in verdict.passed}
                part = stamp.with_suffix(".part")
                part.write_text(json.dumps(passed, indent=0, sort_keys=True))
                part.replace(stamp)
    return not failed


@contextmanager
def workers() -> Iterator[ThreadPoolExecutor]:
    """A pool that drops what it has not begun when its block is left early."""
    pool = ThreadPoolExecutor(jobs())
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def compiler_options(names: list[str]) -> dict[str, Options]:
    """The options that each file is compiled with; one that the release build does not compile gets those that most files have."""
    found: dict[str, Options] = {}
    count: dict[Options, int] = defaultdict(int)
    for entry in json.loads((RELEASE / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        options = without_precompiled(words[1 : words.index("-o")])  # CMake's order: compiler, options, -o OBJECT -c SOURCE
        found[entry["file"]] = options
        count[options] += 1
    usual = max(count, key=lambda options: count[options])
    return {name: found.get(str(ROOT / name), usual) for name in names}


def without_precompiled(words: list[str]) -> Options:
    """The options but for gcc's precompiled headers, which clang cannot read: a source includes what it uses."""
    kept: list[str] = []
    skip = False
    for k, word in enumerate(words):
        is_include = word == "-include" and k + 1 < len(words) and words[k + 1].endswith("cmake_pch.hxx")
        if not skip and not is_include and word not in ("-Winvalid-pch", "-fpch-preprocess"):
            kept.append(word)
        skip = is_include
    return tuple(kept)


@cache
def included(file: Path) -> tuple[Path, ...]:
    """The headers of ours that a file includes by itself."""
    found = []
    for include in INCLUDE.findall(file.read_text()):
        candidates = (base / include for base in (file.parent, ROOT / "src", ROOT / "include"))
        found += [path.resolve() for path in candidates if path.is_file()][:1]
    return tuple(found)


@cache
def reached(name: str) -> frozenset[Path]:
    """A file and all headers of ours that it reaches."""
    files: set[Path] = set()
    todo = [ROOT / name]
    while todo:
        file = todo.pop()
        if file not in files:
            files.add(file)
            todo += included(file)
    return frozenset(files)


@cache
def digest_of(file: Path) -> bytes:
    return hashlib.sha256(file.read_bytes()).digest()


def digest(name: str, tool: str, options: Options) -> str:
    """All that a file's verdict depends on, the system's headers apart."""
    total = hashlib.sha256("\0".join([tool, *options]).encode())
    for file in sorted([ROOT / ".clang-tidy", *reached(name)]):
        total.update(digest_of(file))
    return total.hexdigest()


def bunches(names: list[str], options: dict[str, Options]) -> list[list[str]]:
    """The files of each folder in bunches of equal options, the longest bunch first."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name in names:
        groups[(*name.split("/")[:2], *options[name])].append(name)
    found: list[tuple[int, list[str]]] = []
    for group in groups.values():
        lines, bunch = 0, []
        for name in group:
            length = (ROOT / name).read_bytes().count(b"\n")
            if bunch and lines + length > BUNCH:
                found.append((lines, bunch))
                lines, bunch = 0, []
            lines += length
            bunch.append(name)
        found.append((lines, bunch))
    return [bunch for _, bunch in sorted(found, reverse=True)]


def examine(bunch: list[str], options: Options) -> Verdict:
    """Checks a bunch."""
    found, text = run(bunch, options)
    if not text:
        return Verdict(bunch, [])
    if len(bunch) == 1:
        return Verdict([], [], text)
    named = accused({file for file, _ in found}, bunch)
    if not named:  # errors in the system's headers alone, or the tool itself broke down: any of the files may be the cause
        half = len(bunch) // 2
        return Verdict([], [bunch[:half], bunch[half:]])
    others = [name for name in bunch if name not in named]
    clash = any("clang-diagnostic-error" in check for _, check in found)
    # Those that clash with others may still do without them.
    together = clash and len(named) >= WORTHWHILE and len(others) >= WORTHWHILE
    return Verdict(others, [named] if together else [[name] for name in named])


def run(bunch: list[str], options: Options) -> tuple[list[tuple[Path, str]], str]:
    """One run of the tool: the files and checks of its findings, and its text, which is empty where there are none."""
    source = ROOT / bunch[0]
    if len(bunch) > 1:
        text = "".join(f'#include "{ROOT / name}"\n' for name in bunch)
        source = BUILD / "lint" / f"bunch_{hashlib.sha256(text.encode()).hexdigest()[:12]}.cpp"
        source.write_text(text)
    done = subprocess.run(
        [TOOL, "--quiet", str(source), "--", *options, *QUIET],
        cwd=ROOT, env=environment(), capture_output=True, text=True,
    )  # fmt: skip
    if len(bunch) > 1:
        source.unlink()
    if done.returncode < 0:  # a signal
        return [], done.stderr.strip() or f"{TOOL}: signal {-done.returncode}"
    if done.returncode and not done.stdout.strip():
        raise Failure(f"{TOOL} failed (exit {done.returncode}):\n{done.stderr.strip()}")
    found = [(Path(file), check) for file, check in DIAGNOSTIC.findall(done.stdout)]
    return found, done.stdout.strip() if done.returncode else ""


def accused(files: set[Path], bunch: list[str]) -> list[str]:
    """Those of a bunch that have to answer for findings in these files: for a header's, the first that reaches it."""
    named = {name for name in bunch if ROOT / name in files}
    for header in files - {ROOT / name for name in named}:
        named |= set([name for name in bunch if header in reached(name)][:1])
    return sorted(named)
