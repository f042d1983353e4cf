"""Freezes what PyTorch computes for every operator record, as the expectations of tests/cpp/ops_test.cpp.

    support_matrix --samples | .venv-oracle/bin/python tools/oracle/freeze_ops.py tests/data/ops

writes one file a family: a line an operator (its name and PyTorch's own schema), then a line a case, JSON. What it is called with stands on
the record (`.samples(...)`, in the words of samples.py). Tensors are given by dtype, sizes, strides, offset and the hexadecimal bytes of their
storage; results are contiguous. A case that PyTorch refuses keeps the exception's type. `--seed N` after the folder draws other samples than the
committed ones, as tests/python/test_oracle_ops.py does.
"""

import json
import sys
from pathlib import Path

import pinned  # noqa: F401
import torch
from samples import Samples

torch.set_num_threads(1)
EXACT_ENOUGH = (torch.float32, torch.float64, torch.complex64, torch.complex128)


def encode(v):
    if isinstance(v, torch.Tensor):
        storage = v.untyped_storage()
        data = bytes(storage)
        if v._is_zerotensor() or v.is_conj() or v.is_neg():
            v = v.resolve_conj().resolve_neg().contiguous()
            data = bytes(v.untyped_storage())
        return {"t": str(v.dtype)[6:], "s": list(v.shape), "st": list(v.stride()), "o": v.storage_offset(), "x": data.hex()}
    if isinstance(v, (list, tuple)):
        return [encode(x) for x in v]
    if isinstance(v, torch.dtype):
        return {"d": str(v)[6:]}
    if isinstance(v, torch.device):
        return {"c": str(v)}
    if isinstance(v, torch.memory_format):
        return {"m": ["torch.contiguous_format", "torch.preserve_format", "torch.channels_last"].index(str(v))}
    if isinstance(v, float):
        return {"f": repr(v)}
    if isinstance(v, complex):
        return {"z": [v.real, v.imag]}
    return v


def result(v):
    if isinstance(v, torch.Tensor):
        return encode(v.detach().clone(memory_format=torch.contiguous_format))
    return [result(x) for x in v] if isinstance(v, (list, tuple)) else encode(v)


def call(op, args):
    """The positional call, with what the schema keeps for keywords by name."""
    schema = op._schema
    positional = [v for a, v in zip(schema.arguments, args, strict=True) if not a.kwarg_only]
    keywords = {a.name: v for a, v in zip(schema.arguments, args, strict=True) if a.kwarg_only}
    return op(*positional, **keywords)


def tensors_of(args):
    """The tensors among the arguments, those of lists too, in order."""
    return [x for a in args for x in (a if isinstance(a, list) else [a]) if isinstance(x, torch.Tensor)]


def weights(x):
    """What flows back into a result: exact numbers of either sign, none of them 0."""
    n = torch.arange(x.numel())
    real = ((n * 7 % 11 - 5.5) / 4).double()
    return (torch.complex(real, ((n * 5 % 13 - 6.5) / 4).double()) if x.is_complex() else real).to(x.dtype).reshape(x.shape)


def gradients(op, args, first_alone):
    """The gradients of a call by its floating tensors: None for one that has none, False for one that was not asked. None where the call has no
    gradient at all. Cases in float32 and float64, and complex numbers of them: narrower dtypes round in every step of a rule, which no two libraries have alike."""
    floating = [x for x in tensors_of(args) if x.is_floating_point() or x.is_complex()]
    if op._schema.is_mutable or any(x.dtype not in EXACT_ENOUGH for x in floating):
        return None
    for asked in (len(floating), 1):  # a weight or a running mean may refuse one: then the first alone
        rest = iter([x.detach().clone().requires_grad_(k < asked) for k, x in enumerate(floating)])

        def leaf(x):
            return next(rest) if isinstance(x, torch.Tensor) and (x.is_floating_point() or x.is_complex()) else x  # noqa: B023 - used at once

        leaves = [[leaf(x) for x in a] if isinstance(a, list) else leaf(a) for a in args]
        try:
            results = call(op, leaves)
            roots = [
                x for x in (results if isinstance(results, (list, tuple)) else [results]) if isinstance(x, torch.Tensor) and x.requires_grad
            ]
            roots = roots[:1] if first_alone else roots
            inputs = [x for x in tensors_of(leaves) if x.requires_grad]
            if not roots or not inputs:
                return None
            found = torch.autograd.grad(roots, inputs, [weights(x) for x in roots], allow_unused=True)
            return [*found, *[False] * (len(floating) - len(found))]
        except (RuntimeError, NotImplementedError):
            continue
    return None


def pytorchs(name):
    """PyTorch's operator of this name, or None."""
    space, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    try:
        return getattr(getattr(getattr(torch.ops, space), base), overload or "default") if space == "aten" else None
    except AttributeError:
        return None


def case(op, args, first_alone):
    frozen = {"a": [encode(a) for a in args]}
    try:
        frozen["r"] = result(call(op, args))
        if (g := gradients(op, args, first_alone)) is not None:
            frozen["g"] = result(g)
    except Exception as e:  # noqa: BLE001 - whatever PyTorch raises is the expectation
        frozen["e"] = type(e).__name__
    return frozen


def main():
    folder, seed = Path(sys.argv[1]), "".join(sys.argv[3:4])
    folder.mkdir(parents=True, exist_ok=True)
    lines, sampled = {}, set()
    for line in sys.stdin:
        record = json.loads(line)
        op = pytorchs(record["op"])
        if op is None:
            assert "samples" not in record, f"PyTorch has no {record['op']}: say .samples(none(...)) on its record"
            continue
        out = lines.setdefault(record["family"], [])
        out.append(json.dumps({"op": record["op"], "schema": str(op._schema)}))
        if "samples" not in record:  # no values can be compared, or the tests run it on the cases of its functional form
            continue
        for args in Samples(op._schema, seed).cases(record["samples"]):
            out.append(json.dumps(case(op, args, record["first_result_alone"]), separators=(",", ":")))
            sampled.add(record["family"])
    for family in sampled:
        (folder / f"{family}.jsonl").write_text("\n".join(lines[family]) + "\n")


main()
