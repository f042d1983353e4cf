"""torch.ops.aten.NAME.OVERLOAD binds a call by its schema alone, as PyTorch 2.13: which values it takes, and the kinds of its errors.

The calls are those of tests/data/ops with one thing wrong: an argument of another type, one too many, one too few, a keyword that is not there."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import monograph as torch
import numpy as np
import pytest
from beside import both

DATA = Path(__file__).parents[1] / "data" / "ops"
A = torch.ops.aten
X = torch.ones(2, 3)
# Works in both libraries: decode(value) makes the argument that tests/data/ops states.
DECODE = """
def decode(v):
    if isinstance(v, list):
        return [decode(x) for x in v]
    if not isinstance(v, dict):
        return v
    if "t" in v:
        dtype, data = getattr(torch, v["t"]), bytearray.fromhex(v["x"])
        return torch.frombuffer(data, dtype=dtype).as_strided(v["s"], v["st"], v["o"]).clone() if data else torch.empty(v["s"], dtype=dtype)
    if "m" in v:
        return [torch.contiguous_format, torch.preserve_format, torch.channels_last][v["m"]]
    if "z" in v:
        return complex(*v["z"])
    return getattr(torch, v["d"]) if "d" in v else torch.device(v["c"]) if "c" in v else float(v["f"])
"""
DECODER: dict[str, Any] = {"torch": torch}
exec(DECODE, DECODER)
decode = DECODER["decode"]


def first_cases() -> Iterator[tuple[str, str, list[str], Any]]:
    """Of each record the base name, the overload, its keyword-only arguments, and the arguments of the first case."""
    for file in sorted(DATA.glob("*.jsonl")):
        name = ""
        for line in file.read_text().splitlines():
            case = json.loads(line)
            if "op" in case:
                name, schema = case["op"].partition("::")[2], case["schema"]
            elif name and "e" not in case and len(line) < 20_000:
                behind = schema.rpartition(") ->")[0].split("*, ")[1:]
                keywords = [a.partition("=")[0].split()[-1] for a in behind[0].split(", ") if a] if behind else []
                base, _, overload = name.partition(".")
                yield base, overload or "default", keywords, case["a"]
                name = ""


def kind_of(call: Any) -> str:
    try:
        call()
    except Exception as error:  # noqa: BLE001 - its kind is asked
        return type(error).__name__
    return "no error"


def test_each_record_refuses_what_its_schema_does_not_take():
    """By an overload and by the packet: a RuntimeError, where the function of Python raises a TypeError."""
    other = {}
    for base, overload, keywords, encoded in first_cases():
        packet = getattr(A, base)
        for op in (packet, getattr(packet, overload)):
            args = decode(encoded)
            count = len(args) - len(keywords)
            given, named = args[:count], dict(zip(keywords, args[count:], strict=True))
            wrong = {
                "object": lambda given=given, named=named, op=op: op(object(), *given[1:], **named),
                "too many": lambda given=given, named=named, op=op: op(*given, *[object()] * 20, **named),
                "keyword": lambda given=given, named=named, op=op: op(*given, **named, no_such_argument=1),
            }
            for how, call in wrong.items():
                if (kind := kind_of(call)) != "RuntimeError":
                    other[f"{op}: {how}"] = kind
    assert not other


# Call, and what it gives: the kind of an error, or a value.
CALLS = {
    "relu('a')": (lambda: A.relu.default("a"), "RuntimeError"),
    "relu(), a keyword of Python alone": (lambda: A.relu(input=X), "RuntimeError"),
    "sum(), a keyword of NumPy": (lambda: A.sum.dim_IntList(X, axis=1), "RuntimeError"),
    "view(), sizes one by one": (lambda: A.view(X, 3, 2), "RuntimeError"),
    "zeros(), requires_grad=": (lambda: A.zeros([2], requires_grad=True), "RuntimeError"),
    "a tensor for a Scalar": (lambda: A.add.Scalar(X, torch.tensor(2)), "RuntimeError"),
    "a type for a dtype": (lambda: A.to.dtype(X, float), "RuntimeError"),
    "one int for SymInt[2]": (lambda: A.conv_transpose2d.input(X.view(1, 1, 2, 3), torch.ones(1, 1, 2, 2), None, 1), "RuntimeError"),
    "a large int for an int": (lambda: A.transpose.int(X, 2**70, 0), "RuntimeError"),
    "a large int in a list": (lambda: A.view(X, [2**70]), "RuntimeError"),
    "a large int for a Scalar": (lambda: A.add.Scalar(X, 2**70), "OverflowError"),
    "a large int for a tensor": (lambda: A.add.Tensor(X, 2**70), "OverflowError"),
    "a large int for a float": (lambda: A.leaky_relu(X, 1.0).mul(0) + A.dropout(X, 0.0, False), "no error"),
    "Python, a large int for a number": (lambda: torch.add(X, 2**70), "OverflowError"),
    "Python, a large int for an operand": (lambda: X + 2**70, "OverflowError"),
    "Python, a large fill value": (lambda: torch.full((2,), 2**70), "OverflowError"),
    "Python, a large int for an int": (lambda: X.transpose(2**70, 0), "ValueError"),
    "Python, a large int for a dim": (lambda: X.sum(2**70), "ValueError"),
    "Python, a large size": (lambda: X.view(2**70), "TypeError"),
    "Python, a large size in a list": (lambda: torch.zeros([2**70]), "TypeError"),
    "Python, another type": (lambda: torch.relu("a"), "TypeError"),
    "Python, too many": (lambda: torch.relu(X, X), "TypeError"),
    "a flag for an int": (lambda: A.transpose.int(X, True, 0).shape, torch.Size([3, 2])),
    "an int for a flag": (lambda: A.dropout(X, 0.0, 1).tolist(), X.tolist()),
    "a number for a dtype": (lambda: A.softmax.int(X, 1, 7).dtype, torch.float64),
    "a number for a memory format": (lambda: A.contiguous(X, memory_format=0).shape, X.shape),
    "a range for a list": (lambda: A.permute(X, range(2)).shape, X.shape),
    "flags in a list": (lambda: A.permute(X, [True, 0]).shape, torch.Size([3, 2])),
    "one int for int[1]": (lambda: A.sum.dim_IntList(X, 1).tolist(), [3.0, 3.0]),
    "several results": (lambda: type(A.max.dim(X, 0)), tuple),
    "a list of results": (lambda: type(A.split.Tensor(X, 1)), list),
    "Python, several results": (lambda: type(torch.max(X, 0)).__name__, "max"),
    "Python, a list of results": (lambda: type(torch.split(X, 1)), tuple),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_bound_as_in_pytorch(name):
    call, expected = CALLS[name]
    if expected == "no error" or (isinstance(expected, str) and expected.endswith("Error")):
        assert kind_of(call) == expected
    else:
        assert call() == expected


# Not numbers and None: with some of them PyTorch's process ends.
VALUES = ("'a'", "2**70", "[1.5]", "[0, 'a']", "float", "object()", "{}", "torch.Generator()")
RANDOM_CALLS = """
result = []
for base, overload, keywords, encoded, place, value in calls:
    args = decode(encoded)
    args[place] = eval(value)
    count = len(args) - len(keywords)
    try:
        getattr(getattr(torch.ops.aten, base), overload)(*args[:count], **dict(zip(keywords, args[count:])))
        result.append("no error")
    except Exception as error:
        result.append(type(error).__name__)
"""


@pytest.mark.oracle
def test_the_kinds_of_errors_are_pytorchs(oracle, sample_seed):
    """One argument of each record is replaced by a value of another type. In 97 of 100 calls at least, both libraries take the call or raise the same kind."""
    rng = random.Random(sample_seed)
    calls = []
    for base, overload, keywords, encoded in first_cases():
        for _ in range(4 if encoded else 0):
            calls.append((base, overload, keywords, encoded, rng.randrange(len(encoded)), rng.choice(VALUES)))
    ours: dict[str, Any] = {"torch": torch, "calls": calls}
    exec(DECODE + RANDOM_CALLS, ours)
    theirs = oracle.run(DECODE + RANDOM_CALLS, calls=calls)
    differ = [f"{c[0]}.{c[1]}, argument {c[4]} = {c[5]}: {a} here, {b} in PyTorch" for c, a, b in zip(calls, ours["result"], theirs, strict=True) if a != b]
    assert len(differ) <= 0.03 * len(calls), f"{len(differ)} of {len(calls)}:\n" + "\n".join(differ)


@pytest.mark.oracle
def test_these_calls_beside_pytorch(oracle):
    calls = ("A.add.Scalar(x, 2**70)", "A.transpose.int(x, 2**70, 0)", "A.view(x, [2**70])", "x + 2**70", "x.view(2**70)", "x.sum(2**70)", "torch.zeros([2**70])", "A.add(x, 'a')")
    program = "A, x = torch.ops.aten, torch.ones(2, 3)\nresult = []\n"
    for call in calls:
        program += f"try:\n    {call}\nexcept Exception as error:\n    result.append(type(error).__name__)\n"
    both(oracle, program)


def test_numpy_has_no_part_in_a_schema():
    with pytest.raises(RuntimeError, match=r"must be Tensor, not numpy.ndarray; make it a tensor with torch.from_numpy"):
        A.add.Tensor(X, np.ones((2, 3)))
