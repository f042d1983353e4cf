"""The error for a name that PyTorch has and Monograph lacks.

It says that the name is missing, and what to use until then: words of _INSTEAD, or the nearest name that is there. Any other name gives Python's
ordinary AttributeError. _pytorch_names.py lists PyTorch's names.
"""

from __future__ import annotations

import dis
import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

from . import _C

# The modules of the package that PyTorch has too.
_MODULES = (
    "", "autograd", "autograd.forward_ad", "autograd.function", "autograd.functional", "autograd.graph", "cuda", "fft", "func", "jit", "library", "linalg",
    "nn", "nn.functional", "nn.init", "random", "special",
)  # fmt: skip
_IMPORT_FROM = dis.opmap["IMPORT_FROM"]
# What to write until a name is there, where the name itself does not suggest it.
_INSTEAD = {
    "torch.export": "capture with torch.capture(f, x), and save the graph with graph.save(path)",
    "torch.onnx.export": "save the graph with graph.save(path)",
}


def _sentence(full: str, near: Iterable[str]) -> str:
    home, _, name = full.rpartition(".")
    nearest = _C._nearest(name, [n for n in near if not n.startswith("_")]) if len(name) > 4 else ""  # many short names are near by chance
    hint = f" The nearest name that is here is {home}.{nearest}." if nearest else ""
    instead = _INSTEAD.get(full)
    way_out = f" Until then, {instead}" if instead else f"{hint} docs/scope.md says what is planned and what to use until then"
    return f"{full} exists in PyTorch, but it is not in Monograph yet.{way_out}"


def sentence(full: str) -> str:
    """The words for a name that is missing."""
    home = sys.modules.get(full.rpartition(".")[0].replace("torch", __name__.partition(".")[0], 1))
    return _sentence(full, vars(home) if home else ())


# What `from MODULE import NAME` gives for a missing name while Monograph stands in for torch; empty where it raises.
_hook: list[Callable[[str], Any]] = []


def on_import(hook: Callable[[str], Any]) -> None:
    """From here on, an import of a missing name gives hook(full name), which raises when it is used."""
    _hook[:] = [hook]


def stands_in() -> bool:
    """Whether Monograph stands in for torch."""
    return bool(_hook)


def stand_in_for(full: str) -> Any:
    """What stands for a name that is missing, while Monograph stands in for torch."""
    return _hook[0](full)


def _is_module(full: str) -> bool:
    from ._pytorch_names import MODULES

    return full in MODULES.split()


@functools.cache
def _names(home: str) -> frozenset[str]:
    from ._pytorch_names import MODULES, NAMES

    inside = (module.rpartition(".") for module in MODULES.split())
    named = (full.rpartition(".") for full in _INSTEAD)
    return frozenset(NAMES.get(home, "").split()) | {name for outer, _, name in (*inside, *named) if outer == home}


def _is_known(home: str, name: str) -> bool:
    return name in _names(home)


def _is_imported() -> bool:
    """Whether `from MODULE import NAME` calls a module's __getattr__. Python would replace the text of an AttributeError there, so an ImportError is raised."""
    frame = sys._getframe(2)
    return frame.f_lasti >= 0 and frame.f_code.co_code[frame.f_lasti] == _IMPORT_FROM


def _submodule(module: str, name: str) -> Any:
    """A module of a package that nothing has imported yet: PyTorch imports it with torch. None where there is no such file."""
    for folder in getattr(sys.modules[module], "__path__", ()):
        file = os.path.join(folder, name)
        if os.path.isfile(file + ".py") or os.path.isfile(os.path.join(file, "__init__.py")):
            return importlib.import_module(f"{module}.{name}")
    return None


def _on_demand(module: str, name: str) -> Any:
    """A name that a module imports at its first use: its _ON_DEMAND says from where. None for any other name."""
    here = vars(sys.modules[module])
    if name not in here.get("_ON_DEMAND", ()):
        return None
    here[name] = getattr(importlib.import_module(here["_ON_DEMAND"][name], module), name)
    return here[name]


def submodules(module: str) -> list[str]:
    """The names of the public modules in a package's folder, imported or not."""
    import pkgutil

    return [found.name for found in pkgutil.iter_modules(sys.modules[module].__path__) if not found.name.startswith("_")]


def _is_for_programs(name: str, value: Any) -> bool:
    """Whether a module has a name for those who use it, rather than for its own code: tab completion shows no other."""
    if name.startswith("_"):
        return name.startswith("__") and name.endswith("__")
    home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or ""
    return home.partition(".")[0] not in _OF_PYTHON


_OF_PYTHON = sys.stdlib_module_names - {"builtins"}


def dir_of(module: str) -> Callable[[], list[str]]:
    """The __dir__ of a module: what is meant for programs, submodules that are not imported yet among it."""

    def __dir__() -> list[str]:
        here = sys.modules[module]
        found = {name for name, value in vars(here).items() if _is_for_programs(name, value)}
        found |= {name for name in vars(here).get("_ON_DEMAND", ()) if not name.startswith("_")}
        return sorted(found | set(submodules(module)) if hasattr(here, "__path__") else found)

    return __dir__


def of_module(module: str) -> Callable[[str], Any]:
    """The __getattr__ of a module that PyTorch has too: a submodule that is there, or the error for a name that is not."""
    home = module.replace("monograph", "torch", 1)
    vars(sys.modules[module])["__dir__"] = dir_of(module)

    def __getattr__(name: str) -> Any:
        if name == "__all__":  # `from MODULE import *`
            for late in vars(sys.modules[module]).get("_ON_DEMAND", ()):
                _on_demand(module, late)
            public = ((n, value) for n, value in vars(sys.modules[module]).items() if not n.startswith("_") and _is_for_programs(n, value))
            return sorted(n for n, value in public if not isinstance(value, ModuleType))
        found = None if name.startswith("__") and name != "__config__" else _on_demand(module, name) or _submodule(module, name)
        if found is not None:
            return found
        if name.startswith("_") or not _is_known(home, name):
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module])
        if stands_in():
            if _is_module(f"{home}.{name}"):
                return importlib.import_module(f"{home}.{name}")
            # A class is named in annotations and asked for by isinstance(); of a function, hasattr() shall say the truth.
            if _is_imported() or name[0].isupper() or home == "torch.cuda":
                return stand_in_for(f"{home}.{name}")
        text = _sentence(f"{home}.{name}", vars(sys.modules[module]))
        if _is_imported():
            raise ImportError(text, name=module)
        raise AttributeError(text)

    return __getattr__


def _of_tensor(tensor: Any, name: str) -> None:
    if _is_known("torch.Tensor", name):
        raise AttributeError(_sentence(f"torch.Tensor.{name}", dir(type(tensor))))


def of_layer(layer: str, name: str) -> str:
    """The text of the error for a name that a module lacks."""
    if not name.startswith("_") and _is_known("torch.nn.Module", name):
        return _sentence(f"torch.nn.Module.{name}", ())
    return f"'{layer}' object has no attribute '{name}'"


class _Finder:
    """Runs after Python's own finders. `import monograph.optim` then gives the same sentence as `monograph.optim`."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> None:
        package, _, rest = fullname.partition(".")
        home, _, name = f"torch.{rest}".rpartition(".")
        if package == __name__.partition(".")[0] and rest and _is_known(home, name):
            within = sys.modules.get(fullname.rpartition(".")[0])
            raise ModuleNotFoundError(_sentence(f"{home}.{name}", vars(within) if within else ()), name=fullname)


def install() -> None:
    package = __name__.partition(".")[0]
    for module in _MODULES:
        name = f"{package}.{module}".rstrip(".")
        vars(sys.modules[name])["__getattr__"] = of_module(name)
    _C._set_absent(_of_tensor)
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
