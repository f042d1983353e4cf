"""The command: its options, the report, the exit status."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

from . import _names
from ._following import SourceFile, SourceFiles, follow
from ._names import MISSING, OUT, PERHAPS, RAISES, THERE, Verdict

USAGE = "python -m monograph doctor [--all] [--json] [--files N] script.py"
HELP = """Lists the names of torch that a Python program and its imports use, and marks those that are missing. Nothing of the program runs.

Local files are followed, and installed packages that import torch. A name that is used in a `try` that catches its error, or behind a question such as
hasattr(torch, "name") or torch.cuda.is_available(), is marked (guarded) and does not count.

Exit status: 0 if all names in the program's own files are there, 3 if one is missing, out of scope or raises when it is called, 1 if the file cannot be read,
2 for a wrong option. Names that only installed packages use do not count: packages use few of the names that they import."""
STATES = (MISSING, OUT, RAISES, PERHAPS, THERE)


class _Found:
    """A name of torch, and where it is used."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self.places: dict[str, bool] = {}  # file:line, and whether it is guarded

    @property
    def counts(self) -> bool:
        return self.verdict.state in (MISSING, OUT, RAISES) and not all(self.places.values())


def _shown(module: SourceFile) -> str:
    """The path of a file from here, or from the folder that its package is installed in."""
    if module.package is not None:
        return str(Path(*module.file.parts[module.file.parts.index(module.package) :])) if module.package in module.file.parts else module.file.name
    try:
        return str(module.file.relative_to(Path.cwd()))
    except ValueError:
        return str(module.file)


def _collect(modules: list[SourceFile]) -> dict[str, _Found]:
    found: dict[str, _Found] = {}
    for module in modules:
        for use in module.reading.uses:
            verdict = _names.method(use.name, use.plainly) if use.method else _names.verdict(use.name)
            if verdict is None or _names.is_module(verdict.name) and verdict.state == THERE:
                continue
            entry = found.setdefault(verdict.name + ("?" if verdict.state == PERHAPS else ""), _Found(verdict))
            place = f"{_shown(module)}:{module.place(use.line)}"
            entry.places[place] = entry.places.get(place, True) and use.guarded
    return dict(sorted(found.items()))


def _places(found: _Found, most: int) -> str:
    shown = [place + (" (guarded)" if guarded else "") for place, guarded in found.places.items()]
    more = f", and {len(shown) - most} more" if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def _section(title: str, entries: list[_Found], width: int, most_places: int) -> str:
    lines = [title]
    longest = min(44, max(len(e.verdict.name) for e in entries))
    for e in entries:
        text = _places(e, most_places) + (f" — {e.verdict.says}" if e.verdict.says else "")
        lines += textwrap.wrap(
            text, width, initial_indent=f"  {e.verdict.name.ljust(longest)}  ", subsequent_indent=" " * (longest + 4), break_long_words=False, break_on_hyphens=False
        )
    return "\n".join(lines)


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _summary(script: str, program: SourceFiles, own: dict[str, _Found]) -> str:
    local = sum(m.package is None for m in program.modules) - 1
    packages = Counter(m.package for m in program.modules if m.package)
    states = Counter(f.verdict.state for f in own.values())
    named = f" and {_counted(len(packages), 'package')} ({', '.join(sorted(packages))})" if packages else ""
    files = f"{script}, {_counted(local, 'local file')}{named}" if local or packages else script
    return f"{files}\n{_counted(len(own), 'name')} of torch in the program: " + ", ".join(f"{states[s]} {s}" for s in (THERE, MISSING, OUT, RAISES, PERHAPS) if states[s] or s == THERE)


def _print(script: str, program: SourceFiles, own: dict[str, _Found], theirs: dict[str, _Found], show_all: bool) -> None:
    width = max(60, shutil.get_terminal_size((120, 24)).columns)
    print(_summary(script, program, own))
    for state in STATES if show_all else STATES[:-1]:
        entries = [f for f in own.values() if f.verdict.state == state]
        if entries:
            print("\n" + _section({PERHAPS: "perhaps a method of a tensor, which would be missing"}.get(state, state), entries, width, 99))
    for state in STATES if show_all else STATES[:-2]:
        entries = [f for f in theirs.values() if f.verdict.state == state]
        if entries:
            print("\n" + _section(f"{state}, in packages only", entries, width, 3))
    if program.left_out:
        print(f"\nNot read because of the limit: {_counted(program.left_out, 'file')}; --files N reads more")
    if program.not_installed:
        print(f"\nimported and not installed: {', '.join(sorted(program.not_installed))}")
    for file, why in program.unread.items():
        print(f"\nnot read: {file}: {why}")


def _as_json(own: dict[str, _Found], theirs: dict[str, _Found], program: SourceFiles, fine: bool) -> dict[str, Any]:
    def rows(found: dict[str, _Found]) -> list[dict[str, Any]]:
        return [
            {"name": f.verdict.name, "state": f.verdict.state, "says": f.verdict.says, "places": list(f.places), "guarded": all(f.places.values())}
            for f in found.values()
        ]

    return {"program": rows(own), "packages": rows(theirs), "files": [str(m.file) for m in program.modules], "not_installed": sorted(program.not_installed), "not_read": program.unread, "left_out": program.left_out, "fine": fine}


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m monograph doctor", usage=USAGE, description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("script", help="a Python file, or a notebook (.ipynb)")
    parser.add_argument("--all", action="store_true", help="list the names that are there too")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    parser.add_argument("--files", type=int, default=1000, metavar="N", help="read at most N files (default 1000)")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    script = Path(options.script)
    try:
        program = follow(script, options.files)
    except (OSError, SyntaxError, ValueError) as error:
        what = f"line {error.lineno}: {error.msg}" if isinstance(error, SyntaxError) else getattr(error, "strerror", None) or str(error)
        print(f"monograph doctor: {options.script}: {what}", file=sys.stderr)
        return 1
    own = _collect([m for m in program.modules if m.package is None])
    theirs = {name: f for name, f in _collect([m for m in program.modules if m.package is not None]).items() if name not in own}
    fine = not any(f.counts for f in own.values())
    if options.json:
        print(json.dumps(_as_json(own, theirs, program, fine), indent=1))
    else:
        _print(options.script, program, own, theirs, options.all)
    return 0 if fine else 3
