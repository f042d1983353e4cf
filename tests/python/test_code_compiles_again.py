"""The `.code` of functions compiles again with CompilationUnit, and what it gives computes the same. The programs are those of bench/capture."""

from __future__ import annotations

import contextlib
import copy
import io
import sys
import warnings
from pathlib import Path
from typing import Any

import monograph as torch
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "capture"))
from programs import PROGRAMS  # noqa: E402

CAPTURES = ("script", "trace")
# What is printed, but does not compile again, with the reason.
REFUSED: dict[tuple[str, str], str] = {}


def captured(how: str, f: Any, example: tuple[Any, ...]) -> Any:
    """The capture, or None where there is none, or it is that of a module, whose code reads self."""
    if isinstance(f, torch.nn.Module):
        return None
    try:
        return torch.jit.script(f) if how == "script" else torch.jit.trace(f, copy.deepcopy(example), strict=False, check_trace=False)
    except (RuntimeError, NotImplementedError, TypeError, ValueError, OSError):
        return None


def printed(capture: Any) -> Any:
    """The text and its tensors, or None where no text can say the graph."""
    try:
        return capture.code_with_constants
    except NotImplementedError:
        return None


def outcome(f: Any, arguments: tuple[Any, ...]) -> Any:
    """What a call gives and leaves in its arguments, or "an error"."""
    given = copy.deepcopy(arguments)
    torch.manual_seed(0)
    try:
        return f(*given), given
    except Exception:
        return "an error"


def same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and a.dtype == b.dtype and a.shape == b.shape and torch.allclose(a, b, rtol=0, atol=0, equal_nan=True)
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(v, b[k]) for k, v in a.items())
    if isinstance(a, (list, tuple)):
        return isinstance(b, type(a)) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and (a == b or a != a)


def again(how: str, about: str) -> str:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        f, inputs = PROGRAMS[about](torch)[:2]
        capture = captured(how, f, inputs[0])
        told = None if capture is None else printed(capture)
        if told is None:
            return "no text"
        text, CONSTANTS = told
        del told
        unit = torch.jit.CompilationUnit()
        try:
            unit.define(text, rcb={"CONSTANTS": CONSTANTS}.get)
        except RuntimeError as error:
            return f"{error}\n{text}"
        compiled = getattr(unit, text.partition("def ")[2].partition("(")[0])
        for arguments in inputs:
            found = outcome(compiled, arguments)
            # A trace captures the function once more where its graph refuses an input; the text is that of the first graph.
            if not same(outcome(capture, arguments), found) and not same(outcome(capture.graph, arguments), found):
                return f"another result\n{outcome(capture, arguments)}\n{found}\n{text}"
    return "ok"


OUTCOMES: dict[tuple[str, str], str] = {}


@pytest.mark.parametrize("about", PROGRAMS)
@pytest.mark.parametrize("how", CAPTURES)
def test_code_compiles_again(how: str, about: str) -> None:
    found = OUTCOMES[how, about] = again(how, about)
    assert (found in ("ok", "no text")) == ((how, about) not in REFUSED), found


def test_the_counts() -> None:
    for how in CAPTURES:
        for about in PROGRAMS:
            if (how, about) not in OUTCOMES:
                OUTCOMES[how, about] = again(how, about)
    ok = sum(found == "ok" for found in OUTCOMES.values())
    print(ok, "compile again of", sum(found != "no text" for found in OUTCOMES.values()))
