"""Checks each exported form of an operator against ONNX's reference implementation, and freezes the forms that hold.

    MONOGRAPH_ONNX_CASES=cases.jsonl build/release/tests/onnx_test; python tools/oracle/freeze_onnx.py cases.jsonl tests/data/onnx/verified.txt

Run with an interpreter that has onnx and numpy (.venv-oracle). A case is the exported graph of one call with PyTorch's frozen arguments and
results (tests/data/ops); the graph is run node by node, and its results must be PyTorch's within rounding of the dtype. A form of which one
case differs is not frozen, and printed.
"""

from __future__ import annotations

import collections
import json
import sys

import ml_dtypes
import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

OPSET = 23
CASES_A_FORM = 12
DTYPES = {
    "float32": np.float32, "float64": np.float64, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "int8": np.int8, "int16": np.int16,
    "int32": np.int32, "int64": np.int64, "uint8": np.uint8, "bool": np.bool_, "complex64": np.complex64, "complex128": np.complex128,
}  # fmt: skip
TOLERANCE = {np.float32: 2e-5, np.float64: 1e-7, np.float16: 4e-3}


class Skip(Exception):
    """ONNX, or its reference, has no such dtype."""


def tensor(j: dict) -> np.ndarray:
    flat = np.frombuffer(bytes.fromhex(j["x"]), dtype=DTYPES[j["t"]])
    size = flat.dtype.itemsize
    view = np.lib.stride_tricks.as_strided(flat[j["o"] :], j["s"], [s * size for s in j["st"]]) if flat.size else np.empty(j["s"], flat.dtype)
    return np.array(view)


def tensors(j) -> list:
    """The tensors among frozen arguments, in order."""
    if isinstance(j, dict):
        return [tensor(j)] if "t" in j else []
    return [t for part in j for t in tensors(part)] if isinstance(j, list) else []


def literal(j):
    if isinstance(j, dict):
        return float(j["f"]) if "f" in j else onnx.helper.np_dtype_to_tensor_dtype(np.dtype(DTYPES[j["d"]]))
    return [literal(p) for p in j] if isinstance(j, list) else j


def constant(j, dtype) -> np.ndarray:
    value = literal(j)
    return np.array(value, dtype=np.int64 if isinstance(value, list) else dtype)


def inputs_of(node: dict, values: dict) -> list:
    """Numbers take the element type of the first tensor whose type the schema says is theirs too."""
    schema = onnx.defs.get_schema(node["op"], OPSET)
    formal = lambda k: schema.inputs[min(k, len(schema.inputs) - 1)]  # noqa: E731
    types, floats = {}, any(isinstance(j, dict) and "f" in j for j in node["in"])
    for k, j in enumerate(node["in"]):
        if isinstance(j, dict) and "n" in j and isinstance(values[j["n"]], np.ndarray):
            types.setdefault(formal(k).type_str, values[j["n"]].dtype)
    out = []
    for k, j in enumerate(node["in"]):
        if j is None:
            out.append(None)
        elif isinstance(j, dict) and "n" in j:
            out.append(values[j["n"]])
        else:
            named = formal(k).type_str
            fixed = {"tensor(int64)": np.int64, "tensor(float)": np.float32}.get(named)
            alone = np.bool_ if isinstance(j, bool) else np.float32 if floats else np.int64
            beside = types.get(named) or next(iter(types.values()), None)
            out.append(constant(j, fixed or beside or alone))
    return out


def run_node(node: dict, values: dict):
    inputs = inputs_of(node, values)
    if any(isinstance(v, np.ndarray) and v.dtype.kind in "cV" for v in inputs):
        raise Skip
    names = [f"i{k}" if v is not None else "" for k, v in enumerate(inputs)]
    attributes = {k: literal(v) for k, v in node["at"].items()}
    made = onnx.helper.make_node(node["op"], names, ["o"], **attributes)
    schema = onnx.defs.get_schema(node["op"], OPSET)
    for k, v in attributes.items():  # a Python int where the schema wants a float
        if schema.attributes[k].type == onnx.defs.OpSchema.AttrType.FLOAT and isinstance(v, int):
            made = onnx.helper.make_node(node["op"], names, ["o"], **{**attributes, k: float(v)})
    value = lambda v: (  # noqa: E731
        onnx.helper.make_sequence_type_proto(onnx.helper.make_tensor_type_proto(onnx.helper.np_dtype_to_tensor_dtype(v[0].dtype), None))
        if isinstance(v, list)
        else onnx.helper.make_tensor_type_proto(onnx.helper.np_dtype_to_tensor_dtype(v.dtype), None)
    )
    given = [onnx.helper.make_value_info(n, value(v)) for n, v in zip(names, inputs) if n]
    result = onnx.helper.make_value_info("o", onnx.TypeProto())
    graph = onnx.helper.make_graph([made], "g", given, [result])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", OPSET)])
    return ReferenceEvaluator(model).run(None, {n: v for n, v in zip(names, inputs) if n})[0]


def results(j, values: dict) -> list:
    if isinstance(j, dict):
        v = values.get(j["n"])
        return list(v) if isinstance(v, list) else [v]
    return [r for part in j for r in results(part, values)]


def differs(case: dict) -> str:
    values = dict(zip(case["inputs"], tensors(case["a"])))
    for node in case["nodes"]:
        values[node["name"]] = run_node(node, values)
    for got, want in zip(results(case["out"], values), tensors(case["r"])):
        if got is None:
            continue
        got = np.asarray(got)
        if got.shape != want.shape:
            return f"sizes {got.shape}, PyTorch gives {want.shape}"
        if got.dtype != want.dtype:
            return f"dtype {got.dtype}, PyTorch gives {want.dtype}"
        a, b = (x.astype(np.float64) if x.dtype.kind in "fV" or x.dtype == ml_dtypes.bfloat16 else x for x in (got, want))
        relative = 2e-2 if want.dtype == ml_dtypes.bfloat16 else TOLERANCE.get(want.dtype.type, 0)
        scale = max([float(np.max(np.abs(x[np.isfinite(x)]), initial=0)) for x in tensors(case["a"]) if x.dtype.kind == "f"], default=1)
        if not np.allclose(a, b, rtol=relative, atol=relative * min(scale, 1e3), equal_nan=True):
            return f"{got.ravel()[:8]}, PyTorch gives {want.ravel()[:8]}"
    return ""


def main() -> None:
    cases, good, bad = collections.Counter(), set(), {}
    for line in open(sys.argv[1]):
        case = json.loads(line)
        form = case["form"]
        key = (form, tuple(t.dtype.str for t in tensors(case["a"])))
        if form in bad or cases[key] >= CASES_A_FORM:
            continue
        cases[key] += 1
        try:
            with np.errstate(all="ignore"):
                message = differs(case)
        except Skip:
            continue
        except Exception as e:  # whatever the reference raises is a finding
            message = f"{type(e).__name__}: {e}"
        if message:
            bad[form] = message[:300]
        else:
            good.add(form)
    for form, message in sorted(bad.items()):
        print(f"{form}\n    {message}")
    with open(sys.argv[2], "w") as f:
        f.writelines(f"{form}\n" for form in sorted(good - set(bad)))
    print(f"{len(good - set(bad))} forms hold, {len(bad)} do not, {sum(cases.values())} cases")


if __name__ == "__main__":
    main()
