"""Freezes what the nodes of PyTorch's tape keep: their edges and saved values, as torchgen's derivation states them.

    .venv-oracle/bin/python tools/oracle/freeze_gradient_facts.py src/autograd/node_names.inc src/autograd/node_facts.inc

Needs PyYAML beside PyTorch. A line for each node that node_names.inc names: the arguments to which its edges lead, and what it saves, in the order in which it
is saved. A word of a saved value is

    other?1     a tensor, saved where edge 1 leads somewhere        tensors*     a list of tensors
    result=0    result 0 of the call; indices~1 has no gradient      .dim         another value; .dim- is shown without its sign, as PyTorch does
"""

import re
import sys
from pathlib import Path
from typing import Any

import pinned  # noqa: F401
import torch
import torchgen
from torchgen.api.autograd import match_differentiability_info, uses_single_grad
from torchgen.gen import parse_native_yaml
from torchgen.packaged.autograd.gen_variable_type import emit_body
from torchgen.packaged.autograd.load_derivatives import load_derivatives

# Of records that no line of node_names.inc has, and of steps that are recorded as others.
MORE = "MmBackward0 TBackward0 AdaptiveAvgPool2DBackward0 AdaptiveAvgPool3DBackward0 CtcLossBackward0 FillBackward2 FillBackward3 ZeroBackward0"
FILES = Path(torchgen.__file__).parent / "packaged"
FUNCTIONS, TAGS = str(FILES / "ATen/native/native_functions.yaml"), str(FILES / "ATen/native/tags.yaml")


def guard_of(name: str, body: str) -> str:
    """`?k` where the body saves the value only if edge k leads somewhere."""
    found = re.search(rf"if \(([^{{}}]*)\) {{\s*grad_fn->{name}_ = SavedVariable\(", body)
    edges = re.findall(r"should_compute_output\((\d)\)", found[1]) if found else []
    return "?" + "|".join(edges) if edges else ""


def words(info: Any, body: str, shown: set[str]) -> list[str]:
    found = []
    for saved in sorted(info.all_saved_inputs, key=lambda s: str(s.nctype.name)):
        name, kind = str(saved.nctype.name), str(saved.nctype.type)
        if name == saved.expr and "'TensorList'" in kind or "elem=BaseCType(type=BaseCppType(ns='at', name='Tensor'))" in kind and "Vector" in kind:
            found.append(f"{name}*")
        elif "name='Tensor'" in kind:
            found.append(name + guard_of(name, body))
        elif f"_saved_{name}" in shown:
            unsigned = any(f"name='{t}'" in kind for t in ("int64_t", "SymInt", "IntArrayRef", "SymIntArrayRef", "OptionalIntArrayRef", "OptionalSymIntArrayRef"))
            found.append(f".{name}" + "-" * unsigned)
    returned = [r.name or (f"result{i}" if len(info.func.func.returns) > 1 else "result") for i, r in enumerate(info.func.func.returns)]
    for saved in sorted(info.all_saved_outputs, key=lambda s: str(s.nctype.name)):
        name, kind = str(saved.nctype.name), str(saved.nctype.type)
        if name in returned and "Tensor" in kind:
            at = returned.index(name)
            differentiable = info.output_differentiability[at] if info.output_differentiability else at == 0 or not uses_single_grad(info)
            found.append(f"{name}{'=' if differentiable else '~'}{at}")
    return found


def main() -> None:
    names = set(re.findall(r'"(\w+)"\},', Path(sys.argv[1]).read_text())) | set(MORE.split())
    infos, _ = load_derivatives(str(FILES / "autograd/derivatives.yaml"), FUNCTIONS, TAGS)
    lines: dict[str, str] = {}
    for function in match_differentiability_info(parse_native_yaml(FUNCTIONS, TAGS).native_functions, infos):
        info = (function.info or {}).get("Default")
        if info is None or info.op not in names or info.op in lines or not info.has_derivatives or info.func.func.name != function.func.func.name:
            continue
        shown = set(dir(getattr(torch._C._functions, info.op, object)))
        edges = " ".join(str(a.nctype.name) for a in info.args_with_derivatives)
        lines[info.op] = f"{edges};{' '.join(words(info, chr(10).join(emit_body(function, 'Default')), shown))}"
    text = "// Written by tools/oracle/freeze_gradient_facts.py from PyTorch. Do not edit.\n"
    Path(sys.argv[2]).write_text(text + "".join(f'{{"{name}", "{facts}"}},\n' for name, facts in sorted(lines.items())))


main()
