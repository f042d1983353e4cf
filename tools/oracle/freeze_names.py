"""Writes python/monograph/_pytorch_names.py: the public names of PyTorch, by which Monograph knows what it lacks. Run with PyTorch's interpreter:
.venv-oracle/bin/python tools/oracle/freeze_names.py"""

from __future__ import annotations

import importlib
import pkgutil
import textwrap
import types
from pathlib import Path

import pinned  # noqa: F401
import torch

ROOT = Path(__file__).resolve().parents[2]
# Modules that Monograph has too; of the others the module itself is what is missing.
MODULES = ["torch", "torch.autograd", "torch.autograd.forward_ad", "torch.autograd.function", "torch.autograd.functional", "torch.autograd.graph", "torch.cuda", "torch.distributions", "torch.func", "torch.fx", "torch.jit", "torch.library", "torch.linalg", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.random"]


def is_foreign(value: object) -> bool:
    """Whether a module only imports this: Python's own modules, and what they define."""
    home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None) or "torch"
    return home.split(".")[0] in ("__future__", "abc", "builtins", "collections", "contextlib", "copy", "enum", "functools", "importlib", "itertools", "math", "numpy", "operator", "os", "platform", "sys", "threading", "typing", "typing_extensions", "warnings") and not isinstance(value, types.BuiltinFunctionType)


def names_of(thing: object) -> list[str]:
    return sorted(name for name in dir(thing) if not name.startswith("_") and not is_foreign(getattr(thing, name)))


def submodules() -> list[str]:
    """torch.NAME and torch.NAME.NAME, as files; none of them is imported."""
    found = []
    for outer in pkgutil.iter_modules(torch.__path__):
        if outer.name.startswith("_"):
            continue
        found.append(f"torch.{outer.name}")
        if outer.ispkg:
            folder = [f"{path}/{outer.name}" for path in torch.__path__]
            found += [f"torch.{outer.name}.{inner.name}" for inner in pkgutil.iter_modules(folder) if not inner.name.startswith("_")]
    return sorted(found)


def text(name: str, names: list[str]) -> str:
    lines = textwrap.wrap(" ".join(names), 136, break_long_words=False, break_on_hyphens=False)
    return f'    "{name}": """\n' + "\n".join(lines) + '\n""",\n'


def main() -> None:
    found = {module: names_of(importlib.import_module(module)) for module in MODULES}
    # Names that exist on the class but raise on access are names too.
    for kind in (torch.Tensor, torch.nn.Module):
        found[f"torch.{'nn.' if kind is torch.nn.Module else ''}{kind.__name__}"] = sorted(name for name in dir(kind) if not name.startswith("_"))
    parts = "".join(text(name, names) for name, names in sorted(found.items()))
    (ROOT / "python" / "monograph" / "_pytorch_names.py").write_text(
        f'"""The public names of PyTorch {torch.__version__.split("+")[0]}. Made by tools/oracle/freeze_names.py."""\n\n'
        f"NAMES = {{\n{parts}}}\nMODULES = \"\"\"\n" + "\n".join(textwrap.wrap(" ".join(submodules()), 136)) + '\n"""\n'
    )


main()
