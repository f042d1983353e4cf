"""Freezes the numbers that the nodes of PyTorch's tape save and that are no arguments of the call: the node of torch.selu(x) is elu's, with selu's alpha.

    .venv-oracle/bin/python tools/oracle/freeze_gradient_constants.py src/autograd/node_names.inc src/autograd/node_constants.inc

Of the operators that node_names.inc names and that take a tensor and nothing else. A number counts that is the same for tensors of any sizes.
"""

import re
import sys
from pathlib import Path

import pinned  # noqa: F401
import torch


def saved(op: torch._ops.OpOverload, x: torch.Tensor) -> dict[str, int | float]:
    """The numbers that the node of the call saves."""
    y = op(x)
    node = y.grad_fn if isinstance(y, torch.Tensor) else None
    found = {word.removeprefix("_saved_"): getattr(node, word) for word in sorted(dir(node)) if word.startswith("_saved_")}
    return {word: value for word, value in found.items() if type(value) in (int, float) and abs(value) < 2**31}  # -1 is shown as 2**64 - 1


def main() -> None:
    lines = []
    for name in sorted(set(re.findall(r'^{"aten::(\w+)"', Path(sys.argv[1]).read_text(), re.MULTILINE))):
        op = getattr(getattr(torch.ops.aten, name), "default", None)
        if op is None or op._schema.is_mutable or len(op._schema.arguments) != 1:
            continue
        try:
            first, second = (saved(op, torch.rand(sizes, requires_grad=True)) for sizes in ((3, 3), (4, 4)))
        except (RuntimeError, TypeError):  # it takes another kind of argument
            continue
        lines += [f'{{"{name}", "{word}", {value!r}}},\n' for word, value in first.items() if second.get(word) == value]
    text = "// Written by tools/oracle/freeze_gradient_constants.py from PyTorch. Do not edit.\n"
    Path(sys.argv[2]).write_text(text + "".join(lines))


main()
