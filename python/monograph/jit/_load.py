"""torch.jit.load: modules that PyTorch compiled or traced, and wrote with torch.jit.save. C++ reads the archive (src/formats/torchscript)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import IO, Any

from .. import _C
from .._tensor import Tensor
from ..fx.graph import Graph
from ._marks import ScriptModule


class _Method:
    """A method of a loaded module: its graph is compiled at the first call."""

    def __init__(self, archive: Any, module: int, name: str, text: str):
        self._archive, self._module, self.name, self._text = archive, module, name, text
        self.__name__ = name
        self._graph: Graph | None = None

    @property
    def graph(self) -> Graph:
        if self._graph is None:
            self._graph = self._archive.method(self._module, self.name)
            self._graph.owning_module = None
            self._names = [str(n.target) for n in self._graph.nodes if n.op == "placeholder"]
        return self._graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        graph = self.graph
        if kwargs:
            args = self._in_order(args, kwargs)
        return graph(*args)

    def _in_order(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        values = dict(zip(self._names, args, strict=False))
        for key, value in kwargs.items():
            if key not in self._names or key in values:
                raise TypeError(f"{self.name}() got an unexpected or repeated argument {key!r}; it takes {', '.join(self._names)}")
            values[key] = value
        given = max(self._names.index(key) for key in values) + 1
        missing = [name for name in self._names[:given] if name not in values]
        if missing:
            raise TypeError(f"{self.name}() is called without the argument {missing[0]!r}, which stands before one that is given by name")
        return tuple(values[name] for name in self._names[:given])


class LoadedModule(ScriptModule):
    """A module out of an archive of torch.jit.save. Its parameters and buffers are tensors of this process; its methods run as graphs."""

    def __init__(self, name: str, training: bool, methods: dict[str, _Method]):
        super().__init__()
        self.__dict__["training"] = training
        self.__dict__["original_name"] = name
        self.__dict__["_methods"] = methods

    def __getattr__(self, name: str) -> Any:
        methods = self.__dict__.get("_methods", {})
        return methods[name] if name in methods else super().__getattr__(name)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if "forward" not in self._methods:
            raise RuntimeError(f"{self.original_name} has no forward; its methods are {', '.join(self._methods) or 'none'}")
        return self._methods["forward"](*args, **kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor) and (name in self._parameters or name in self._buffers):
            raise RuntimeError(
                f"the graphs of a loaded module read the tensor {name!r} that it was loaded with; change its elements: module.{name}.data.copy_(value)"
            )
        super().__setattr__(name, value)

    def train(self, mode: bool = True) -> Any:
        if mode != self.training:
            raise RuntimeError(
                f"{self.original_name} was saved {'for training' if self.training else 'for evaluation'}, and its graphs are compiled for that; in PyTorch, "
                f"call {'train' if mode else 'eval'}() before torch.jit.save"
            )
        return self

    @property
    def graph(self) -> Graph:
        """forward with everything that it calls in place."""
        return self._methods["forward"].graph

    inlined_graph = graph

    @property
    def code(self) -> str:
        """The text of forward, as the archive has it."""
        return str(self._methods["forward"]._text)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a loaded module ({self.original_name}) cannot be deep-copied or pickled; load the file again")

    def _get_name(self) -> str:
        return "RecursiveScriptModule"

    def extra_repr(self) -> str:
        return f"original_name={self.original_name}"


def load(
    f: str | os.PathLike[str] | IO[bytes], map_location: Any = None, _extra_files: dict[str, Any] | None = None, _restore_shapes: bool = False
) -> LoadedModule:
    """A module that torch.jit.save wrote, in PyTorch or elsewhere: a traced or a compiled one. Nothing of the file is executed while it is loaded.

    f: a path, or a file opened for reading bytes.
    map_location: None or "cpu" puts all tensors on the CPU, "meta" gives them no memory; a dict gives the device for each location, and a function is an error.
    _extra_files: a dict whose keys are the files to read from the archive; their contents, as bytes, become its values.

    Each method becomes a graph at its first call. RuntimeError names the line of the archive's code that Monograph cannot run.

    Example:
        module = torch.jit.load("model.pt")
        module(x)
    """
    source: Any = os.fspath(f) if isinstance(f, (str, os.PathLike)) else f.read()
    archive = _C._script_archive(source, _device_of(map_location), lambda message: warnings.warn(message, stacklevel=4))
    for name in _extra_files or ():
        if name in archive.extra_files():
            assert _extra_files is not None
            _extra_files[name] = archive.extra_file(name)
    made: list[LoadedModule] = []
    described = archive.modules()
    for place, (_, type_name, training, _, methods) in enumerate(described):
        made.append(LoadedModule(type_name.rpartition(".")[2], training, {name: _Method(archive, place, name, text) for name, text in methods}))
    for module, (_, _, _, attributes, _) in zip(made, described, strict=True):
        for name, kind, value in attributes:
            _put(module, name, kind, value, made)
    return made[0]


def _put(module: LoadedModule, name: str, kind: str, value: Any, made: list[LoadedModule]) -> None:
    if kind == "module":
        module._modules[name] = made[value]
    elif kind == "parameter":
        module._parameters[name] = value if isinstance(value, Tensor) else None
    elif kind == "buffer":
        module._buffers[name] = value
    elif name != "training":
        module.__dict__[name] = value


def _device_of(map_location: Any) -> Callable[[str], str] | None:
    if map_location is None:
        return None
    if callable(map_location) and not isinstance(map_location, (str, _C.device)):
        raise TypeError("jit.load: map_location is a device, a str or a dict from locations to devices, but got a function")
    if isinstance(map_location, dict):
        return lambda location: str(map_location.get(location, "cpu"))
    return lambda location: str(map_location)


LoadedModule.__module__ = "monograph.jit._load"
