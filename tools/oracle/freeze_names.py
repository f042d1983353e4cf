"""Writes python/monograph/_pytorch_names.py and _pytorch_classes.py: the public names of PyTorch, by which Monograph knows what it lacks. Run with PyTorch's
interpreter: .venv-oracle/bin/python tools/oracle/freeze_names.py

NAMES holds the names of each public module that Monograph has too, and of those that lie near the top, CLASSES those of each public class in the modules that it has.
MODULES holds all public modules: of other ones that Monograph lacks, the module itself is what is missing. OPERATORS holds the names in torch.ops."""

from __future__ import annotations

import contextlib
import importlib
import io
import pkgutil
import sys
import textwrap
import types
import warnings
from collections.abc import Iterator
from pathlib import Path

import pinned  # noqa: F401
import torch

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "monograph"
DEVICES = ("torch.accelerator", "torch.mps", "torch.mtia", "torch.xpu")
OTHERS = sys.stdlib_module_names | {"numpy", "typing_extensions", "sympy"}


def is_foreign(value: object) -> bool:
    """Whether a module only imports this: modules of others, and what they define."""
    home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None) or "torch"
    return isinstance(home, str) and home.split(".")[0] in OTHERS and not isinstance(value, types.BuiltinFunctionType)


def submodules(package: types.ModuleType) -> Iterator[str]:
    """The public modules below a package. All of them are imported, where that works: some need packages that are not installed."""
    for found in pkgutil.iter_modules(getattr(package, "__path__", ())):
        name = f"{package.__name__}.{found.name}"
        if found.name.startswith("_"):
            continue
        yield name
        with contextlib.suppress(BaseException):
            yield from submodules(importlib.import_module(name))


def is_ours(module: str) -> bool:
    """Whether Monograph has a module of this name: as a file, or made by backends/__init__.py or _devices.py."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists() or module.startswith("torch.backends.") or module in DEVICES


def names_of(module: types.ModuleType) -> list[str]:
    found = []
    for name in sorted({*dir(module), *getattr(module, "__all__", ())}):
        with contextlib.suppress(AttributeError, RuntimeError, ImportError):
            if not name.startswith("_") and not is_foreign(getattr(module, name)):
                found.append(name)
    return found


def rank(home: str) -> tuple[int, int, str]:
    return home.count("."), len(home), home


def classes_of(modules: dict[str, list[str]]) -> dict[str, list[str]]:
    """The classes of these modules, by their shortest names, with what each has beside the classes that it derives from. A name of a class that raises when it is
    asked for is a name too."""
    homes: dict[type, str] = {}
    for module, names in modules.items():
        for name in names:
            value, full = getattr(sys.modules[module], name), f"{module}.{name}"
            if isinstance(value, type) and not isinstance(value, type(torch.FloatTensor)) and (value not in homes or rank(full) < rank(homes[value])):
                homes[value] = full
    found = {}
    for value, home in homes.items():
        inherited = {name for base in value.__mro__[1:] if base in homes or base is object for name in dir(base)}
        found[home] = sorted(name for name in set(dir(value)) - inherited if not name.startswith("_"))
    return found


def text(name: str, names: list[str]) -> str:
    joined = " ".join(names)
    whole = f'    "{name}": "{joined}",\n'
    if len(whole) <= 160:
        return whole
    lines = textwrap.wrap(" ".join(names), 156, break_long_words=False, break_on_hyphens=False)
    return f'    "{name}": """\n' + "\n".join(lines) + '\n""",\n'


def table(name: str, found: dict[str, list[str]]) -> str:
    return f"{name} = {{\n{''.join(text(*entry) for entry in sorted(found.items()))}}}\n"


def operators() -> dict[str, list[str]]:
    """The names of the operators in the namespaces that packages read, those of TorchScript's language too."""
    found: dict[str, set[str]] = {namespace: set() for namespace in ("aten", "prims", "profiler", "quantized")}
    for full in [*torch._C._dispatch_get_all_op_names(), *(schema.name for schema in torch._C._jit_get_all_schemas())]:
        namespace, _, name = full.partition("::")
        if namespace in found:
            found[namespace].add(name.partition(".")[0])
    return {namespace: sorted(names) for namespace, names in found.items()}


def main() -> None:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        modules = sorted({"torch", *submodules(torch)})
        found = {name: names_of(sys.modules[name]) for name in modules if name in sys.modules and (is_ours(name) or name.count(".") < 3)}
        ours = {name: names for name, names in found.items() if is_ours(name)}
        classes = {name: names for name, names in classes_of(ours).items() if names}
    of = f"of PyTorch {torch.__version__.split('+')[0]}. Made by tools/oracle/freeze_names.py."
    others = {name: names for name, names in found.items() if name not in ours}
    (PACKAGE / "_pytorch_names.py").write_text(
        f'"""The public names {of}"""\n\nfrom ._pytorch_modules import MODULES as MODULES, OTHERS\n\n{table("NAMES", ours)}NAMES.update(OTHERS)\n'
    )
    (PACKAGE / "_pytorch_modules.py").write_text(
        f'"""The names of the modules {of} OTHERS has what stands in those that are not documented."""\n\n{table("OTHERS", others)}MODULES = """\n'
        + "\n".join(textwrap.wrap(" ".join(modules), 156))
        + '\n"""\n'
    )
    (PACKAGE / "_pytorch_operators.py").write_text(f'"""The names in torch.ops {of}"""\n\n{table("OPERATORS", operators())}')
    (PACKAGE / "_pytorch_classes.py").write_text(f'"""The names of the public classes {of}"""\n\n{table("CLASSES", classes)}')


main()
