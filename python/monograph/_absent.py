"""The error for a name that PyTorch has and Monograph lacks.

It says that the name is missing, and what to use until then: words of _INSTEAD, or the nearest name that is there. Of a name that is out of scope it says
that, and what to use in its place (_scope.py). Any other name gives Python's ordinary AttributeError. _pytorch_names.py and _pytorch_classes.py list PyTorch's names.

A public module gets a __getattr__ when it is imported. A class gets, for each such name, a descriptor that raises. Tensors have a hook in C++ instead, so that
dir() of a tensor shows what is there.
"""

from __future__ import annotations

import dis
import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

from . import _C

_PACKAGE = __name__.partition(".")[0]
_IMPORT_FROM = dis.opmap["IMPORT_FROM"]
# What to write until a name is there, where the name itself does not suggest it.
_INSTEAD = {
    "torch.export": "capture with torch.capture(f, x), and save the graph with graph.save(path)",
    "torch.onnx.export": "save the graph with graph.save(path)",
}


def _sentence(full: str, near: Iterable[str]) -> str:
    from ._scope import said_of

    if out := said_of(full):
        return f"{full} exists in PyTorch, but it is not in Monograph: {out}"
    home, _, name = full.rpartition(".")
    nearest = _C._nearest(name, [n for n in near if not n.startswith("_")]) if len(name) > 4 else ""  # many short names are near by chance
    hint = f" The nearest name that is here is {home}.{nearest}." if nearest else ""
    instead = _INSTEAD.get(full)
    way_out = f" Until then, {instead}" if instead else f"{hint} docs/scope.md says what is planned and what to use until then"
    return f"{full} exists in PyTorch, but it is not in Monograph yet.{way_out}"


def sentence(full: str) -> str:
    """The words for a name that is missing."""
    home = sys.modules.get(_here(full.rpartition(".")[0]))
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


def is_module(full: str) -> bool:
    """Whether PyTorch has a module of this name. Of the private ones below the first level it is not known, and taken so where they lie in one that it has."""
    from ._pytorch_names import MODULES
    from ._pytorch_private import MODULES as PRIVATE

    parts = full.split(".")
    private = next((k for k, part in enumerate(parts) if part.startswith("_")), 0)
    if private == 1:
        return parts[1] in PRIVATE.split()
    return (".".join(parts[:private]) if private else full) in MODULES.split()


def is_unknown(home: str, name: str) -> bool:
    """Whether a module of PyTorch, whose public names are known, lacks this one."""
    from ._pytorch_names import NAMES

    return home in NAMES and not name.startswith("_") and not _is_known(home, name)


def _here(name: str) -> str:
    """What a module of torch is called here."""
    return name.replace("torch", _PACKAGE, 1)


@functools.cache
def _packages() -> frozenset[str]:
    from ._pytorch_names import MODULES

    return frozenset(name.rpartition(".")[0] for name in MODULES.split())


@functools.cache
def _names(home: str) -> frozenset[str]:
    from ._pytorch_classes import CLASSES
    from ._pytorch_names import MODULES, NAMES
    from ._pytorch_private import MODULES as PRIVATE_MODULES, NAMES as PRIVATE_NAMES

    if home in CLASSES:
        return frozenset(CLASSES[home].split())
    private = f"{PRIVATE_NAMES.get(home, '')} {PRIVATE_MODULES if home == 'torch' else ''}"
    inside = (module.rpartition(".") for module in MODULES.split())
    named = (full.rpartition(".") for full in _INSTEAD)
    return frozenset(f"{NAMES.get(home, '')} {private}".split()) | {name for outer, _, name in (*inside, *named) if outer == home}


def _is_known(home: str, name: str) -> bool:
    """Whether a module of PyTorch, or its class Tensor, has this name."""
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
    """A name that a module imports at its first use: its _ON_DEMAND says from where. Names with a prefix of its _MADE_ON_DEMAND are made by `of_name` of the
    module that stands there. None for any other name."""
    here = vars(sys.modules[module])
    for prefix, home in here.get("_MADE_ON_DEMAND", {}).items():
        if name.startswith(prefix) and (made := importlib.import_module(home, module).of_name(name)) is not None:
            here[name] = made
            return made
    if name not in here.get("_ON_DEMAND", ()):
        return None
    here[name] = getattr(importlib.import_module(here["_ON_DEMAND"][name], module), name)
    return here[name]


def _imported(module: str, name: str) -> Any:
    return _on_demand(module, name) or _submodule(module, name)


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
    home = module.replace(_PACKAGE, "torch", 1)

    def __getattr__(name: str) -> Any:
        if name == "__all__":  # `from MODULE import *`
            for late in vars(sys.modules[module]).get("_ON_DEMAND", ()):
                _on_demand(module, late)
            public = ((n, value) for n, value in vars(sys.modules[module]).items() if not n.startswith("_") and _is_for_programs(n, value))
            return sorted(n for n, value in public if not isinstance(value, ModuleType))
        # The import is no act of a program that is captured: it has only read a name.
        found = None if name.startswith("__") and name != "__config__" else _C._unwatched(_imported, module, name)
        if found is not None:
            return found
        if name == "__path__" and home in _packages():
            return []  # a package in PyTorch, but one file here: of a module in it, the finder below says that it is missing
        if not _is_known(home, name):
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name, obj=sys.modules[module])
        if stands_in():
            if is_module(f"{home}.{name}"):
                return _C._unwatched(importlib.import_module, f"{home}.{name}")
            # A class is named in annotations and asked for by isinstance(); of a function, hasattr() shall say the truth.
            if _is_imported() or name[0].isupper() or home == "torch.cuda":
                return stand_in_for(f"{home}.{name}")
        text = _sentence(f"{home}.{name}", vars(sys.modules[module]))
        if _is_imported():
            raise ImportError(text, name=module)
        raise AttributeError(text)

    return __getattr__


def _of_tensor(of: Any, name: str) -> None:
    """Raises where PyTorch's tensors have the name: of a tensor, or of its class."""
    if _is_known("torch.Tensor", name):
        raise AttributeError(_sentence(f"torch.Tensor.{name}", dir(of if isinstance(of, type) else type(of))))


class _MissingName:
    """A name that PyTorch's class has and ours lacks, on the class. What an object or a subclass has of this name comes before it."""

    def __init__(self, full: str):
        self.full = full

    def __get__(self, of: Any, cls: type) -> Any:
        raise AttributeError(_sentence(self.full, without_missing(cls, dir(cls))))


def without_missing(cls: type, names: Iterable[str]) -> list[str]:
    return [name for name in names if not is_missing(cls, name)]


def is_missing(cls: type, name: str) -> bool:
    """Whether PyTorch's class has the name, and this one and its objects lack it."""
    return isinstance(_C._type_attribute(cls, name), _MissingName)


def check_missing(cls: type, name: str) -> None:
    """For the __getattr__ of a class: raises where the name is missing."""
    if is_missing(cls, name):
        _C._type_attribute(cls, name).__get__(None, cls)


@functools.cache
def _classes() -> dict[str, dict[str, str]]:
    """PyTorch's classes by the modules that have them: what each has."""
    from ._pytorch_classes import CLASSES

    found: dict[str, dict[str, str]] = {}
    for full, names in CLASSES.items():
        home, _, name = full.rpartition(".")
        found.setdefault(home, {})[name] = names
    return found


def _complete_class(cls: type, home: str, names: str) -> None:
    kept = {name for base in cls.__mro__ for name in base.__dict__.get("__annotations__", ())}  # attributes of its objects
    for name in names.split():
        if name not in kept and _C._type_attribute(cls, name) is None and not hasattr(cls, name):
            _C._set_type_attribute(cls, name, _MissingName(f"{home}.{name}"))


class _PackageLoader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        complete(module)


class _PackageFinder:
    """Runs before Python's own finders, for modules of the package. `import monograph.export` gives the same sentence as `monograph.export`."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        package, _, rest = fullname.partition(".")
        if package != _PACKAGE or not rest:
            return None
        found = PathFinder.find_spec(fullname, path, target)
        if found is None:
            home, _, name = f"torch.{rest}".rpartition(".")
            if _is_known(home, name):
                within = sys.modules.get(fullname.rpartition(".")[0])
                raise ModuleNotFoundError(_sentence(f"{home}.{name}", vars(within) if within else ()), name=fullname)
        elif _is_public(fullname) and type(found.loader) is SourceFileLoader:
            found.loader = _PackageLoader(found.loader.name, found.loader.path)
        return found


def _is_public(module: str) -> bool:
    return "._" not in module


def complete(module: ModuleType) -> None:
    """From here on, a public module and its classes say which names PyTorch has, and the module shows those that are for programs."""
    here = vars(module)
    home = module.__name__.replace(_PACKAGE, "torch", 1)
    here.setdefault("__getattr__", of_module(module.__name__))
    here.setdefault("__dir__", dir_of(module.__name__))
    for name, names in _classes().get(home, {}).items():
        cls = here.get(name)
        if isinstance(cls, type) and not issubclass(cls, (type, _C.TensorBase)):
            _complete_class(cls, f"{home}.{name}", names)


def install() -> None:
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == _PACKAGE and _is_public(name):
            complete(module)
    _C._set_absent(_of_tensor)
    if not any(isinstance(finder, _PackageFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _PackageFinder())
