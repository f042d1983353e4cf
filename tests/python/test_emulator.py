"""The verdict of ./dev test --emulate: what a guest prints decides, and a machine without the instructions never passes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))

from common import Failure  # noqa: E402
from emulator import Outcome, select_tests  # noqa: E402

GUEST = """\
== booted
flags\t\t: fpu sse2 avx2 avx512f avx512bw
[ RUN      ] Sum.IsTheTree
[       OK ] Sum.IsTheTree (349 ms)
[ RUN      ] All/Dtypes.Rows/float32
[       OK ] All/Dtypes.Rows/float32, where GetParam() = 4-byte object <07-00 00-00> (12 ms)
[  PASSED  ] 2 tests.
== codegen_test exit 0
== done"""


def verdict(text: str, total: int = 2) -> int:
    outcome = Outcome("a processor", total)
    for line in text.splitlines():
        outcome.take(line)
    return outcome.verdict("x86-64-v4", ["avx512f", "avx512bw"], Path("serial.txt"))


def test_what_passes_passes(capsys):
    assert verdict(GUEST) == 0
    assert "x86-64-v4, emulated: 2 passed, 0 failed, 0 skipped" in capsys.readouterr().out


def test_a_failed_test_fails_by_name(capsys):
    failing = GUEST.replace("[       OK ] All/Dtypes", "[  FAILED  ] All/Dtypes").replace("exit 0", "exit 1")
    assert verdict(failing) == 1
    printed = capsys.readouterr().out
    assert "FAILED: All/Dtypes.Rows/float32\n" in printed and "FAILED: codegen_test (exit 1)" in printed


def test_a_processor_without_the_instructions_fails():
    with pytest.raises(Failure, match="avx512bw"):
        verdict(GUEST.replace(" avx512bw", ""))


def test_a_machine_that_stops_early_fails():
    with pytest.raises(Failure, match="stopped after 2 of 3 tests"):
        verdict(GUEST, total=3)
    with pytest.raises(Failure, match="stopped"):
        verdict(GUEST.replace("== done", "Segmentation fault"))


def test_a_word_chooses_among_a_programs_tests(tmp_path):
    program = tmp_path / "some_test"
    program.write_text("#!/bin/sh\nprintf 'Silu.\\n  All\\nRows/Dtypes.\\n  Sum/0  # GetParam() = f32\\n'\n")
    program.chmod(0o755)
    assert select_tests(program, "*", "") == ["Silu.All", "Rows/Dtypes.Sum/0"]
    assert select_tests(program, "*", "silu") == ["Silu.All"]
    assert select_tests(program, "*", "some_test") == ["Silu.All", "Rows/Dtypes.Sum/0"]
