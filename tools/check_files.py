"""What no file of the repository is: a source of more than 1,200 lines, which is two subjects (texts, data and generated stubs are free); or something
other than text, which only tests/data holds, and that folder at most 20 MB. Pages of docs may show pictures of the screen, of at most 200 kB each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINES, DATA_BYTES, PICTURE_BYTES = 1200, 20 << 20, 200_000
DATA = "tests/data/"
SUFFIXES = {".cpp", ".h", ".c", ".py", ".pyi", ".sh", ".cmake", ".txt", ".js", ".css", ".html", ""}
MADE = ("_C.pyi", "_VF.pyi", "_nn.pyi", "_examples.txt")  # by tools/stubs.py and tools/examples.py
FREE = (DATA, "docs/", "LICENSE", "NOTICE", *(f"python/monograph/{name}" for name in MADE))


def files() -> dict[str, bytes]:
    """What git tracks or would, with its content."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    return {name: (ROOT / name).read_bytes() for name in sorted(set(filter(None, listed.split("\0")))) if (ROOT / name).is_file()}


def complaints(contents: dict[str, bytes]) -> list[str]:
    found = []
    for name, content in contents.items():
        lines = content.count(b"\n")
        if lines > LINES and Path(name).suffix in SUFFIXES and not name.startswith(FREE):
            found.append(f"{name}: {lines} lines, at most {LINES}")
        if name.startswith("docs/") and name.endswith(".png"):
            if len(content) > PICTURE_BYTES:
                found.append(f"{name}: {len(content):,} bytes, at most {PICTURE_BYTES:,}")
        elif not name.startswith(DATA) and b"\0" in content:
            found.append(f"{name}: no text; files of other kinds are in {DATA}")
    size = sum(len(content) for name, content in contents.items() if name.startswith(DATA))
    if size > DATA_BYTES:
        found.append(f"{DATA}: {size / 2**20:.1f} MB, at most {DATA_BYTES >> 20}")
    return found


def main() -> int:
    found = complaints(files())
    print("\n".join(found) or "files: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
