"""Writes python/monograph/_examples.txt: an example for each operator's function and method, with its result, which help() shows.

    python tools/examples.py            # write
    python tools/examples.py --check    # exit 1 where the file is not what this would write
    python tools/examples.py --missing  # the operators that get none

A record may state the calls of its example (`>>> ` lines of `.doc`). Otherwise the arguments are chosen here by their types and names: the first
call whose result is short and finite, and says something."""

from __future__ import annotations

import io
import itertools
import math
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))
OUT = ROOT / "python" / "monograph" / "_examples.txt"
HEAD = "# Made by tools/examples.py; not edited by hand. tests/python/test_help.py runs it.\n"

COPIED = re.compile(r"_copy\d")  # a build may have the operators again under other names (cmake/Copies.cmake)
# What tensors of a call may be, in the order in which they are tried: the first, and those beside it.
TENSORS = (
    ("torch.tensor([-1.5, 0.5, 2.0])", "torch.tensor([3.0, 2.0, 1.0])"),
    ("torch.tensor([[1.0, 2.0], [3.0, 4.0]])", "torch.tensor([[0.0, 1.0], [1.0, 1.0]])"),
    ("torch.tensor([0.25, 0.5, 0.75])", "torch.tensor([0.5, 0.25, 0.5])"),
    ("torch.tensor([1.0, 2.0, 4.0])", "torch.tensor([1.0, 2.0, 3.0])"),
    ("torch.tensor([6, 5, 3])", "torch.tensor([2, 1, 3])"),
    ("torch.tensor([True, True, False])", "torch.tensor([True, False, False])"),
    ("torch.tensor([1 + 2j, 3 - 1j])", "torch.tensor([1j, 2j])"),
    ("torch.arange(8.0).reshape(1, 2, 4)", "torch.ones(1, 4, 2)"),
    ("torch.arange(16.0).reshape(1, 1, 4, 4)", "torch.ones(1, 1, 2, 2)"),
    ("torch.arange(8.0).reshape(1, 1, 2, 2, 2)", "torch.ones(1, 1, 2, 2, 2)"),
)
INDICES = ("torch.tensor([0, 1])", "torch.tensor([[1, 0], [0, 1]])", "torch.tensor([0, 2, 1])", "torch.tensor([1])")
# What an argument of a type may be, and one of a name where that helps.
BY_TYPE = {
    "Tensor?": ("None",),
    "int": ("1", "0", "2"), "int?": ("1", "0"), "float": ("0.5",), "float?": ("0.5",), "Scalar": ("2", "0.5"), "Scalar?": ("2",), "bool": ("True",), "int[]": ("[0]", "[2]", "[0, 1]", "[2, 2]", "[1, 0]"),
    "int[]?": ("[0]", "[2]", "[2, 2]"), "ScalarType": ("torch.float64",), "ScalarType?": ("torch.float64",),
}  # fmt: skip
BY_NAME = {
    "size": ("[2, 3]", "[3, 1]"), "shape": ("[3, 1]", "[4]"), "dim0": ("0",), "dim1": ("1",), "split_size": ("2",), "split_sizes": ("[1, 2]", "[1, 1]"), "sections": ("2",),
    "repeats": ("[2]", "2", "[2, 1]"), "axis0": ("0",), "axis1": ("1",), "end": ("5",), "steps": ("5",), "high": ("10",), "pad": ("[1, 1]",), "equation": ('"ij,jk->ik"', '"i,i->"'),
    "mask": ("x > 0.5",), "condition": ("torch.tensor([True, False, True])",), "reduce": ('"sum"',), "type1": ("torch.int64",), "type2": ("torch.float32",),
    "from_": ("torch.float32",), "to": ("torch.float64",), "scalar1": ("1",), "scalar2": ("2.5",), "lambd": ("0.5",), "max": ("1",), "rounding_mode": ('"floor"',),
}  # fmt: skip


def _values(parameter: Any, others: str, integers: bool) -> tuple[str, ...]:
    """What an argument may be; nothing where it is not known."""
    kind = parameter.schema_type.replace("SymInt", "int")
    kind = "int[]" + "?" * kind.endswith("?") if kind.startswith("int[") else kind
    if parameter.name in BY_NAME and not (kind.startswith("Tensor") and parameter.name in ("max", "size", "end")):
        return BY_NAME[parameter.name]
    if kind == "Tensor" and parameter.name == "src":
        return others, "torch.tensor([7.0, 8.0])"
    if kind == "Tensor":
        return INDICES if integers else (others,)
    if kind == "Tensor[]":
        return (f"[x, {others}]",)
    return BY_TYPE.get(kind, ())


def _is_index(parameter: Any) -> bool:
    return parameter.name.startswith(("index", "indices"))


def candidates(function: Any, path: str) -> Iterator[list[str]]:
    """Calls that may do as an example."""
    from monograph._help import forms_of, is_method

    forms = sorted(forms_of(function), key=lambda f: sum(p.schema_type == "Scalar" for p in f.parameters))
    plain = [[p for p in form.parameters if not p.default] for form in forms]
    # Some calls need one more: clamp a limit, softmax a dim.
    with_one_more = [[*required, *[p for p in form.positional if p.default][:1]] for form, required in zip(forms, plain)]
    for required in (*plain, *with_one_more):
        if not is_method(function) and not any(p.schema_type.startswith("Tensor") for p in required):
            for values in itertools.islice(itertools.product(*(_values(p, "", False) for p in required)), 20):
                yield [f"{path}({_written(required, values)})"]
            continue
        if any(p.name == "hx" for p in required):
            continue  # recurrent networks, whose weights must fit each other
        for first, others in TENSORS:
            rest = required if is_method(function) or required[0].schema_type != "Tensor" else required[1:]
            call = f"x.{function.__name__}(" if is_method(function) else f"{path}({'' if rest is required else 'x'}"
            choices = [_values(p, others, _is_index(p)) for p in rest]
            for values in itertools.islice(itertools.product(*choices), 30):
                written = _written(rest, values)
                yield [f"x = {first}", call + (", " if written and call.endswith("x") else "") + written + ")"]


def _written(parameters: list[Any], values: tuple[str, ...]) -> str:
    return ", ".join(f"{p.name}={v}" if p.keyword_only else v for p, v in zip(parameters, values))


def run(lines: list[str], seed: int = 0) -> tuple[str, Any]:
    """The lines as a doctest with its results, and the last result."""
    import monograph as torch

    names: dict[str, Any] = {"torch": torch}
    torch.manual_seed(seed)
    text, value = "", None
    for line in lines:
        text += f">>> {line}\n"
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(io.StringIO()):
            try:
                value = eval(line, names)
                shown = "" if value is None else f"{value!r}\n"
            except SyntaxError:  # an assignment
                exec(line, names)
                value, shown = None, ""
        text += printed.getvalue() + shown
    return text, value


def _tensors(value: Any) -> list[Any]:
    import monograph as torch

    if isinstance(value, torch.Tensor):
        return [value]
    return [t for part in value for t in _tensors(part)] if isinstance(value, (tuple, list)) else []


def _is_finite(number: Any) -> bool:
    return all(map(math.isfinite, (number.real, number.imag))) if isinstance(number, (int, float, complex)) else True


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def worth(lines: list[str]) -> tuple[int, str]:
    """0 for a call that shows what the operator does; more where it shows less. 9: no example."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            text, value = run(lines)
            again, _ = run(lines, seed=1)
    except Exception:
        return 9, ""
    if again != text:  # it draws
        lines = ["_ = torch.manual_seed(0)", *lines]
        text, value = run(lines)
    tensors = _tensors(value)
    if value is None or "\n\n" in text or "<" in text.replace("<=", "").replace("grad_fn=<", "") or text.count("\n") > 14:
        return 9, ""
    if any(t.is_meta for t in tensors):
        return 9, ""
    numbers = [number for t in tensors for number in _flat((t.dequantize() if t.is_quantized else t).tolist())] or [value]
    score = 4 * (not all(map(_is_finite, numbers))) + 2 * (not numbers) + (len(tensors) > 0 and len(set(map(repr, numbers))) == 1 and len(numbers) > 1)
    first = text.split("\n")[0].partition(" = torch.")[2]
    return score + (bool(first) and repr(value) == first), text


def _names(function: Any) -> str:
    """A pattern for the names that a record's example may call: this one, the one that it is another name of, and the one without an underscore."""
    from monograph._help import facts_of

    name = function.__name__
    others = {fact["other_name_of"] for fact in facts_of(function) if fact["in_python"]} - {""}
    return "|".join(sorted({name, name.removesuffix("_"), *others}))


def under_its_name(lines: list[str], function: Any, path: str) -> list[str]:
    """The calls of a record's example by another name of the operator, or in place."""
    if function.__name__ in "".join(lines) and not function.__name__.endswith("_"):
        return lines
    return [re.sub(rf"torch\.(?:{_names(function)})\(", lambda _: f"{path}(", line) for line in lines]


def as_method(lines: list[str], function: Any) -> list[str]:
    """The calls of a record's example as methods of their first argument; no lines where one is no name."""
    written, calls = [], 0
    for line in lines:
        names = re.sub(r"\b(linalg|special)_", r"\1[._]", _names(function))
        line, count = re.subn(rf"^torch\.(?:{names})\(([a-z]\w*)(?:, |(?=\)))", lambda m: f"{m[1]}.{function.__name__}(", line)
        calls += count
        written.append(line)
    return written if calls else []


def example(function: Any, path: str, has_function: bool) -> str:
    """The doctest for a function or method; "" where none was found. A record's own example is that of its function, and of its method where that can be
    written for it."""
    from monograph._help import is_method, is_written_in_python, main_words, own_words

    stated = own_words(function).example if is_written_in_python(function) else main_words(function).example
    if stated and has_function and is_method(function):
        text = worth(as_method(stated, function))[1]
        if text:
            return text
    elif stated:
        return worth(stated if is_written_in_python(function) else under_its_name(stated, function, path))[1]
    best, found = 9, ""
    for lines in candidates(function, path):
        score, text = worth(lines)
        if score < best:
            best, found = score, text
        if best == 0:
            break
    return found


def functions() -> Iterator[tuple[str, Any]]:
    """The public functions and methods that records make, with the path that a program writes."""
    import monograph as torch
    from monograph import _C

    seen: dict[str, str] = {}
    for path in ("torch", "torch.nn.functional", "torch.linalg", "torch.special", "torch.fft", "torch._C._nn"):
        place: Any = torch
        for part in path.split(".")[1:]:
            place = getattr(place, part, None)
        for name, value in vars(place).items() if place else ():
            if isinstance(value, _C.Builtin) and not name.startswith("_"):
                seen.setdefault(value.__qualname__, f"{path}.{name}")
            elif isinstance(value, _C._Overridable) and path == "torch.nn.functional" and not name.startswith("_"):
                yield f"{path}.{name}", value
    for table in _C._functions().values():
        for value in table.values():
            if value.__qualname__ in seen and not COPIED.search(value.__name__):
                yield seen[value.__qualname__], value
    for name, value in vars(_C.TensorBase).items():
        if isinstance(value, _C.BuiltinMethod) and not name.startswith("_") and not COPIED.search(name):
            yield f"torch.Tensor.{name}", value


def generate() -> tuple[str, list[str]]:
    written, missing = HEAD, []
    from monograph._help import key_of

    listed = sorted(functions(), key=lambda pair: key_of(pair[1]))
    names = {key_of(function) for _, function in listed}
    for path, function in listed:
        text = example(function, path, function.__name__ in names)
        if text:
            written += f"\n{key_of(function)}:\n{text}"
        else:
            missing.append(path)
    return written, missing


def main() -> int:
    text, missing = generate()
    if "--missing" in sys.argv:
        print("\n".join(missing))
        return 0
    if "--check" not in sys.argv:
        OUT.write_text(text, encoding="utf-8")
        return 0
    if OUT.read_text(encoding="utf-8") != text:
        print(f"{OUT.name}: not what the operators give; run python tools/examples.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
