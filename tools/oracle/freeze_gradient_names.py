"""Freezes the names that PyTorch gives the nodes of the records' gradients.

    support_matrix --samples | .venv-oracle/bin/python tools/oracle/freeze_gradient_names.py src/autograd/node_names.inc

PyTorch counts the overloads that have a gradient: x.sum(1).grad_fn.name() is SumBackward1. An operator that it makes of others has the name of the last one:
torch.square gives PowBackward0. Each record is called with its samples, as Python calls it (torch.add(x, 2) is add.Tensor in PyTorch). A record whose samples
give several names has a line for each kind of arguments that gives one: linear of a matrix is AddmmBackward0.
"""

import itertools
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pinned  # noqa: F401
import torch
from samples import Samples

torch.set_num_threads(1)
warnings.simplefilter("ignore")
# Calls that programs make and that no sample has. Of these records, other kinds of arguments have the name that most kinds have.
CALLS = {
    "aten::batch_norm": """[[t(f32, *s), w and t(f32, s[1]), w and t(f32, s[1]), r and t(f32, s[1]), r and t(f32, s[1], low=0.5), training, 0.1, 1e-5, cudnn]
        for s in ((4, 3), (2, 3, 4), (2, 3, 4, 4), (2, 3, 2, 2, 2)) for w in (None, True) for r, training in ((None, True), (True, True), (True, False))
        for cudnn in (True, False)]""",
    "aten::nll_loss": "[[t(f32, 2, 3, *s), index(3, 2, *s), w and t(f32, 3), r] for s in ((), (4,), (4, 4)) for w in (None, True) for r in (0, 1, 2)]",
    "aten::scaled_dot_product_attention": """[[t(f32, 2, 2, 3, 4), t(f32, 2, 2, 3, 4), t(f32, 2, 2, 3, 4), m and t(torch.bool, 3, 3), 0.0, c]
        for m, c in ((None, False), (True, False), (None, True))]""",
}
MODULES = (torch, torch._C._nn, torch._C._linalg, torch._C._special, torch._C._fft, torch.Tensor)


def spellings(name: str) -> Iterator[Callable[..., Any]]:
    """The functions that may stand for a record: Python's, then the overload itself."""
    base, _, overload = name.partition("::")[2].partition(".")
    yield from (getattr(module, function) for function in (base, f"{base}_nd") for module in MODULES if hasattr(module, function))
    yield getattr(getattr(torch.ops.aten, base), overload or "default")


def flat(value: Any) -> list[Any]:
    return [x for part in value for x in flat(part)] if isinstance(value, (list, tuple)) else [value]


def leaf(value: Any) -> Any:
    if isinstance(value, list):
        return [leaf(v) for v in value]
    differentiable = isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
    return value.detach().clone().requires_grad_() if differentiable else value


def kind_of(case: list[Any]) -> str:
    """What a name may depend on, as src/autograd/node_names.cpp asks: a tensor's number of dims, a bool, None."""
    words = {True: "T", False: "F", None: "-"}
    return ",".join(str(v.dim()) if isinstance(v, torch.Tensor) else words[v] if v is None or isinstance(v, bool) else "." for v in case)


def names(name: str, schema: Any, case: list[Any]) -> set[str]:
    """Of the nodes of the results; empty where the call has no gradient."""
    # Some functions refuse a gradient of an argument, as batch_norm does of its running statistics: then of the first argument alone.
    for function, first_alone in itertools.product(spellings(name), (False, True)):
        given = [leaf(v) if k == 0 or not first_alone else v for k, v in enumerate(case)]
        positional = [v for a, v in zip(schema.arguments, given, strict=True) if not a.kwarg_only]
        keywords = {a.name: v for a, v in zip(schema.arguments, given, strict=True) if a.kwarg_only}
        try:
            results = flat(function(*positional, **keywords))
        except Exception:  # noqa: BLE001 - the next spelling takes these arguments
            continue
        return {x.grad_fn.name() for x in results if isinstance(x, torch.Tensor) and x.grad_fn is not None}
    return set()


def frozen(records: list[dict[str, Any]], seed: str) -> dict[tuple[str, str], str]:
    """The name for each record and kind of arguments; the kind is empty where it does not matter."""
    lines = {}
    for record in records:
        base, _, overload = record["op"].partition("::")[2].partition(".")
        packet = getattr(torch.ops.aten, base, None)
        op = getattr(packet, overload or "default", None)
        if "samples" not in record or op is None or op._schema.is_mutable:
            continue
        by_kind: dict[str, set[str]] = {}
        all_names: set[str] = set()
        samples = Samples(op._schema, seed)
        for case in samples.cases(record["samples"]) + samples.cases(CALLS.get(record["op"], "[]")):
            of_case = names(record["op"], op._schema, case)
            all_names |= of_case
            # PyTorch converts other dtypes than float32 first or last, so their nodes say nothing of a usual call.
            if all(v.dtype in (torch.float32, torch.int64, torch.bool) for v in flat(case) if isinstance(v, torch.Tensor)):
                by_kind.setdefault(kind_of(case), set()).update(of_case)
        if len(all_names) == 1:
            by_kind = {"": all_names}
        if record["op"] in CALLS and len(all_names) > 1:
            most = set(max(by_kind.values(), key=list(by_kind.values()).count))
            by_kind = {"": most} | {kind: found for kind, found in by_kind.items() if found != most}
        for kind, found in by_kind.items():
            if len(found) == 1 and not (name := next(iter(found))).startswith("torch::"):
                lines[record["op"], kind] = name
    return lines


def main() -> None:
    records = [json.loads(line) for line in sys.stdin]
    lines = frozen([r for r in records if r["op"].startswith("aten::")], "".join(sys.argv[2:3]))
    text = "// Written by tools/oracle/freeze_gradient_names.py from PyTorch. Do not edit.\n"
    Path(sys.argv[1]).write_text(text + "".join(f'{{"{op}", "{kind}", "{name}"}},\n' for (op, kind), name in sorted(lines.items())))


main()
