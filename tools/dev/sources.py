"""The repository's own source files, as git knows them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from common import ROOT, output


def tracked(*patterns: str) -> list[str]:
    """Files under version control, and new ones that are not ignored, by git's patterns; relative to the root."""
    listed = output(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns])
    return sorted(name for name in set(listed.split("\0")) if name and (ROOT / name).is_file())


def _chosen(files: Sequence[str], *patterns: str) -> list[str]:
    suffixes = tuple(pattern.lstrip("*") for pattern in patterns)
    return [name for name in files if Path(name).name.endswith(suffixes)] if files else tracked(*patterns)


def copied_families() -> list[str]:
    """The copies of the operator families that the release build compiles, where it has some (cmake/Copies.cmake)."""
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("build/release/generated/copies/[0-9]*/**/*.cpp"))


def cpp_files(files: Sequence[str] = ()) -> list[str]:
    return _chosen(files, "*.cpp", "*.h")


def python_files(files: Sequence[str] = ()) -> list[str]:
    return [name for name in _chosen(files, "*.py", "*.pyi") if not name.startswith("tests/data/")]
