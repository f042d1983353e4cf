"""The `.code` of functions compiles again with CompilationUnit, and what it gives computes the same. The programs are those of bench/capture."""

from __future__ import annotations

import contextlib
import copy
import io
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import monograph as torch
import pytest
from monograph._tree import plain

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
            # A trace captures the function once more where its graph refuses an input; the text is that of the first graph, with tuples for NamedTuples.
            if not same(outcome(capture, arguments), found) and not same(outcome(lambda *given: plain(capture.graph(*given)), arguments), found):
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
    assert ok >= 320 and not REFUSED


def scale(x: torch.Tensor) -> torch.Tensor:
    return x * 5


def test_a_text_reads_the_callers_names() -> None:
    offset = torch.tensor([1.0, 2.0])
    assert offset.shape == (2,)
    unit = torch.jit.CompilationUnit("def f(x): return scale(x) + offset + __torch__.torch.nn.functional.relu(x, False)")
    assert unit.f(torch.ones(2)).tolist() == [7.0, 8.0]
    unit.define("def g(x): return known(x)", rcb={"known": scale}.get)
    assert unit.g(torch.ones(1)).item() == 5.0
    for text, word in [
        ("def f(x): return nowhere(x)", "'nowhere' is not defined"),
        ("def f(x): return __torch__.nowhere.f(x)", "'__torch__.nowhere' is not defined"),
        ("def f(x): return x + CONSTANTS.c0", "code_with_constants"),
        ("def f(x): return ops.prim.nowhere(x)", "prim::nowhere"),
    ]:
        with pytest.raises(RuntimeError, match=word):
            torch.jit.CompilationUnit(text)


def test_the_names_of_a_text_go_first() -> None:
    unit = torch.jit.CompilationUnit("def inf(x: int): return x + 1\ndef f(x: int):\n  nan = 2\n  return inf(x) + nan")
    assert unit.f(3) == 6


def test_the_words_of_printed_code() -> None:
    unit = torch.jit.CompilationUnit(
        """
def f(x: Tensor, n: int, given: Optional[int]=None) -> Tuple[Tensor, int, float, bool]:
  if torch.__isnot__(given, None):
    m = torch.add(unchecked_cast(int, given), n)
  else:
    m = ops.prim.max(n, 3)
  if torch.lt(m, 0):
    ops.prim.RaiseException("too small", "builtins.ValueError")
  else:
    pass
  y = torch.to(torch.zeros([2], dtype=4), 7)
  return (torch.add(x, y), m, inf, torch.__not__(torch.eq(m, n)))
"""
    )
    x, m, large, other = unit.f(torch.ones(2), 1)
    assert x.dtype == torch.float64 and (m, large, other) == (3, float("inf"), True)
    assert unit.f(torch.ones(2), 1, 4)[1] == 5
    with pytest.raises(ValueError, match="too small"):
        unit.f(torch.ones(2), 1, -4)


def test_constants_of_a_module() -> None:
    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = torch.nn.Linear(2, 2, bias=False)
            self.after: torch.nn.Linear | None = None
            self.register_buffer("seen", torch.zeros(2))

        def note(self, x: torch.Tensor) -> torch.Tensor:
            return self.seen.add_(x)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.note(x)
            if self.after is not None:
                x = self.after(x)
            return self.fc(x)

    scripted = torch.jit.script(Net())
    text, constants = scripted.code_with_constants
    assert text == scripted.code == scripted.forward.code and constants.const_mapping == {}
    assert "(self).note(x, )" in text and "after" not in text  # a call has effects, and a question about None has none
    assert "bias = self.bias" in scripted.fc.code
    traced = torch.jit.trace(lambda x: x + torch.tensor([1.0, 2.0]), torch.ones(2))
    text, constants = traced.code_with_constants
    assert "CONSTANTS.c0" in text and constants.c0.tolist() == [1.0, 2.0]
    with pytest.raises(AttributeError, match="no constant c1; it has c0"):
        _ = constants.c1


def test_pooling_has_pytorchs_name() -> None:
    @torch.jit.script
    def f(x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.max_pool2d(x, [2, 2], [2, 2])

    assert "__torch__.torch.nn.functional._max_pool2d\n" in f.code
    x = torch.arange(16.0).reshape(1, 1, 4, 4)
    assert torch.equal(torch.jit.CompilationUnit(f.code).f(x), f(x))


def test_layers_have_the_same_code_where_monograph_stands_in(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import torch\nprint(torch.jit.script(torch.nn.Sequential(torch.nn.LayerNorm(4), torch.nn.ReLU()))[0].code)")
    made = subprocess.run([sys.executable, "-m", "monograph", str(program)], capture_output=True, text=True, check=True, timeout=120)
    assert made.stdout.strip() == torch.jit.script(torch.nn.LayerNorm(4)).code.strip()
