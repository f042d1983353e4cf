"""GraphModule.to_folder: a module as a package of Python text, with its weights beside it."""

from __future__ import annotations

import enum
import os
import re
import textwrap
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import _C, nn, serialization
from ._codegen import ADDED_IMPORTS, BUILTIN_NAMES, without_wraps
from ._pytree_codegen import _PyTreeCodeGen

if TYPE_CHECKING:
    from .graph_module import GraphModule

# Their repr() makes them, unless it leaves something out.
_PLAIN = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d, nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)


def _is_told_by_repr(layer: Any) -> bool:
    """Whether repr() tells all of a layer but its values. It does not tell dtypes, which parameters are frozen, and hooks, such as those of weight_norm."""
    told = all(p.dtype == _C._dtypes["float32"] and p.requires_grad for p in layer.parameters()) and not (layer._forward_pre_hooks or layer._forward_hooks)
    return type(layer) in _PLAIN and told


def write(module: GraphModule, folder: str | os.PathLike[str], module_name: str) -> None:
    """Writes __init__.py, module.py, state_dict.pt, and a file for each module that is no plain layer.

    The files are found where module.py is, so the folder may be moved.
    """
    names: dict[str, Any] = module.graph.python_code("self").globals
    codegen = module.graph._codegen
    trees = codegen.pytree_info if isinstance(codegen, _PyTreeCodeGen) else None
    imports = import_lines(names, trees is not None)
    root = Path(folder)
    root.mkdir(exist_ok=True)
    serialization.save(module.state_dict(), root / "state_dict.pt")
    lines, saved = [], []
    for name, child in module.named_children():
        if _is_told_by_repr(child):
            lines.append(f"self.{name} = {child!r}" if name.isidentifier() else f"setattr(self, {name!r}, {child!r})")
        else:
            serialization.save(child, root / f"{name}.pt")
            saved.append(name)
            shown = re.sub(r"\s+", " ", repr(child))
            lines.append(f'setattr(self, {name!r}, torch.load(_here / "{name}.pt", weights_only=False))  # {shown}')
    for name, buffer in module._buffers.items():
        if buffer is not None and name in module._non_persistent_buffers_set:  # it is not in state_dict.pt
            serialization.save(buffer, root / f"{name}.pt")
            lines.append(f'self.register_buffer({name!r}, torch.load(_here / "{name}.pt"), persistent=False)')
        elif buffer is not None:
            lines.append(f"self.register_buffer({name!r}, torch.empty({list(buffer.shape)}, dtype={buffer.dtype}))")
    for name, p in module._parameters.items():
        if p is not None:
            lines.append(f"self.{name} = torch.nn.Parameter(torch.empty({list(p.shape)}, dtype={p.dtype}), {p.requires_grad})")
    lines.append('self.load_state_dict(torch.load(_here / "state_dict.pt"))')
    if trees is not None:
        serialization.save((trees.in_spec, trees.out_spec), root / "specs.pt")
        lines.append('self._in_spec, self._out_spec = torch.load(_here / "specs.pt", weights_only=False)')
    (root / "module.py").write_text(_text(module, imports, module_name, lines))
    (root / "__init__.py").write_text(f"from .module import {module_name}\n")
    if saved:
        warnings.warn(f"Was not able to save the following children modules as reprs -saved as pickled files instead: {saved}", stacklevel=3)


def import_lines(names: dict[str, Any], takes_trees: bool) -> list[str]:
    """The lines that give code the names that it uses. Raises RuntimeError for a function that no import gives."""
    lines = ["import monograph as torch", "from monograph import device, inf, nan", "from monograph.nn import *"]
    if takes_trees:
        lines += ["from monograph.fx import _pytree as fx_pytree", "from monograph.utils import _pytree as pytree"]
    lines += ADDED_IMPORTS.values()
    for name, value in names.items():
        if name == "torch" or name in BUILTIN_NAMES:
            continue
        if isinstance(value, enum.Enum) and _importable(type(value)):
            lines += [f"from {type(value).__module__} import {type(value).__qualname__}", f"{name} = {type(value).__qualname__}.{value.name}"]
            continue
        if not _importable(value):
            raise RuntimeError(f"the code calls {value!r}, which no import gives; define it at the top of a module")
        lines.append(f"from {value.__module__} import {value.__qualname__} as {name}")
    return [*lines, "", "NoneType = type(None)"]


def _importable(value: Any) -> bool:
    """Whether `from MODULE import NAME` gives it."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    return bool(module) and module != "__main__" and name.isidentifier()


def _text(module: GraphModule, imports: list[str], module_name: str, lines: list[str]) -> str:
    head = "\n".join(["from pathlib import Path", "", *imports]) + "\n_here = Path(__file__).parent\n\n\n"
    made = f"class {module_name}(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    code, leaves = without_wraps(module.code)
    end = "".join(f"\n\ntorch.fx.wrap({name!r})\n" for name in leaves)
    return head + made + textwrap.indent("\n".join(lines), "        ") + "\n\n" + textwrap.indent(code.strip(), "    ") + "\n" + end
