"""Programs that a trace of others gets silently wrong (bench/capture/programs_by_pain): through jit.trace and jit.script, at three inputs of other sizes and values,
before and after saving. Each result is that of the eager run, or an error; none is another value. The test prints the counts."""

from __future__ import annotations

import copy
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import monograph as torch
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "capture"))
import programs  # noqa: E402

KINDS = ("1:", "2:", "5:", "10:")
NAMES = [name for name in programs.PROGRAMS if programs.KINDS[name].startswith(KINDS)]
COUNTS: Counter[str] = Counter()
ERRORS = (RuntimeError, TypeError, ValueError, NotImplementedError, AttributeError, IndexError, KeyError, OSError, AssertionError)


def same(a: Any, b: Any) -> bool:
    ours, theirs = torch._tree.leaves_of(a), torch._tree.leaves_of(b)
    if len(ours) != len(theirs):
        return False
    for x, y in zip(ours, theirs, strict=True):
        if isinstance(y, torch.Tensor):
            if not isinstance(x, torch.Tensor) or x.dtype != y.dtype or x.shape != y.shape:
                return False
            if not (torch.equal(x, y) or torch.allclose(x, y, rtol=1e-4, atol=1e-5, equal_nan=True)):
                return False
        elif isinstance(x, torch.Tensor) or (x != y and not (isinstance(y, float) and abs(x - y) <= 1e-5 * max(1.0, abs(y)))):
            return False
    return True


def result(function: Any, given: Any) -> Any:
    """What a call gives, or the error that it raises."""
    torch.manual_seed(5)
    try:
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*copy.deepcopy(given))
    except ERRORS as error:
        return error


def captured(way: str, function: Any, given: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return torch.jit.script(function) if way == "script" else torch.jit.trace(function, copy.deepcopy(given), check_trace=False)
        except ERRORS as error:
            return error


def reloaded(made: Any, path: str) -> Any:
    try:
        torch.jit.save(made, path)
        return torch.jit.load(path)
    except ERRORS as error:
        return error


@pytest.mark.parametrize("way", ["trace", "script"])
@pytest.mark.parametrize("name", NAMES)
def test_a_program_is_right_or_raises(name: str, way: str, tmp_path: Path) -> None:
    torch.manual_seed(0)
    function, inputs, *edits = programs.PROGRAMS[name](torch)
    if edits:
        pytest.skip("its inputs come with edits of the program, which pain 8 is about")
    for stage in ("before saving", "after saving"):
        # A module is traced by running it, which may write to it: the eager run begins where the capture does.
        own = copy.deepcopy(function)
        runs = captured(way, own, inputs[0])
        if isinstance(runs, Exception):
            COUNTS[f"{way}: refused"] += 1
            return
        eager = copy.deepcopy(own)
        if stage == "after saving":
            runs = reloaded(runs, str(tmp_path / "program.pt"))
        if isinstance(runs, Exception):
            COUNTS[f"{way}: not saved"] += 1
            continue
        for k, given in enumerate(inputs):
            expected, got = result(eager, given), result(runs, given)
            if isinstance(got, Exception):
                COUNTS[f"{way}, {stage}: " + ("both raise" if isinstance(expected, Exception) else "raises")] += 1
                continue
            assert not isinstance(expected, Exception), f"input {k}, {stage}: the program raises {expected!r}, and its capture gives a value"
            assert same(got, expected), f"input {k}, {stage}: {got} instead of {expected}"
            COUNTS[f"{way}, {stage}: equal"] += 1


def test_the_counts() -> None:
    print(f"{len(NAMES)} programs, {sum(COUNTS.values())} outcomes", *(f"{n} {what}" for what, n in sorted(COUNTS.items())), sep="\n  ")
    assert len(NAMES) >= 60
