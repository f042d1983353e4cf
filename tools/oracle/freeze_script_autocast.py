"""Freezes which operators PyTorch's compiler of scripts casts inside of torch.autocast.

    .venv-oracle/bin/python tools/oracle/freeze_script_autocast.py src/capture/script/autocast.inc

The pass itself is asked (torch._C._jit_pass_autocast): a call of each schema is put into the region of a script. A line names the operator and the cast of its
tensors: Float32, LowerPrecision, or Float32WithoutDType where a call that names a dtype has none. This list is not the one of programs without a script, which
the records state: there torch.mv keeps float32.
"""

import sys
from pathlib import Path
from typing import Any

import pinned  # noqa: F401
import torch

CASTS = ("aten::_autocast_to_full_precision", "aten::_autocast_to_reduced_precision")


class Region(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = torch.relu(x)
        return y


def casts(region: torch._C.Graph, schema: Any, with_dtype: bool) -> set[str]:
    """The casts that the pass puts around a call of the schema."""
    graph = region.copy()
    torch._C._jit_pass_inline(graph)
    place = next(n for n in graph.nodes() if n.kind() == "aten::relu")
    given = []
    for a in schema.arguments:
        given.append(graph.addInput())
        dtype = torch._C.IntType.get() if with_dtype or not isinstance(a.type, torch._C.OptionalType) else torch._C.NoneType.get()
        given[-1].setType(dtype if a.name == "dtype" else a.type)
    node = graph.create(schema.name, given, len(schema.returns))
    for output, returned in zip(node.outputs(), schema.returns, strict=True):
        output.setType(returned.type)
    graph.insertNode(node)
    node.moveBefore(place)
    torch._C._jit_pass_autocast(graph)
    return {n.kind() for n in graph.nodes() if n.kind() in CASTS}


def main() -> None:
    torch._C._jit_set_autocast_mode(True)
    region = torch.jit.script(Region()).graph
    found: dict[str, str] = {}
    for schema in torch._C._jit_get_all_schemas():
        if not schema.name.startswith("aten::") or schema.name in CASTS or not any(isinstance(a.type, torch._C.TensorType) for a in schema.arguments):
            continue
        try:
            with_dtype, without = casts(region, schema, True), casts(region, schema, False)
        except RuntimeError as error:
            if "unsafe to autocast" not in str(error).lower():
                raise
            found[schema.name] = "Refused"
            continue
        if without:
            cast = "LowerPrecision" if CASTS[1] in without else "Float32" if with_dtype else "Float32WithoutDType"
            if found.setdefault(schema.name, cast) != cast and not {cast, found[schema.name]} <= {"Float32", "Float32WithoutDType"}:
                raise ValueError(f"{schema.name}: {cast} and {found[schema.name]}")
    text = "// Written by tools/oracle/freeze_script_autocast.py from PyTorch. Do not edit.\n"
    Path(sys.argv[1]).write_text(text + "".join(f'{{"{name}", ScriptCast::{cast}}},\n' for name, cast in sorted(found.items())))


main()
