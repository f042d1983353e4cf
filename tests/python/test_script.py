"""jit.script: each program of tests/data/script/programs.py compiled, beside the same function in Python, and beside torch.jit.script of live PyTorch.

What is missing is in the same file, and is an error that shows its line. The messages of wrong programs are in tests/errors/script."""

from __future__ import annotations

import importlib.util
import math
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import monograph as torch
import numpy as np
import pytest
from live_oracle import OracleError

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("MONOGRAPH_PROGRAM") or ROOT / "build" / "release" / "monograph"
PROGRAMS = ROOT / "tests" / "data" / "script" / "programs.py"
ERRORS = ROOT / "tests" / "errors" / "script"


def _loaded() -> ModuleType:
    """The programs, in which torch means Monograph."""
    spec = importlib.util.spec_from_file_location("script_programs", PROGRAMS)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["script_programs"] = module
    names = {"torch": torch, "torch.nn": torch.nn, "torch.nn.functional": torch.nn.functional}
    saved = {name: sys.modules.get(name) for name in names}
    sys.modules.update(names)
    try:
        spec.loader.exec_module(module)
    finally:
        for name, before in saved.items():
            if before is None:
                del sys.modules[name]
            else:
                sys.modules[name] = before
    return module


programs = _loaded()
ROWS = programs.ROWS


def _arguments(text: str) -> tuple[Any, ...]:
    value = eval(text if text.rstrip().endswith(",") else f"{text},", vars(programs))
    return value if type(value) is tuple else (value,)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        return (
            isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor) and a.dtype == b.dtype and a.shape == b.shape and torch.equal(a, b)
        )
    if isinstance(a, torch.Size) or isinstance(b, torch.Size):
        return list(a) == list(b)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, float) and math.isnan(a):
        return isinstance(b, float) and math.isnan(b)
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1].__name__)
def test_a_program_computes_what_python_does(row):
    _, function, inputs, _ = row
    compiled = torch.jit.script(function)
    for text in inputs:
        expected, got = programs.plain(function(*_arguments(text))), programs.plain(compiled(*_arguments(text)))
        assert _same(got, expected), f"{function.__name__}({text}): {got!r}, in Python {expected!r}\n{compiled.graph}"
    assert compiled.code and str(compiled.graph)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1].__name__)
def test_a_program_has_a_hash_and_code_that_python_reads(row, tmp_path):
    graph = torch.jit.script(row[1]).graph
    graph.save(tmp_path / "program.mgraph")
    loaded = torch.load_graph(tmp_path / "program.mgraph")
    assert graph.hash() == graph.copy().hash() == loaded.hash()
    if "prim::CreateObject" in str(graph):  # Python's code of a graph has no classes
        with pytest.raises(ValueError, match="makes an object of"):
            loaded._to_text("python")
    else:
        compile(loaded._to_text("python"), "program.py", "exec")


# Python's code of a graph has no classes: an Enum is no argument of an operator, an object has no attributes for one, and a NamedTuple is a tuple.
OF_CLASSES = {
    "enum_by_name", "enum_compare", "enum_default", "enum_from_outside", "enum_in_tuple", "enum_is", "enum_iterated", "enum_list", "enum_loop",
    "enum_name_and_value", "enum_not_equal", "enum_of_strs", "enum_optional", "enum_returned", "enum_text", "match_members",
    "object_argument", "object_list_argument", "object_with_tensor", "data_argument",
    "make_point", "point_returned", "points_in_list", "point_in_loop", "point_replace", "plain_namedtuple",
}  # fmt: skip
NO_CODE = {"union_dict": "isinstance of a value whose type is known only when the script runs"}


def test_the_python_code_of_programs_computes_the_same(tmp_path):
    """What `monograph convert FILE.mgraph FILE.py` writes. Code for a program that makes objects is an error."""
    count, refused, other = 0, set(), set()
    for _, function, inputs, _ in ROWS:
        name = function.__name__
        compiled = torch.jit.script(function)
        compiled.save(tmp_path / "program.mgraph")
        done = subprocess.run([PROGRAM, "convert", "program.mgraph", "program.py"], cwd=tmp_path, capture_output=True, text=True)
        if done.returncode:
            assert "makes an object of" in done.stderr, name
            refused.add(name)
            continue
        names: dict[str, Any] = {}
        exec((tmp_path / "program.py").read_text(), names)
        for text in inputs:
            expected = programs.plain(compiled(*_arguments(text)))
            try:
                same = _same(programs.plain(names["forward"](None, *_arguments(text))), expected)
            except Exception:
                same = False
            if not same:
                other.add(name)
            count += same
    print(f"{count} runs, {len(refused)} programs make objects, {sorted(other)}")
    assert other == OF_CLASSES | set(NO_CODE) and count >= 800 and len(refused) <= 41


SERVED = """
import importlib.util, sys
# Loaded once: PyTorch knows a class by its name.
module = sys.modules.get("script_programs")
if module is None:
    spec = importlib.util.spec_from_file_location("script_programs", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["script_programs"] = module
    spec.loader.exec_module(module)
function = next(f for _, f, _, _ in module.ROWS if f.__name__ == name)
compiled = torch.jit.script(function)
result = [module.plain(compiled(*eval(text if text.rstrip().endswith(",") else text + ",", vars(module)))) for text in inputs]
"""


def _plain(value: Any) -> Any:
    """As the server gives it: arrays for tensors."""
    if isinstance(value, torch.Tensor):
        return value.detach().numpy()
    if isinstance(value, torch.Size):
        return list(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value))
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def _close(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return (
            isinstance(b, np.ndarray)
            and a.dtype == b.dtype
            and a.shape == b.shape
            and bool(np.allclose(a, b, rtol=1e-6, atol=1e-6, equal_nan=True))
        )
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all(map(_close, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(_close(a[k], b[k]) for k in a)
    if isinstance(a, float):
        return isinstance(b, float) and (a == b or math.isclose(a, b, rel_tol=1e-12) or (math.isnan(a) and math.isnan(b)))
    return type(a) is type(b) and a == b


@pytest.mark.oracle
@pytest.mark.parametrize("row", [r for r in ROWS if not r[3]], ids=lambda row: row[1].__name__)
def test_a_program_computes_what_pytorch_does(row, oracle):
    _, function, inputs, _ = row
    compiled = torch.jit.script(function)
    theirs = oracle.run(SERVED, path=str(PROGRAMS), name=function.__name__, inputs=list(inputs))
    for text, expected in zip(inputs, theirs, strict=True):
        got = _plain(programs.plain(compiled(*_arguments(text))))
        assert _close(got, expected), f"{function.__name__}({text}): {got!r}, in PyTorch {expected!r}"


@pytest.mark.oracle
@pytest.mark.parametrize("row", [r for r in ROWS if r[3]], ids=lambda row: row[1].__name__)
def test_pytorch_differs_from_python_where_a_row_says_so(row, oracle):
    try:
        theirs = oracle.run(SERVED, path=str(PROGRAMS), name=row[1].__name__, inputs=list(row[2]))
    except OracleError:
        return
    ours = [_plain(programs.plain(row[1](*_arguments(text)))) for text in row[2]]
    assert not _close(ours, theirs)


@pytest.mark.parametrize("missing", programs.MISSING, ids=lambda m: f"{m[0]}: {m[1]}")
def test_what_is_missing_is_an_error_with_its_line(missing):
    with pytest.raises(RuntimeError) as error:
        torch.jit.CompilationUnit(missing[2]).f  # noqa: B018
    assert " <--- HERE" in str(error.value) and 'File "<string>", line' in str(error.value)


def test_the_count_of_rows():
    """By section, so that the count is honest: programs that run, and constructs that are missing."""
    counts: dict[str, int] = {}
    for section, *_ in ROWS:
        counts[section] = counts.get(section, 0) + 1
    assert counts == {
        "types": 32, "numbers": 29, "math": 10, "branches": 27, "early return": 10, "loops": 35, "lists": 48, "tuples": 10, "dicts": 19, "strings": 26,
        "refinement": 14, "functions": 37, "tensors": 36, "errors": 6, "named tuples": 20, "enums": 15, "classes": 36, "dataclasses": 6,
        "any and union": 14, "with": 13,
    }  # fmt: skip
    assert sum(counts.values()) == 443
    assert len(programs.MISSING) == 13
    names = [function.__name__ for _, function, _, _ in ROWS]
    assert len(set(names)) == len(names)


# --- Messages


def helper_of_errors(x):
    return x.no_such_method()


def calls_helper(x):
    y = x + 1
    return helper_of_errors(y)


def unknown_name(x):
    return x + nowhere  # noqa: F821


def unknown_operator(x):
    return torch.no_such_operator(x)


def wrong_argument(x):
    return torch.softmax(x, "a")


def type_change(x):
    y = 1
    if x.sum() > 0:
        y = x
    return y


def undefined_after_branch(x):
    if x.sum() > 0:
        y = x
    return y  # noqa: F821


def optional_without_check(x: int | None):
    return x + 1


def optional_to_operator(x: torch.Tensor | None):
    return torch.relu(x)


def return_of_two_types(x):
    if x.sum() > 0:
        return 1
    return "a"


def annotated_return(x) -> int:
    return 1.5


def missing_argument(x):
    return helper_of_two(x)


def helper_of_two(x, y):
    return x + y


def list_of_two_types(x):
    return [1, "a"]


def int_for_float(x):
    y: float = 1
    return y


def or_of_values(n: int):
    return n or 3


def tuple_index(t: tuple[int, str], n: int):
    return t[n]


def recursive(n: int) -> int:
    return recursive(n - 1)


def bad_type(x: list):
    return x


def two_types_after_a_branch(x: int):
    if x > 0:
        y = 1
    else:
        y = "a"
    return y


def helper_of_bad_type(x, y: range):
    return x


def calls_bad_type(x):
    return helper_of_bad_type(x, x)


def match_of_parts(x: tuple[int, int]):
    match x:
        case (0, n):
            return n
    return 0


def long_line(x):
    return x + x * x - x / x + x * x * x + x - x * x + x / x + x * x * x + x - x * x + x / x + x * x * x + x - x * x + x / x + x * x * x + x - x * x + x / x + x * x * x + x.nosuch() + x + x + x + x + x + x


def isinstance_of_an_old_type(x):
    return isinstance(x, torch.FloatTensor)


def no_items(n: int):
    return n[0]


WRONG = [
    calls_helper, unknown_name, unknown_operator, wrong_argument, type_change, undefined_after_branch, optional_without_check, optional_to_operator,
    return_of_two_types, annotated_return, missing_argument, list_of_two_types, int_for_float, or_of_values, tuple_index, recursive,
    bad_type, no_items, two_types_after_a_branch, calls_bad_type, long_line, match_of_parts, isinstance_of_an_old_type,
]  # fmt: skip


@pytest.mark.parametrize("function", WRONG, ids=lambda f: f.__name__)
def test_a_message(function, request):
    with pytest.raises(RuntimeError) as error:
        torch.jit.script(function)
    text = "\n".join(line.rstrip() for line in str(error.value).replace(str(Path(__file__)), "test_script.py").splitlines()) + "\n"
    first = function.__code__.co_firstlineno
    text = _relative_lines(
        text,
        {function: first, helper_of_errors: helper_of_errors.__code__.co_firstlineno, helper_of_two: helper_of_two.__code__.co_firstlineno, helper_of_bad_type: helper_of_bad_type.__code__.co_firstlineno},
    )
    frozen = ERRORS / f"{function.__name__}.txt"
    assert frozen.read_text() == text, f"the message is now:\n{text}"


def _relative_lines(text: str, functions: dict[Any, int]) -> str:
    """Lines are counted from the function in which they are, so that this file may change."""
    out = []
    for line in text.splitlines(keepends=True):
        head, mark, number = line.rstrip("\n").partition('File "test_script.py", line ')
        if not mark:
            out.append(line)
            continue
        function, first = max(((f, n) for f, n in functions.items() if n <= int(number)), key=lambda item: item[1])
        out.append(f'{head}File "test_script.py", line {int(number) - first} of {function.__name__}\n')
    return "".join(out)


# --- Running


def test_an_error_of_a_run_says_the_line():
    def out_of_range(v: list[int]):
        return v[5]

    compiled = torch.jit.script(out_of_range)
    with pytest.raises(IndexError, match="out of range") as error:
        compiled([1])
    assert f"test_script.py:{out_of_range.__code__.co_firstlineno + 1}" in str(error.value)


def test_a_raise_is_the_exception():
    def negative(n: int):
        if n < 0:
            raise ValueError(f"negative: {n}")
        return n

    compiled = torch.jit.script(negative)
    assert compiled(3) == 3
    with pytest.raises(ValueError, match="negative: -2"):
        compiled(-2)


def test_a_failed_assert_raises():
    def checked(x):
        assert x.numel() > 2, "too few"
        return x

    compiled = torch.jit.script(checked)
    with pytest.raises(AssertionError, match="too few") as error:
        compiled(torch.ones(1))
    assert isinstance(error.value, torch.jit.Error)  # what PyTorch raises


def test_print_writes_to_stdout(capsys):
    torch.jit.script(programs.printing)(4)
    assert capsys.readouterr().out == "n is 4 [1, 2] 1.5\n"


def test_keywords_and_defaults():
    def three(x, n: int = 2, f: float = 0.5):
        return x * n + f

    compiled = torch.jit.script(three)
    x = torch.ones(2)
    for args, kwargs in (((x,), {}), ((x, 3), {}), ((x,), {"f": 1.5}), ((), {"x": x, "n": 5})):
        assert torch.equal(compiled(*args, **kwargs), three(*args, **kwargs))
    with pytest.raises(TypeError, match="unexpected"):
        compiled(x, q=1)
    with pytest.raises(TypeError, match="missing"):
        compiled(n=1)
    with pytest.raises(TypeError, match="must be an int"):
        compiled(x, "a")


def test_gradients_flow_through_loops_and_branches():
    def f(x):
        for _ in range(3):
            if x.sum() > 1:
                x = x * 2
            else:
                x = x * x
        return x.sum()

    compiled = torch.jit.script(f)
    for value in (0.1, 2.0):
        a, b = torch.full((2,), value, requires_grad=True), torch.full((2,), value, requires_grad=True)
        f(a).backward()
        compiled(b).backward()
        assert torch.equal(a.grad, b.grad)


def test_a_lambda_and_a_function_without_source_are_refused():
    with pytest.raises(RuntimeError, match="lambda"):
        torch.jit.script(lambda x: x)
    space: dict[str, Any] = {}
    exec("def f(x):\n    return x\n", space)
    with pytest.raises(OSError, match="source text"):
        torch.jit.script(space["f"])


def test_a_compilation_unit():
    unit = torch.jit.CompilationUnit("def f(x):\n    return g(x) + 1\n\ndef g(x):\n    return x * 2\n")
    assert torch.equal(unit.f(torch.ones(2)), torch.full((2,), 3.0))
    assert torch.equal(unit.g(torch.ones(2)), torch.full((2,), 2.0))


def test_the_graph_is_saved(tmp_path):
    compiled = torch.jit.script(programs.while_on_tensor)
    compiled.save(tmp_path / "f.mgraph")
    loaded = torch.load_graph(tmp_path / "f.mgraph")
    x = torch.ones(3)
    assert _same(loaded(x), programs.while_on_tensor(x))


# --- Bad input


def _refused(text: str) -> str:
    with pytest.raises(RuntimeError) as error:
        torch.jit.CompilationUnit(text)
    return str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return " + "(" * 10000 + "x" + ")" * 10000,
        "def f(x):\n    return " + "-" * 10000 + "x",
        "def f(x):\n    return " + "not " * 10000 + "x",
        "def f(x):\n    return " + "x + " * 10000 + "x",
        "def f(x):\n    return x" + ".t()" * 10000,
        "def f(x):\n    return " + "[" * 10000 + "]" * 10000,
        "def f(x):\n    return x" + "[0]" * 10000,
        "def f(x):\n    return " + "x if x else " * 10000 + "x",
        "def f(x: " + "List[" * 10000 + "int" + "]" * 10000 + "):\n    return x",
        "def f(x):\n" + "".join("    " * k + "if x:\n" for k in range(1, 2000)) + "    " * 2000 + "return x",
        "def f(n: int):\n    if n == 0:\n        return 0\n"
        + "".join(f"    elif n == {k}:\n        return {k}\n" for k in range(10000))
        + "    return 1\n",
        "def f(x):\n    return f'" + "{" * 999 + "'",
    ],
    ids=["parentheses", "minus", "not", "sum", "calls", "lists", "items", "conditionals", "types", "blocks", "elif", "f-string"],
)
def test_deep_nesting_is_an_error(text):
    _refused(text)


def test_deep_nesting_on_a_small_stack():
    failed: list[BaseException] = []

    def run() -> None:
        try:
            torch.jit.CompilationUnit("def f(x):\n    return " + "(" * 180 + "x" + ")" * 180)
            torch.jit.CompilationUnit("def f(x):\n    return " + "x + " * 200 + "x")
        except BaseException as error:
            failed.append(error)

    size = threading.stack_size(4 << 20)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    threading.stack_size(size)
    assert not failed


def test_a_function_of_ten_thousand_lines():
    text = (
        "def f(x):\n"
        + "".join(f"    y{k} = x + {k}\n" for k in range(5000))
        + "".join(f"    x = x + y{k}\n" for k in range(5000))
        + "    return x\n"
    )
    unit = torch.jit.CompilationUnit(text)
    assert float(unit.f(torch.zeros(1, dtype=torch.float64))) == sum(range(5000))


def test_a_thousand_early_returns():
    text = "def f(n: int):\n" + "".join(f"    if n == {k}:\n        return {k * 3}\n" for k in range(1000)) + "    return -1\n"
    unit = torch.jit.CompilationUnit(text)
    assert unit.f(0) == 0 and unit.f(999) == 2997 and unit.f(5000) == -1


@pytest.mark.parametrize(
    "text",
    ["x = 1", "def", "def f(", "def f(x)", "def f(x):", "def f(x):\n", "def f(x):\nreturn x", "def f(x):\n  return (x", "def f(x):\n  return x)", "def f(x):\n  'abc", "def f(x):\n\treturn 1 1",
     "def f(x):\n    y = x\n   return y", "def f(x):\n  return x +", "def f(x, x):\n  return x", "def f(x):\n  1 = x", "def f(x):\n  break", "def f(x):\n  return $", "def f(x):\n  return 0x",
     "def f(x):\n  return 99999999999999999999", "def f(x):\n  return '\\u12'", "def f(x):\n  return ''.join(", "def f(x):\n  x.y.z = 1", "def f(x):\n  return x[", "def f(x):\n  for in x: pass"],
)  # fmt: skip
def test_broken_texts_are_errors(text):
    with pytest.raises((RuntimeError, ValueError)):
        unit = torch.jit.CompilationUnit(text)
        unit.f  # noqa: B018


def test_a_long_text_is_shown_by_its_line():
    message = _refused(
        textwrap.dedent("""
        def f(x):
            y = x + 1
            return y.nothing()
    """)
    )
    assert 'File "<string>", line 4' in message or 'File "<string>", line 3' in message
    assert "    return y.nothing()" in message and "~~~~" in message
