"""Programs that no capture can take: each ends in an error that names a place of the program, or in what Python gives, and leaves the process as it was.

The programs are in `machine_bad_programs.py`. Each group runs in a process of its own, which may take 5 GB of memory; one that hangs or crashes is a failure."""

from __future__ import annotations

import functools
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import machine_bad_programs as programs
import monograph as torch
import pytest

HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")

# Programs that have no meaning outside of a capture: CPython crashes on the first ones, and the last ones do not end.
WITHOUT_EAGER = ("bytecode", "endless")
LIMIT = 600  # seconds; a group takes a few. It ends what hangs


@functools.cache
def outcomes(way: str, group: str) -> dict[str, dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", str(HERE / "machine_bad_programs.py"), way, group],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=LIMIT,
    )  # fmt: skip
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    names = [f["name"] for f in found]
    assert done.returncode == 0, f"behind {names[-1:]}: exit {done.returncode}\n{done.stderr[-3000:]}"
    assert names == [*programs.GROUPS[group], ""]
    return {f["name"]: f for f in found}


GROUPS = [g for g in programs.GROUPS if g != "endless"]


@pytest.mark.parametrize("way", ["trace", "symbolic", "compile", "fullgraph"])
@pytest.mark.parametrize("group", GROUPS)
def test_a_program_ends_as_in_python_or_in_an_error_with_its_place(group: str, way: str) -> None:
    eager = outcomes("eager", group) if group not in WITHOUT_EAGER else {}
    wrong, refused, equal = [], 0, 0
    for name, got in outcomes(way, group).items():
        if not name:
            continue
        expected = eager.get(name)
        if got["changed"] or not got["usable"]:
            wrong.append(f"{name} leaves behind: {got}")
        if "result" in got:
            equal += 1
            if expected and got["result"] != expected.get("result"):
                wrong.append(f"{name}: {got}, but Python gives {expected}")
            continue
        refused += 1
        if not got["places"]:
            wrong.append(f"{name} names no place: {got}")
        if expected and "error" in expected and expected["error"][0] not in got["error"] and way not in ("symbolic", "fullgraph"):
            wrong.append(f"{name}: {got}, but Python gives {expected}")
        if way == "compile" and expected and "result" in expected:
            wrong.append(f"{name}: {got}, but Python gives {expected}")
    print(f"{group}, {way}: {equal} run, {refused} raise")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("way", ["trace", "symbolic", "compile", "fullgraph"])
def test_bytecode_that_no_compiler_made_is_an_error_with_its_place(way: str) -> None:
    for name, got in outcomes(way, "bytecode").items():
        if name and ", in a branch" not in name and name != "little stack":
            if way == "fullgraph" and ", behind a break" in name:  # which is refused before
                assert got["error"][0] == "Unsupported", got
                continue
            assert "SystemError" in got.get("error", ()), got
            if name in programs.LIES:
                assert "machine_bad_programs.py:" in got["text"] and "offset" in got["text"], got


def interrupted(way: str, name: str, after: float) -> dict[str, object]:
    """What a program without end leaves behind where a signal comes after so many seconds; "late": how long it took from then on."""
    child = subprocess.Popen(
        [sys.executable, "-X", "faulthandler", str(HERE / "machine_bad_programs.py"), "interrupt", way, name],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
    )  # fmt: skip
    sent = None
    try:
        assert child.stdout.readline() == b"ready\n", child.stderr.read()  # and no more: a program that is refused at once has its outcome behind it
        try:
            out, errors = child.communicate(timeout=after)
        except subprocess.TimeoutExpired:  # it runs, as it should
            sent = time.monotonic()
            child.send_signal(signal.SIGINT)
            out, errors = child.communicate(timeout=60)
    finally:
        child.kill()
    assert child.returncode == 0, errors
    return {**json.loads(out.splitlines()[-1]), "late": time.monotonic() - sent if sent else 0.0}


@pytest.mark.parametrize("way", ["trace", "symbolic", "compile"])
@pytest.mark.parametrize("name", list(programs.GROUPS["endless"]))
def test_a_signal_ends_a_program_without_end(name: str, way: str) -> None:
    got = interrupted(way, name, 1)
    assert not got["changed"] and got["usable"], got
    # A symbolic trace does not run the program's loops on values: it may refuse before the signal comes.
    assert "KeyboardInterrupt" in got["error"] or (way == "symbolic" and got["places"]), got


# Most of the time goes to what the capture notes of branches: Python code that only helps, and texts of what was read. A signal may come there.
@pytest.mark.parametrize("after", [2.5, 3, 3.5, 4])
@pytest.mark.parametrize("way", ["trace", "compile"])
def test_a_signal_is_not_lost_where_a_capture_helps_itself(way: str, after: float) -> None:
    got = interrupted(way, "loop_of_branches", after)
    assert "KeyboardInterrupt" in got["error"], got
    assert got["late"] < 5, got  # 0.1 to 0.4 s on a machine that does nothing else


@pytest.mark.slow
def test_the_number_of_recorded_operators_has_a_limit() -> None:
    def forever(x: torch.Tensor) -> torch.Tensor:
        for _ in range(1_000_100):
            x = x * 1
        return x

    code = f"""
import monograph as torch
{"".join(line[4:] + chr(10) for line in __import__("inspect").getsource(forever).splitlines())}
try:
    torch.jit.trace(forever, (torch.ones(1),), check_trace=False)
except ValueError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LIMIT)
    assert "has recorded 1,000,000 operators" in done.stdout and "<string>:5" in done.stdout, done.stderr[-1000:]
