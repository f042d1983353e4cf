"""Captures while sys.settrace or sys.setprofile is on, as under a debugger or coverage: as without, or refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import monograph as torch
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from test_suspicious_programs import PROGRAMS, outcome

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")


def follows(frame: Any, event: str, arg: Any) -> Any:
    return follows if len(frame.f_locals) >= 0 else None


@pytest.mark.parametrize("how", ["trace", "symbolic", "compile"])
@pytest.mark.parametrize("name", list(PROGRAMS)[::4])
def test_a_program_under_a_tracer(name: str, how: str) -> None:
    plain, _ = outcome(name, how, 0)
    for begin in (sys.settrace, sys.setprofile):
        before = sys.gettrace() if begin is sys.settrace else sys.getprofile()
        begin(follows)
        try:
            found, why = outcome(name, how, 0)
        finally:
            begin(before)
        assert found == plain, why
