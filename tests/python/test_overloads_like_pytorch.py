"""torch.ops.aten.NAME.OVERLOAD, for every name that at least two of some 4,300 programs use: PyTorch's overloads are there, and compute what PyTorch's do.

Both packages make the same calls: those of CALLS, and for each overload of PyTorch one with each of the PROFILES that its schema takes. What PyTorch refuses is
left out here, except in CALLS."""

from __future__ import annotations

import ast
import math
import re
import sys
from pathlib import Path
from typing import Any

import monograph
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from overload_reasons import reason_of_overload  # noqa: E402

pytestmark = pytest.mark.oracle

# What each profile gives for arguments of these types: tensors in turn, ints, lists of ints, numbers, out=.
PROFILES = {
    "floats": ("x y x y x", "1", "[1]", "0.75", "out"),
    "matrices": ("m m m m m", "0", "[0]", "1.5", "out"),
    "ints": ("i i i i i", "1", "[0, 1]", "2", "out_ints"),
    "floats and ints": ("x i y i y", "0", "[2, 3]", "0.75", "out"),
    "floats and numbers": ("x s s s s", "1", "[3, 2]", "0.75", "out"),
    "bools": ("b b b b b", "0", "[-1]", "1", "out_bools"),
    "floats and bools": ("x b y b y", "1", "[1, 0]", "0.75", "out"),
    "images": ("im im im im im", "2", "[2, 2]", "0.75", "out"),
    "vectors": ("v v v v v", "2", "[3]", "0.75", "out_bools"),
    "complex": ("z z z z z", "1", "[1]", "0.75", "out_complex"),
}
OTHERS = {
    "float": "0.5", "bool": "True", "complex": "(1+2j)", "str": "'mean'", "ScalarType": "torch.float64", "Device": "torch.device('cpu')",
    "Layout": "torch.strided", "MemoryFormat": "torch.contiguous_format", "float[]": "[0.5, 1.5]", "Scalar[]": "[2, 0.5]", "bool[]": "[True, False]",
    "complex[]": "[1j, 2+0j]", "str[]": "['a', 'b']", "Tensor?[]": "[torch.tensor([1, 0])]",
}  # fmt: skip
# The values of both packages, made anew for each call; `outcome` tells what a call gives and what it has written.
DRIVER = """
import math

def plain(v):
    if isinstance(v, torch.Tensor):
        v = v.detach()
        return ["tensor", str(v.dtype).split(".")[-1], list(v.shape), repr((v.dequantize() if "q" in str(v.dtype) else v).tolist())]
    if isinstance(v, (list, tuple)):
        return [plain(item) for item in v]
    return repr(v) if isinstance(v, (bool, int, float, complex, str, type(None))) else ["an object"]

def outcome(call):
    torch.manual_seed(0)
    x, y = (torch.arange(6.0).reshape(2, 3) - 2) / 4 + 0.1, torch.arange(6.0).reshape(2, 3) / 3 + 0.2
    values = dict(
        torch=torch, aten=torch.ops.aten, x=x, y=y, z=torch.complex(x, y), m=torch.arange(9.0).reshape(3, 3) / 7 + torch.eye(3), s=torch.tensor(1),
        i=torch.arange(6).reshape(2, 3) % 3, b=torch.tensor([[True, False, True], [False, True, True]]), im=torch.arange(32.0).reshape(1, 2, 4, 4) / 9,
        v=torch.arange(3.0) / 2, out=torch.empty(0), out1=torch.empty(0), out_ints=torch.empty(0, dtype=torch.int64), q=torch.tensor([0.1]),
        out_bools=torch.empty(0, dtype=torch.bool), out_complex=torch.empty(0, dtype=torch.complex64), grown=x.clone().requires_grad_(),
    )
    try:
        result = eval(call, values)
        return ["value", plain(result), [plain(values[name]) for name in ("x", "y", "m", "i", "b", "im", "out")]]
    except Exception as error:
        return ["error", type(error).__name__, str(error)[:300]]
"""
# Calls of overloads that no profile reaches, and of those that a tensor, number or list is given to in another form.
CALLS = """
aten.narrow.Tensor(x, 0, torch.tensor(1), 1) | aten.narrow.Tensor(x, 1, torch.tensor(-2), 2) | aten.narrow.Tensor(x, 0, torch.tensor(0.5), 1)
aten.copy_.Tensor(x, y[0]) | aten.copy_.int(i, 3) | aten.copy_.int(x, 3) | aten.copy_.float(x, 2.5) | aten.copy_.float(i, 2.5)
aten.mT.a(x) | aten.mH.a(z) | aten.data(grown) | aten.cpu(x) | aten.cuda(x) | aten.detach_(grown * 2).requires_grad | aten.detach_(grown).requires_grad | aten.retain_grad(grown) | aten.retain_grad(grown * 2)
aten.to.prim_dtype(x, torch.float64) | aten.to.prim_dtype(x) | aten.to.prim_other(x)
aten.as_tensor(x) | aten.as_tensor(x, dtype=torch.int64) | aten.as_tensor.int(3) | aten.as_tensor.float(2.5, dtype=torch.float64)
aten.as_tensor.bool(True) | aten.as_tensor.complex(1j)
aten.index.Tensor_hacked_twin(x, [torch.tensor([1, 0])]) | aten.index.Tensor_out(x, [torch.tensor([1])], out=out)
aten.index_put.hacked_twin(x, [torch.tensor([1])], torch.tensor(5.0)) | aten.index_put_.hacked_twin(x, [torch.tensor([1])], torch.tensor(5.0), True)
aten.index.list_Tensor([v[0], v[1]], v[1]) | aten.index.list_Tensor([v[0], v[1]], v[2]) | aten.index.list_int([1, 2], 2) | aten.index.list_str(["a", "b"], "b")
aten.index.list_float([1.0, 2.0], 2.0) | aten.index.list_bool([True, False], False)
aten.eq.Tensor_list([v[0]], [v[0]]) | aten.eq.Tensor_list([v[0]], [v[1]]) | aten.eq.Tensor_list([v[0]], []) | aten.eq.Tensor_list([x], [x])
aten.ne.Tensor_list([v[0]], [v[0]]) | aten.sort.Tensor([v[2], v[0]]) | aten.sort.int([3, 1]) | aten.sort.float([2.0, 1.0], True) | aten.eq.bool(True, False)
aten.linspace.Tensor_Scalar(v[1], 5, 3) | aten.linspace.Scalar_Tensor(1, v[2], 3) | aten.linspace.Tensor_Tensor(v[0], s, 4, dtype=torch.float64)
aten.linspace.Tensor_Scalar(v, 5, 3) | aten.linspace.Tensor_Tensor_out(v[0], s, 4, out=out) | aten.logspace.Tensor_Tensor(v[0], s, 4, 2.0)
aten.logspace.Tensor_Scalar(v[1], 2, 3) | aten.logspace.Scalar_Tensor(1, v[2], 3) | aten.logspace.Scalar_Tensor_out(1, v[2], 3, out=out)
aten.remainder.Scalar_Tensor(7, x) | aten.remainder.Scalar_Tensor(7.5, i) | aten.remainder.Scalar_Tensor_out(7, x, out=out)
aten.bernoulli.Tensor(x, y / 4) | aten.bernoulli.Tensor_out(x, y / 4, out=out) | aten.randint_like.Tensor(x, torch.tensor(4))
aten.randint_like.Tensor_generator(x, torch.tensor(4), generator=None) | aten.randint_like.Tensor_out(x, torch.tensor(4), out=out)
aten.dequantize.tensor(x) | aten.split.default(x, [1, 1]) | aten.split.default(x, [1, 2], 1) | aten.split.default(x, [1, 1], 1)
aten.pad_sequence([x, y[:1]]) | aten.pad_sequence([x, y[:1]], True, 0.5) | aten.pad_sequence([y[:1], x], True, 0.5, "left") | aten.pad_sequence([])
aten._foreach_pow.Scalar([x, i], 2) | aten._foreach_pow.List([y, x], [x, y]) | aten._foreach_pow.ScalarList([y, i], [2, 3]) | aten._foreach_pow.ScalarAndTensor(2, [x, i])
aten._foreach_pow.List([y], [x, y]) | aten._foreach_lerp_.List([x], [y], [y]) | aten._foreach_lerp_.Scalar([x], [y], 0.5) | aten._foreach_lerp_.ScalarList([x], [y], [0.5])
aten.add.default(1, 2) | aten.add.default(1, 2.5) | aten.add.default(1, 2j) | aten.sub.default(3, 1.5) | aten.mul.default(3, 2) | aten.div.default(3, 2) | aten.lt.default(1, 2.5)
aten.le.default(2, 2) | aten.gt.default(1, 2) | aten.eq.default(1, 1.0) | aten.ne.default(1, 2) | aten.pow.int(2, -3) | aten.pow.Scalar_Scalar(2, 3)
aten.cos.Scalar(1) | aten.cos.Scalar(1j) | aten.cos.complex(1 + 2j) | aten.exp.int(2) | aten.log.Scalar(3.5) | aten.floor.Scalar(2.5) | aten.floor.int(3)
aten.log.int_int(8, 2) | aten.log.complex_complex(8j, 2 + 1j) | aten.log.complex_int(8j, 2) | aten.log.float_complex(8.0, 2j) | aten.log.Scalar_Scalar(8, 2.0)
aten.isnan.complex(complex(1, math.nan)) | aten.sum.complex([1j, 2 + 0j]) | aten.Size([1, 2]) | aten.is_scripting()
aten.isnan.out(x, out=out_bools) | aten.isnan.out(x, out=out) | aten.clone.out(x, out=out_ints) | aten.normal.out(x, 0.0, 1.0, out=out)
aten.var_mean.correction_out(x, [0], correction=1, out0=out, out1=out1) | aten.masked_fill.Tensor_out(x, b, v[2], out=out) | aten.sum.out(x, out=out)
aten.quantize_per_tensor.tensors([x, y], torch.tensor([0.1, 0.2]), torch.tensor([0, 1]), torch.quint8)
aten.gelu.out(x, approximate="tanh", out=out) | aten.gelu_(x) | aten.linear.out(x, y, out=out) | aten.avg_pool2d.out(im, [2], out=out) | aten.all.all_out(b, out=out_bools)
aten.adaptive_avg_pool2d.out(im, [2, 1], out=out) | aten.floor_divide.out(x, y, out=out) | aten.mean.dtype_out(x, out=out) | aten.std.correction_out(x, [1], correction=0, out=out)
aten.prod.dim_int(z, 1) | aten.prod.dim_int(z, 0, True) | aten.randperm.out(-1, out=out_ints) | aten.dropout(i, 0.5, True) | aten.dropout(i, 0.5, False)
"""
# Overloads whose results differ on purpose, or are not the same in two runs.
OTHERWISE = {
    "its elements are not set": r"aten\.(empty|new_empty|resize_?)",
    "a dtype is no number here": r"aten\.(result_type|promote_types|to\.prim_dtype)",
    "PyTorch writes the mean into an empty tensor before it has its size": r"aten\.normal\.Tensor_float_out",
    "it is promoted as the operands of every operator": r"aten\.addcdiv",
    "a result that is no number is an error in a program, as in Python": r"aten\.(div\.int\(0, 0\)|log\.\w+\((0|1, 1|0\.5, [01])\b|log\.Scalar_Scalar\(1, 1\))",
    "Monograph draws no complex normal numbers, and only floats": r"aten\.(normal\.Tensor_float\(z|normal\.float_float_out\(0\.5, 0\.5, \[0, 1\]|randn\.(generator_)?out\(\[0, 1\])",
    "a power of bools is refused": r"aten\.pow\.(Tensor_)?Scalar(_out)?\((1, )?b",
    "the deviation of complex numbers is real": r"aten\.std\.(correction_)?out\(z",
}


def split_arguments(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()] if text[start:].strip() else parts


def argument(kind: str, profile: tuple[str, ...], tensors: list[str]) -> str | None:
    """The value of an argument of this type, as source text; None where profiles have none."""
    names, whole, wholes, number, _ = profile
    kind = re.sub(r"\([a-z!|* ->]*\)", "", kind)
    kind = re.sub(r"\[\d+\]", "[]", kind).replace("SymInt", "int")
    if kind == "Tensor":
        return tensors.pop(0) if tensors else names.split()[-1]
    if kind == "Tensor[]":
        return f"[{names.split()[0]}, {names.split()[1]}]"
    if kind.endswith("?"):
        return "None"
    return {"int": whole, "int[]": wholes, "Scalar": number}.get(kind, OTHERS.get(kind))


def call_of(name: str, schema: str, profile: tuple[str, ...]) -> str | None:
    """A call that gives every argument without a default."""
    tensors, given, named = profile[0].split(), [], False
    for part in split_arguments(schema[schema.index("(") + 1 : schema.rindex(") ->")]):
        kind, _, argument_name = part.rpartition(" ")
        named = named or part == "*"
        if part == "*" or "=" in argument_name:
            continue
        if named and "!" in kind:
            value = profile[4] if argument_name in ("out", "out0", "max", "min", "values") else "out1" if argument_name == "out1" else "out_ints"
            value = f"[{value}]" if kind.endswith("[]") else value
        elif (value := argument(kind, profile, tensors)) is None:
            return None
        given.append(f"{argument_name}={value}" if named else value)
    return f"aten.{name}({', '.join(given)})"


def same_numbers(a: Any, b: Any) -> bool:
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same_numbers, a, b))
    if isinstance(a, bool) or isinstance(b, bool) or isinstance(a, str):
        return a == b
    return a == b or (a != a and b != b) or abs(a - b) <= 1e-6 + 1e-5 * max(abs(a), abs(b))


def same(a: Any, b: Any) -> bool:
    """Whether two outcomes are the same, texts of numbers by their values."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    try:
        return a == b or same_numbers(*(eval(text, {"nan": math.nan, "inf": math.inf}) for text in (a, b)))
    except (NameError, SyntaxError, TypeError):
        return False


def outcomes_of(calls: list[str]) -> list[Any]:
    scope: dict[str, Any] = {"torch": monograph}
    exec(DRIVER, scope)
    return [scope["outcome"](call) for call in calls]


@pytest.fixture(scope="module")
def schemas(oracle: Any) -> dict[str, str]:
    """{"add.Tensor": PyTorch's schema} of the names that programs use."""
    lines = [line.rpartition(" ") for line in (ROOT / "tools" / "api_use.txt").read_text().splitlines() if not line.startswith("#")]
    names = sorted({name.rpartition(".")[2] for name, _, count in lines if int(count) >= 2})
    found = oracle.run(
        """result = {}
for name in names:
    packet = getattr(torch.ops.aten, name, None)
    for overload in getattr(packet, "overloads", list)():
        result[name + "." + overload] = str(getattr(packet, overload)._schema)""",
        names=names,
    )
    return {name: schema for name, schema in found.items() if "Dimname" not in schema}


def is_there(full_name: str) -> bool:
    name, _, overload = full_name.partition(".")
    packet = getattr(monograph.ops.aten, name, None)
    return packet is not None and overload in packet.overloads()


def test_every_overload_is_there_or_has_a_reason(schemas: dict[str, str]) -> None:
    missing = [name for name in schemas if not is_there(name)]
    without_reason = [name for name in missing if reason_of_overload(*name.split(".")) is None]
    assert not without_reason
    assert len(missing) < 0.06 * len(schemas), missing


def test_every_overload_computes_what_pytorch_computes(schemas: dict[str, str], oracle: Any) -> None:
    there = {name: schema for name, schema in schemas.items() if is_there(name)}
    made = {call: name for name, schema in there.items() for profile in PROFILES.values() if (call := call_of(name, schema, profile))}
    stated = [call.strip() for line in CALLS.strip().splitlines() for call in line.split(" | ")]
    calls = [call for call in [*stated, *made] if not any(re.match(pattern, call) for pattern in OTHERWISE.values())]
    theirs = oracle.run(DRIVER + "\nresult = [outcome(call) for call in calls]", calls=calls)
    wrong, reached = [], set()
    for call, wanted, got in zip(calls, theirs, outcomes_of(calls), strict=True):
        refused = wanted[0] == "error"
        if (refused and got[0] != "error" and call in stated) or (not refused and not same(wanted, got)):
            wrong.append(f"{call}\n    PyTorch {str(wanted)[:400]}\n    Monograph {str(got)[:400]}")
        elif not refused:
            reached.add(made.get(call) or ".".join(re.findall(r"aten\.(\w+)(?:\.(\w+))?", call)[0]))
    assert not wrong, f"{len(wrong)} of {len(calls)}:\n" + "\n".join(wrong[:30])
    assert len(reached) > 0.8 * len(there), sorted(set(there) - reached)


def test_profiles_make_calls_of_schemas() -> None:
    assert call_of("add.out", "aten::add.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)", PROFILES["floats"]) == "aten.add.out(x, y, out=out)"
    assert ast.parse(DRIVER)
