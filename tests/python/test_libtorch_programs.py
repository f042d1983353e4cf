"""Programs written for libtorch (tests/libtorch), built with this library after a change of their #include lines, print what they print with libtorch."""

from __future__ import annotations

from pathlib import Path

import pytest
from libtorch_programs import FOLDER, NAMES, ROOT, printed

BUILT = ROOT / "build" / "release" / "tests" / "libtorch"


@pytest.mark.parametrize("name", NAMES)
def test_prints_what_libtorch_prints(name: str, tmp_path: Path) -> None:
    program = BUILT / f"libtorch_{name}"
    if not program.exists():
        pytest.skip(f"the release build's {program.name} is not built")
    assert printed(program, tmp_path) == (FOLDER / f"{name}.txt").read_text()


def test_there_are_at_least_eight_programs() -> None:
    assert len(NAMES) >= 8
