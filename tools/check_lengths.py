"""No source file is longer than 1,200 lines: a longer one is two subjects. Texts, data and generated stubs are free."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 1200
SUFFIXES = {".cpp", ".h", ".c", ".py", ".pyi", ".sh", ".cmake", ".txt", ""}
FREE = ("tests/data/", "docs/", "LICENSE", "NOTICE", *(f"python/monograph/{name}.pyi" for name in ("_C", "_VF", "_nn")))  # the last: tools/stubs.py


def main() -> int:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    long = 0
    for name in sorted(set(filter(None, listed.split("\0")))):
        file = ROOT / name
        if file.suffix not in SUFFIXES or name.startswith(FREE) or not file.is_file():
            continue
        lines = file.read_bytes().count(b"\n")
        if lines > LIMIT:
            long += 1
            print(f"{name}: {lines} lines, at most {LIMIT}")
    print("file lengths: ok" if not long else f"{long} files are too long")
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main())
