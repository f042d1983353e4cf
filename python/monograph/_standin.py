"""Standing in for torch: programs that say `import torch` run with Monograph, with no change.

install_as_torch() gives the name `torch` to this package, and says to package tools that PyTorch 2.13.0 is there. A module or a name of PyTorch that
is not in Monograph can be imported all the same, since packages import far more than they use: it raises its sentence when it is used.
"""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import sys
import types
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from . import _absent
from ._C import device
from ._pytorch_private import NAMES as PRIVATE_NAMES
from ._script_object import ScriptObject

__all__ = ["install"]

_PACKAGE = __name__.partition(".")[0]
_VERSION = "2.13.0"
# Functions of torch._C that packages call, and what they answer.
_PRIVATE_FUNCTIONS = {
    "_log_api_usage_once": None, "_are_functorch_transforms_active": False, "_get_accelerator": device("cpu"), "_get_privateuse1_backend_name": "privateuseone",
    "_jit_can_fuse_on_cpu": False, "_jit_can_fuse_on_gpu": False,
}  # fmt: skip


# Questions of torch._C._functorch about a tensor, whose answer is no: transforms of torch.func here wrap none.
_QUESTIONS_OF_TRANSFORMS = ("is_batchedtensor", "is_functionaltensor", "is_functorch_wrapped_tensor", "is_gradtrackingtensor", "is_legacy_batchedtensor")


class _DispatchKeys(type):
    def __getattr__(cls, name: str) -> str:
        if name.startswith("__"):
            raise AttributeError(name)
        return f"DispatchKey.{name}"


class DispatchKey(metaclass=_DispatchKeys):
    """PyTorch's kinds of kernels, which packages put into sets when they are imported. Nothing here reads them."""


class DispatchKeySet(frozenset):
    """A set of them."""

    def __new__(cls, key: str) -> Any:
        return super().__new__(cls, (key,))


# The names that were imported and are not there, in the order of their first import.
imported: dict[str, None] = {}


def _refuse(full: str) -> NoReturn:
    raise NotImplementedError(_absent.sentence(full))


class _Placeholder(type):
    """The type of what stands for a name of PyTorch that is not there: it can be imported, named in an annotation and derived from. A call raises."""

    _full: str

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and isinstance(args[0], types.FunctionType):  # a decorator: what it decorates raises when it is called
            return functools.wraps(args[0])(lambda *given, **named: _refuse(cls._full))
        _refuse(cls._full)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return placeholder(f"{cls._full}.{name}")

    def __getitem__(cls, key: Any) -> Any:
        return cls

    def __or__(cls, other: Any) -> Any:
        return cls

    def __ror__(cls, other: Any) -> Any:
        return cls

    def __iter__(cls) -> Any:
        _refuse(cls._full)

    def __enter__(cls) -> Any:
        _refuse(cls._full)

    def __exit__(cls, *exc: object) -> None: ...

    def __bool__(cls) -> bool:
        return True

    def __repr__(cls) -> str:
        return f"<{cls._full}, which is not in Monograph yet>"


def placeholder(full: str) -> Any:
    """What stands for the name of PyTorch until it is used."""
    imported.setdefault(full)
    home, _, name = full.rpartition(".")
    return _Placeholder(name, (), {"_full": full, "__module__": home})


# Dtypes of PyTorch that are not there, which packages name in tables when they are imported.
_ABSENT = "float8_e8m0fnu quint4x2 quint2x4".split()


class AbsentValue:
    """A dtype of PyTorch that is not there: it can be compared and kept in tables. No tensor has it, and calls with it raise TypeError."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.is_floating_point = name.startswith("float")
        self.is_complex, self.is_signed = False, not name.startswith("quint")
        self.itemsize = 1

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class _AbsentModule(types.ModuleType):
    """A module of PyTorch that is not there. Its names are placeholders."""

    def __getattr__(self, name: str) -> Any:
        if (name.startswith("__") and name != "__config__") or _absent.is_unknown(self.__name__, name):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        if name in ("is_available", "is_initialized", "is_built", "kineto_available"):
            return lambda *args, **kwargs: False
        return placeholder(f"{self.__name__}.{name}")


class _StandInLoader(importlib.abc.Loader):
    """Gives a module that is there under another name, or a module of placeholders."""

    def __init__(self, found: types.ModuleType | None):
        self.found, self.spec = found, getattr(found, "__spec__", None)

    def create_module(self, spec: Any) -> types.ModuleType:
        if self.found is not None:
            return self.found
        imported.setdefault(spec.name)
        made = _AbsentModule(spec.name)
        made.__path__ = []
        return made

    def exec_module(self, module: types.ModuleType) -> None:
        if self.found is not None:
            module.__spec__ = self.spec  # of its own name: the import of an alias replaced it


class _Distribution(importlib.metadata.Distribution):
    """What importlib.metadata says of `torch`."""

    def read_text(self, filename: str) -> str | None:
        if filename == "METADATA":
            return f"Metadata-Version: 2.1\nName: torch\nVersion: {_VERSION}\nSummary: Monograph, standing in for PyTorch\n"
        return None

    def locate_file(self, path: Any) -> Any:
        from pathlib import Path

        return Path(__file__).parent.parent / path


class _StandInFinder(importlib.abc.MetaPathFinder):
    """Finds torch and the modules in it, and functorch."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if fullname == "functorch":
            return importlib.machinery.ModuleSpec(fullname, _StandInLoader(importlib.import_module(f"{_PACKAGE}._functorch_module")))
        if fullname != "torch" and not fullname.startswith("torch."):
            return None
        name = fullname.replace("torch", _PACKAGE, 1)
        try:
            found: types.ModuleType | None = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name and not name.startswith(f"{error.name}."):
                raise
            if not _absent.is_module(fullname):
                return None
            if fullname.startswith("torch.utils.tensorboard"):
                importlib.import_module("tensorboard")  # PyTorch's writes with this package
            found = None
        except ImportError:
            found = None
        return importlib.machinery.ModuleSpec(fullname, _StandInLoader(found), is_package=True)

    @staticmethod
    def find_distributions(context: Any = None) -> Iterable[importlib.metadata.Distribution]:
        name = getattr(context, "name", None)
        return [_Distribution()] if name is None or name.lower() == "torch" else []


def is_installed() -> bool:
    """Whether `import torch` gives Monograph."""
    return sys.modules.get("torch") is sys.modules[_PACKAGE]


def _rename_layers(base: type) -> None:
    """Layers say that they are of torch.nn: tracers of torch.fx ask for it by `m.__module__.startswith("torch.nn")`."""
    kind: type
    for kind in base.__subclasses__():
        if kind.__module__.startswith(f"{_PACKAGE}.nn."):
            kind.__module__ = kind.__module__.replace(_PACKAGE, "torch", 1)
        _rename_layers(kind)


class _InChildren:
    """What a new Python process of multiprocessing reads first: it stands in there, too."""

    def __reduce__(self) -> Any:
        from pathlib import Path

        folder = str(Path(__file__).parent.parent)
        return eval, (f"[__import__('sys').path.append({folder!r}), __import__({_PACKAGE!r}).install_as_torch()] and None",)


def _stand_in_in_children() -> None:
    """Processes that are spawned, or forked from a server, begin as new Pythons: they stand in before they import the program."""
    from multiprocessing import spawn

    original: Any = spawn.get_preparation_data

    @functools.wraps(original)
    def get_preparation_data(name: str) -> dict[str, Any]:
        return {_PACKAGE: _InChildren(), **original(name)}

    spawn.get_preparation_data = get_preparation_data


def _read_and_write_plain_pickles(package: Any) -> None:
    """Pickles that are no files of torch.save carry PyTorch's names, in both directions."""
    from . import _tensor, _utils, serialization

    package._C._VariableFunctionsClass = serialization._FunctionsOfTorch()
    _tensor._rebuild_from_type_v2 = _utils._rebuild_from_type_v2  # type: ignore[attr-defined]
    _utils.torch = package  # type: ignore[attr-defined]
    serialization.name_plain_pickles()


class _StandsInForTorch(types.ModuleType):
    """The package while it stands in: programs ask for torch.__name__, as Pyro does. The name in the package's own globals stays, by which captures know that its
    functions are none of the program."""

    __name__ = property(lambda self: "torch")


def install() -> None:
    """What monograph.install_as_torch() does."""
    if is_installed():
        return
    theirs = sys.modules.get("torch")
    if theirs is not None:
        raise ImportError(
            f"install_as_torch: PyTorch {getattr(theirs, '__version__', '')} is already imported here, from {getattr(theirs, '__file__', None)}. "
            "Call install_as_torch() before the first `import torch`, or run the program as `python -m monograph script.py`"
        )
    package: Any = sys.modules[_PACKAGE]
    from .version import __version__

    package.__version__ = __version__
    package.__class__ = _StandsInForTorch
    for name in _ABSENT:
        if name not in vars(package):
            setattr(package, name, AbsentValue(name))
    for name, answer in _PRIVATE_FUNCTIONS.items():
        if not hasattr(package._C, name):
            setattr(package._C, name, lambda *args, answer=answer: answer)
    from .jit._trace_graph import _get_tracing_state

    package._C._get_tracing_state = _get_tracing_state
    package._C._is_tracing = package.jit.is_tracing
    package._C.__path__ = []
    package._C._functorch = _AbsentModule("torch._C._functorch")
    vars(package._C._functorch).update(dict.fromkeys(_QUESTIONS_OF_TRANSFORMS, lambda tensor: False))
    sys.modules["torch._C._functorch"] = package._C._functorch
    package._C.DispatchKey, package._C.DispatchKeySet = DispatchKey, DispatchKeySet
    package._C.ScriptObject = ScriptObject
    for name in PRIVATE_NAMES["torch._C"].split():
        setattr(package._C, name, placeholder(f"torch._C.{name}"))
    sys.modules["torch"] = package.torch = package  # PyTorch has torch.torch, too
    for name in [n for n in sys.modules if n.startswith(f"{_PACKAGE}.")]:
        sys.modules.setdefault(name.replace(_PACKAGE, "torch", 1), sys.modules[name])
    _rename_layers(package.nn.Module)
    sys.meta_path.insert(0, _StandInFinder())
    _stand_in_in_children()
    _read_and_write_plain_pickles(package)
    _absent.on_import(lambda full: placeholder(full))
