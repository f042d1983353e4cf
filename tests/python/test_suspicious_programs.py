"""The programs of suspicious_programs.py through each capture, at inputs that take other branches: equal to the program itself (results, what it writes to its
arguments, errors), or refused. `python tests/python/test_suspicious_programs.py` prints what each does."""

from __future__ import annotations

import collections
import re
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import monograph as torch
import pytest

sys.path.insert(0, str(Path(__file__).parent))
import suspicious_programs_again  # noqa: F401 (it adds to PROGRAMS)
from suspicious_programs import PROGRAMS

pytestmark = pytest.mark.skipif(not torch._C._machine_supported(), reason="the machine runs the code of Python 3.11")

CAPTURES = ["trace", "saved", "saved .mgraph", "symbolic", "symbolic, saved", "compile"]


# A symbolic trace runs the program once, and leaves the numbers that it counts, as torch.fx does.
COUNT = ("a_counter_in_a_closure", "a_class_attribute_counts")


# A loaded graph has no weights that require grad, and this program returns whether its result does.
NOT_COMPARED = [("without_gradients_in_a_branch", "saved .mgraph")]


def without(value: Any, how: str) -> Any:
    """What seen() gives, without what this capture is known not to keep: a loaded graph has no weights that require grad, and a GraphModule gives a dict for an
    OrderedDict and a list or tuple for a torch.Size."""
    if not isinstance(value, (list, tuple)):
        return {"OrderedDict": "dict", "Size": "tuple", "list": "tuple"}.get(value, value) if how.startswith("symbolic") else value
    if value and value[0] == "Tensor" and how == "saved .mgraph":
        value = [*value[:4], False]
    return [without(part, how) for part in value]


def seen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return ["Tensor", str(value.dtype), list(value.shape), [round(v, 4) if isinstance(v, float) else v for v in value.detach().reshape(-1).tolist()], value.requires_grad]
    if isinstance(value, dict):
        return [type(value).__name__, [[k, seen(v)] for k, v in value.items()]]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, [seen(v) for v in value]]
    return [type(value).__name__, round(value, 4) if isinstance(value, float) else value]


def call(f: Any, args: tuple[Any, ...]) -> Any:
    given = tuple(x.clone() for x in args)
    if len(args) == 2 and args[0] is args[1]:
        given = (given[0], given[0])
    try:
        return seen(f(*given)), seen(given)
    except Exception as error:
        return type(error).__name__, re.sub(r"\s+", " ", str(error))[:300]


def captured(how: str, f: Any, example: tuple[Any, ...]) -> Any:
    given = tuple(x.clone() for x in example)
    if how == "compile":
        return torch.compile(f, backend="eager")
    if how.startswith("symbolic"):
        made = torch.fx.symbolic_trace(f)
    else:
        made = torch.jit.trace(f, given, strict=False, check_trace=False)
    if "saved" in how:
        with tempfile.TemporaryDirectory() as folder:
            path = folder + ("/f.mgraph" if how.endswith("mgraph") else "/f.pt")
            torch.jit.save(made, path)
            return torch.jit.load(path) if path.endswith("pt") else torch.load_graph(path)
    return made


def outcome(name: str, how: str, first: int) -> tuple[str, str]:
    """What the capture does, made at the input of this index."""
    if (name, how) in NOT_COMPARED:
        return "ok", "not compared"
    own, inputs = PROGRAMS[name]()
    other, _ = PROGRAMS[name]()
    inputs = [*inputs[first:], *inputs[:first]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traces = name in COUNT if how.startswith("symbolic") else how != "compile"
        if traces and not isinstance(ran := call(own, inputs[0]), tuple):
            return "ok", "an error of its own"
        if traces and isinstance(ran[0], str):
            return "ok", "an error of its own"
        try:
            made = captured(how, other, inputs[0])
        except Exception as error:
            return "refused", f"{type(error).__name__}: {error}"
        for k, args in enumerate(inputs):
            expected, got = call(own, args), call(made, args)
            if without(got, how) == without(expected, how):
                continue
            if isinstance(got[0], str) and isinstance(expected[0], str):
                continue  # both raise
            if isinstance(got[0], str):
                return "refused at run", f"input {k}: {got[0]}: {got[1]}"
            return "WRONG", f"input {k}: expected {expected}, got {got}"
    return "ok", ""


@pytest.mark.parametrize("how", CAPTURES)
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_a_program_is_captured_right_or_refused(name: str, how: str) -> None:
    for first in (0, 1):
        found, why = outcome(name, how, first)
        assert found != "WRONG", why


if __name__ == "__main__":
    counts: dict[str, Any] = collections.defaultdict(collections.Counter)
    for name in sys.argv[1:] or PROGRAMS:
        for how in CAPTURES:
            for first in (0, 1):
                found, why = outcome(name, how, first)
                counts[how][found] += 1
                if found != "ok":
                    print(f"{found:15} {how:16} {first} {name}: {why[:700] if found == 'WRONG' else why[:260]}".replace("\n", " "), flush=True)
    for how, found in counts.items():
        print(how, dict(found))
