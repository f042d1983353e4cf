"""Programs that print, warn, log and make texts, beside eager: at three sizes and two signs, as they are captured and saved.

What is said is compared too: standard output, standard error, warnings with category, file and line, and records of loggers, in order. Equal, or refused by
name; never different.
"""

import contextlib
import io
import logging
import sys
import traceback
import warnings
from collections import Counter
from pathlib import Path

import effect_programs
import monograph as torch
import pytest

SHAPES = ((3, 2), (2, 2), (1, 2), (12, 2))
HOWS = ("trace", "symbolic", "compile", "trace saved", "symbolic saved")
# How many of the calls are equal at least, of each way: programs times inputs.
AT_LEAST = {"trace": 285, "symbolic": 272, "compile": 384, "trace saved": 283, "symbolic saved": 232}


class Records(logging.Handler):
    def __init__(self, said):
        super().__init__(1)
        self.said = said

    def emit(self, record):
        try:
            message = record.getMessage()
        except TypeError:
            message = "wrong"
        self.said.append(("log", record.name, record.levelno, message, Path(record.pathname).name, record.lineno, record.funcName))


class Stream(io.StringIO):
    """One of the two streams: what is written to it stands in order among all that is said."""

    def __init__(self, said, name):
        super().__init__()
        self.said, self.name_of = said, name

    def write(self, text):
        if self.said and self.said[-1][0] == self.name_of:
            self.said[-1] = (self.name_of, self.said[-1][1] + text)
        elif text:
            self.said.append((self.name_of, text))
        return len(text)


@contextlib.contextmanager
def listening(said):
    handler = Records(said)
    root, own = logging.getLogger(), effect_programs.LOG
    before, level = root.handlers[:], own.level
    root.handlers[:] = [handler]
    own.setLevel(logging.INFO)

    def shown(message, category, filename, lineno, file=None, line=None):
        if category is not torch.jit.TracerWarning:
            said.append(("warning", str(message), category.__name__, Path(filename).name, lineno))

    try:
        with contextlib.redirect_stdout(Stream(said, "out")), contextlib.redirect_stderr(Stream(said, "err")), warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = shown
            yield
    finally:
        root.handlers[:] = before
        own.setLevel(level)


def outcome(f, x):
    said = []
    with listening(said):
        try:
            result = f(x.clone())
        except Exception as error:  # what the program raises is a part of what it does
            result = error
    return result, said


def same(a, b):
    if isinstance(a, Exception) or isinstance(b, Exception):
        # What a loaded graph raises is torch.jit.Error, too.
        return (isinstance(a, type(b)) or isinstance(b, type(a))) and str(a).partition("\n")[0] == str(b).partition("\n")[0]
    return a.shape == b.shape and torch.allclose(a, b)


def inputs():
    for shape in SHAPES:
        numel = shape[0] * shape[1]
        x = (torch.arange(numel).float().reshape(shape) + 1) / 2
        yield x
        yield -x


def is_refused(error):
    text = str(error)
    return (
        "the graph was captured where" in text
        or type(error).__name__ in ("TraceError", "Unsupported")
        or ("effect_programs.py" in text and isinstance(error, (NotImplementedError, RuntimeError, TypeError)))
        or (isinstance(error, TypeError) and any("effect_programs.py" in frame.filename for frame in traceback.extract_tb(error.__traceback__)))
    )


def captured(program, how, example, folder):
    """The captured program, or why there is none."""
    f = program() if isinstance(program, type) else program
    with listening([]):
        try:
            if how == "compile":
                torch._dynamo.reset()
                return torch.compile(f)
            made = torch.jit.trace(f, example, check_trace=False) if how.startswith("trace") else torch.fx.symbolic_trace(f)
            if how.endswith("saved"):
                (made.inlined_graph if how.startswith("trace") else made.graph).save(folder / "f.mgraph")
                return torch.load_graph(folder / "f.mgraph")
            return made
        except Exception as error:
            return error


def warned_of(program, how, example):
    """Whether the capture says that an effect of the program is not recorded."""
    with listening([]), warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with contextlib.suppress(Exception):
            f = program() if isinstance(program, type) else program
            torch.jit.trace(f, example, check_trace=False) if how.startswith("trace") else torch.fx.symbolic_trace(f)
    return any(w.category is torch.jit.TracerWarning for w in found)


def compared(program, how, folder):
    """How each input went: (kind, input, what was expected, what came)."""
    rows = []
    all_inputs = list(inputs())
    eager = program() if isinstance(program, type) else program
    made = captured(program, how, all_inputs[0], folder)
    for x in all_inputs:
        want = outcome(eager, x)
        if isinstance(made, Exception):
            kind = "refused" if is_refused(made) or same(want[0], made) else "no refusal"
            rows.append((kind, x, want, made))
            continue
        got = outcome(made, x)
        if same(want[0], got[0]) and want[1] == got[1]:
            rows.append(("equal", x, want, got))
        elif isinstance(got[0], Exception) and not isinstance(want[0], Exception) and is_refused(got[0]):
            rows.append(("refused", x, want, got))
        elif isinstance(got[0], Exception) and is_refused(got[0]):
            rows.append(("refused", x, want, got))
        else:
            rows.append(("different", x, want, got))
    if any(kind == "different" for kind, *_ in rows) and how != "compile" and warned_of(program, how, all_inputs[0]):
        rows = [("warned" if kind == "different" and same(want[0], got[0]) else kind, x, want, got) for kind, x, want, got in rows]
    return rows


@pytest.mark.parametrize("how", HOWS)
def test_effects_are_those_of_the_program_or_refused(how, tmp_path):
    counts, wrong = Counter(), []
    for program in effect_programs.PROGRAMS:
        for kind, x, want, got in compared(program, how, tmp_path):
            counts[kind] += 1
            if kind in ("different", "no refusal"):
                wrong.append(f"{program.__name__} {tuple(x.shape)} {x[0, 0].item():g}: {kind}\n  expected {want}\n  got      {got}")
    print(how, dict(counts), file=sys.stderr)
    assert not wrong, f"{how}: {len(wrong)} of {sum(counts.values())}\n" + "\n".join(wrong)
    assert counts["equal"] >= AT_LEAST[how], counts


def test_a_loop_of_the_first_call_prints_once_and_in_order():
    def f(x):
        t = 0
        for i, r in enumerate(x):
            if r > 1:
                print("big", i, float(r))
                t = t + r
        return t

    compiled = torch.compile(f)
    for x in ([1.0, 2.0, 3.0], [3.0, 0.0, 2.0], [2.0]):
        want, got = [], []
        with listening(want):
            f(torch.tensor(x))
        with listening(got):
            compiled(torch.tensor(x))
        assert got == want
