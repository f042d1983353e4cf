"""Counts the lines of an operator in the C++ sources, for docs/adding_an_operator.md:

    python tools/operator_lines.py conv_transpose2d convolve_transposed transposed_of ...

The first name is the operator: its statement `r.op("NAME...` counts, and the rule, the kernel and the gradient that the statement names. The other
names are those of functions and types that only this operator needs. What counts of a name is its definition, with the comment above
it, and its declarations. Calls elsewhere do not count. With --print NAME, prints the definition of this function instead, without its comment."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = {p.relative_to(ROOT).as_posix(): p.read_text().splitlines() for f in ("src", "include") for p in sorted((ROOT / f).rglob("*")) if p.suffix in {".cpp", ".h"}}


def until(lines: list[str], start: int, end: str) -> int:
    """The line behind the first one from `start` on that ends with `end`."""
    return next(k for k in range(start, len(lines)) if re.search(end, lines[k])) + 1


def statement(operator: str) -> tuple[str, int, int]:
    for path, lines in SOURCES.items():
        for k, line in enumerate(lines):
            if re.search(rf'r\.op\("{operator}[.(]', line):
                return path, k, until(lines, k, r";$")
    sys.exit(f"no record of {operator}")


def places(name: str) -> list[tuple[str, int, int, int]]:
    """Of the definition and the declarations: file, first line of the comment above, first line, line behind the last."""
    found = []
    for path, lines in SOURCES.items():
        for k, line in enumerate(lines):
            if not re.match(rf"[A-Za-z][\w:<>,&* ]*\b{name}\b( \{{|[({{])|MONOGRAPH_KERNEL\({name.removesuffix('_kernel')}\)", line):
                continue
            top = k
            while lines[top - 1].startswith(("//", "/*", "template")):
                top -= 1
            found.append((path, top, k, k + 1 if line.endswith((";", "}")) else until(lines, k, r"^\}|;$" if line.endswith(",") else r"^\}")))
    return found


def main(operator: str, helpers: list[str]) -> None:
    path, begin, end = statement(operator)
    record = SOURCES[path][begin:end]
    samples = next((k for k, line in enumerate(record) if ".samples(" in line), len(record))
    named = {clause: m[1] for clause in ("rule", "kernel", "gradient") if (m := re.search(rf"\.{clause}\((\w+)\)", "\n".join(record)))}
    files = {path}
    lines = Counter(record=samples, samples=len(record) - samples)
    for name in [*named.values(), *helpers]:
        if not (at := places(name)):
            sys.exit(f"{name} is defined nowhere in src and include")
        part = next((clause for clause, function in named.items() if function == name), "kernel")
        for file, top, _, behind in at:
            files.add(file)
            lines[part] += behind - top
    for part in ("rule", "gradient", "kernel", "record", "samples"):
        print(f"{part}: {lines[part]} lines")
    print(f"all: {lines.total()} lines\nfiles: {len(files)}")
    for file in sorted(files):
        print(f"  {file}")


if __name__ == "__main__":
    if sys.argv[1] == "--print":
        file, _, first, behind = max(places(sys.argv[2]), key=lambda at: at[3] - at[2])  # the definition is longer than a declaration
        print("\n".join(SOURCES[file][first:behind]))
    else:
        main(sys.argv[1], sys.argv[2:])
