"""One binder: the calls of tests/data/calls fail with the same words through each of Python's entries, as through those of tests/cpp/bind_test.cpp."""

import importlib.util
import re
from pathlib import Path

import monograph as torch
import pytest

CALLS = Path(__file__).parents[1] / "data" / "calls"


def examples(file):
    found = []
    for line in (CALLS / file).read_text().splitlines():
        if line and not line.startswith(("#", "  ")):
            found.append([line, []])
        elif line.startswith("  "):
            found[-1][1].append(line[2:])
    return [(call, "\n".join(lines)) for call, lines in found]


# A line of a graph names an overload where it begins with aten::, which Python has no name for.
BAD = [e for e in examples("bad.txt") if e[0].startswith("torch.")]


# In a script these calls mean something else, as in PyTorch's: the compiler looks at lists first, an operator of numbers has no tensor, an int may be the
# number of a dtype, and a tensor that stands for a number is read when the script runs.
OTHERWISE_IN_SCRIPTS = {
    **dict.fromkeys(
        ("torch.cat([%x, 1])", "torch.zeros([2, \"a\"])", "torch.sum(%x, dim=[0, \"a\"])", "torch.permute(%x, [0, 1.0])"), "the items of a list must have one type"
    ),
    **dict.fromkeys(("torch.neg(5)", "torch.floor(2.5)", "torch.exp(True)", "torch.remainder(2, 3)"), None),
    **dict.fromkeys(("torch.sum(%x, dtype=6)", "torch.ones([2], dtype=1)"), None),
    **dict.fromkeys(("torch.cumsum(%x, %i)", "torch.cumsum(%x, %s)", "torch.eq(2, %x)", "torch.full([2], %x)"), None),
}


def inputs():
    return {
        "x": torch.ones(2, 3),
        "y": torch.ones(2, 3),
        "i": torch.zeros(2, dtype=torch.int64),
        "s": torch.zeros(()),
        "k": torch.zeros((), dtype=torch.int64),
        "c": torch.zeros(2, 3, dtype=torch.bool),
    }


def program(call):
    """The call as a function of the inputs it names, and those inputs."""
    names = sorted(set(re.findall(r"%(\w)", call)))
    source = f"lambda {', '.join(names)}: {call.replace('%', '')}"
    return eval(source, {"torch": torch, "complex": complex}), [inputs()[n] for n in names]  # noqa: S307


def error_of(run):
    with pytest.raises((TypeError, RuntimeError)) as info:
        run()
    return str(info.value)


def test_there_are_enough_calls():
    assert len(BAD) >= 50


@pytest.mark.parametrize(("call", "expected"), BAD, ids=[e[0] for e in BAD])
def test_a_bad_call_fails_with_the_same_words(call, expected):
    function, args = program(call)
    assert error_of(lambda: function(*args)).startswith(expected + "\n"), "eager"
    if not args:  # a program without inputs is no capture
        return
    assert expected in error_of(lambda: torch.jit.trace(function, tuple(args))), "trace"
    try:
        symbolic = torch.fx.symbolic_trace(function)
    except TypeError as error:  # no values make the call right: PyTorch refuses it while it is traced, too
        assert str(error).partition("(")[0] == expected.partition("(")[0], "symbolic trace"
        return
    assert error_of(lambda: symbolic(*args)).startswith(expected + "\n"), "symbolic trace, its code"
    assert expected in error_of(lambda: symbolic.graph(*args)), "symbolic trace, its graph"


def source_file(call, folder):
    """The call as a function in a file, whose text a compiler can read."""
    file = folder / "calls.py"
    arguments = ", ".join(sorted(set(re.findall(r"%(\w)", call))))
    file.write_text(f"import monograph as torch\n\n\ndef function({arguments}):\n    return {call.replace('%', '')}\n")
    spec = importlib.util.spec_from_file_location(f"calls_of_{folder.name}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.function


@pytest.mark.parametrize(("call", "expected"), BAD, ids=[e[0] for e in BAD])
def test_a_script_says_the_same(call, expected, tmp_path):
    words = OTHERWISE_IN_SCRIPTS.get(call, expected)
    if words is None:
        torch.jit.script(source_file(call, tmp_path))
        return
    assert words in error_of(lambda: torch.jit.script(source_file(call, tmp_path)))


@pytest.mark.parametrize("call", ["torch.relu(%x, %y)", "torch.pow(%x, %y, %y)", "torch.add(%x, %y, 2, %y)", "torch.clamp(%x, 0, 1, %y)"])
def test_out_has_a_keyword_everywhere(call, tmp_path):
    """An operator's own name takes it by position, a function of Python does not: else this would write to y."""
    function, args = program(call)
    scripted = error_of(lambda: torch.jit.script(source_file(call, tmp_path)))
    assert error_of(lambda: function(*args)).split("\n")[0] in scripted


GOOD = [e for e in examples("good.txt") if e[0].startswith("torch.")]


@pytest.mark.parametrize(("call", "expected"), GOOD, ids=[e[0] for e in GOOD])
def test_a_good_call_has_the_same_arguments(call, expected):
    function, args = program(call)
    result = function(*args)
    if not args:  # a program without inputs is no capture
        return
    trace, symbolic = torch.jit.trace(function, tuple(args), check_trace=False).inlined_graph, torch.fx.symbolic_trace(function)
    # Where a tensor stands for a number, a trace has an item(), and a graph of proxies is not lowered.
    number = re.search(r"%k|full\(.*%s", call)
    for run in [trace, symbolic] + [symbolic.graph] * (not number):
        got = run(*args)
        for one, want in zip(got if isinstance(got, tuple) else [got], result if isinstance(result, tuple) else [result], strict=True):
            assert one.dtype == want.dtype and one.shape == want.shape and torch.equal(one, want)
    assert expected.partition("(")[0] in [str(node.schema()).partition("(")[0] for node in trace.nodes if node.op == "call_function"]
    if not number:
        assert trace.hash() == symbolic.graph.hash()


# Functions that PyTorch writes in Python: Python itself says what is wrong with the call.
PYTHON_CALLS = {
    "cdist": lambda x: torch.cdist(x),
    "tensordot": lambda x: torch.tensordot(x),
    "split": lambda x: torch.split(x),
    "embedding": lambda x: torch.nn.functional.embedding(x),
    "relu": lambda x: torch.nn.functional.relu(x, inplase=True),
}


@pytest.mark.parametrize("name", PYTHON_CALLS)
def test_a_bad_call_of_a_function_in_python_fails_with_the_same_words(name):
    function = PYTHON_CALLS[name]
    words = error_of(lambda: function(torch.ones(2, 3)))
    assert words in error_of(lambda: torch.jit.trace(function, torch.ones(2, 3)))
    assert words in error_of(lambda: torch.fx.symbolic_trace(function))


def call_without_the_second(x: torch.Tensor):
    return torch.split(x)


def test_a_script_shows_the_operator_that_a_bad_call_is_of():
    words = error_of(lambda: torch.jit.script(call_without_the_second))
    assert words.startswith("torch.split() cannot be called with (Tensor). Its operator is:\n  aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0)")
    assert "return torch.split(x)" in words
