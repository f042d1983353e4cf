"""torch.jit.load: modules that PyTorch compiled or traced, and wrote with torch.jit.save. C++ reads the archive (src/formats/torchscript)."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Callable
from typing import IO, Any

from .. import _C
from .._result_types import noted_types, with_types
from .._tensor import Tensor
from ..fx.graph import Graph
from ._archive import ArchiveProgram, write, write_to
from ._arguments import in_order
from ._attributes import Attributes, all_attributes, run
from ._classes import enum_of, returned_type
from ._marks import ScriptModule
from ._schema import schema_of
from ._wrong_inputs import describe


class _Method:
    """A method of a loaded module: its graph is compiled at the first call."""

    owner: LoadedModule

    def __init__(self, archive: Any, module: int, name: str, text: str, relied_on: list[str]):
        self._archive, self._module, self.name, self._text, self._types = archive, module, name, text, noted_types(relied_on)
        self.__name__ = name
        self._graph: Graph | None = None
        self._as_made, self._lacks = 0, False
        self._restored: str | None = None
        self._assigned: list[Attributes] = []  # what methods of the archive assign

    @property
    def graph(self) -> Graph:
        if self._lacks and self._graph is not None and not self.edited and self._archive.has_gained(self._graph):
            self._graph = None  # what torch.library has now is compiled in
        if self._graph is None:
            self.owner._settle()
            self._graph = self._archive.method(self._module, self.name)
            self._lacks = self._archive.lacks(self._graph)
            self._graph.owning_module = None
            self._as_made, self._restored = self._graph._version, returned_type(self._graph, self._archive.members)
            self._names = [str(n.target) for n in self._graph.nodes if n.op == "placeholder"]
        return self._graph

    @property
    def schema(self) -> Any:
        """The FunctionSchema: names, types and defaults of the arguments, and the type of the result."""
        return schema_of(self.name, self.graph, self.owner)

    @property
    def inlined_graph(self) -> Graph:
        """The method with everything that it calls in place, as `graph` is."""
        return self.graph

    @property
    def code(self) -> str:
        """The text of the method, as the archive has it."""
        return self._text

    def __repr__(self) -> str:
        return f"<torch.ScriptMethod {self.name} of {self.owner.original_name}>"

    @property
    def edited(self) -> bool:
        """Whether somebody has changed the graph."""
        return self._graph is not None and self._graph._version != self._as_made

    def forget(self) -> None:
        """The next call gets the graph of the modes and attributes that the modules have then."""
        self._graph = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        graph = self.graph
        try:
            if kwargs:
                args = in_order(self.name, self._names, args, kwargs, {}, graph)
            result = run(graph, args, self._assigned) if self._assigned else graph(*args)
        except _C._WrongInput as error:
            describe(error, self.name, lambda: self.schema, args)
            raise
        result = result if self._restored is None else _C._restored(result, self._restored)
        return result if self._types is None or self.edited else with_types(result, self._types)


class _Hook:
    """A hook of a loaded module, which is one of its methods."""

    def __init__(self, name: str):
        self.__name__ = name

    def __call__(self, module: LoadedModule, *args: Any) -> Any:
        return module._methods[self.__name__](*args)


_CALL = "__call__"  # the method of a module with hooks that runs them and forward


class LoadedModule(ScriptModule):
    """A module out of an archive of torch.jit.save. Its parameters and buffers are tensors of this process; its methods run as graphs."""

    _all_methods: list[_Method]

    def __init__(self, archive: Any, place: int, type_name: str, training: bool, methods: dict[str, _Method]):
        super().__init__()
        self.__dict__["_class_of_archive"] = type_name
        self.__dict__["_archive"], self.__dict__["_place"] = archive, place
        self.__dict__["training"] = training
        self.__dict__["original_name"] = type_name.rpartition(".")[2]
        self.__dict__["_methods"] = methods
        for method in methods.values():
            method.owner = self

    def __getattr__(self, name: str) -> Any:
        methods = self.__dict__.get("_methods", {})
        if name in methods:
            return methods[name]
        if name in self.__dict__.get("_unmade", ()):
            self._settle()
            return getattr(self, name)
        return super().__getattr__(name)

    def _settle(self) -> None:
        """Runs each __setstate__ of the archive that computes attributes, at the first use of the module. Nothing of the file runs before."""
        waiting: list[LoadedModule] = self.__dict__.get("_waiting", [])
        if not waiting:
            return
        made, waiting[:] = list(waiting), []
        self._archive.settle()
        for module, (_, _, training, attributes, _) in zip(made, self._archive.modules(), strict=True):
            unmade = module.__dict__.pop("_unmade", ())
            module.__dict__["training"] = training
            for name, kind, value in attributes:
                if name in unmade:
                    _put(module, name, kind, value, made)
        _find_assigned(self._archive, made)

    def _named_members(self, *args: Any, **kwargs: Any) -> Any:
        self._settle()
        return super()._named_members(*args, **kwargs)

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """The parameters and buffers, by their paths."""
        self._settle()
        return super().state_dict(*args, **kwargs)

    def load_state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Copies the tensors of a state dict into the module's."""
        self._settle()
        return super().load_state_dict(*args, **kwargs)

    def _apply(self, *args: Any, **kwargs: Any) -> Any:
        self._settle()
        return super()._apply(*args, **kwargs)

    @property
    def forward(self) -> Any:
        """The method that a call of the module runs."""
        return self._methods["forward"] if "forward" in self._methods else self._without_forward

    def _without_forward(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"{self.original_name} has no forward; its methods are {', '.join(self._methods) or 'none'}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name in getattr(self.__dict__.get("_assigned"), "types", ()):
            super().__setattr__(name, value)
            return
        if isinstance(value, Tensor) and (name in self._parameters or name in self._buffers):
            raise RuntimeError(
                f"the graphs of a loaded module read the tensor {name!r} that it was loaded with; change its elements: module.{name}.data.copy_(value)"
            )
        if name in self.__dict__ and name in self.__dict__.get("_held", ()):
            self._drop_graphs(f"the attribute {name!r} is assigned")
            self._archive.set_attribute(self._place, name, value)
        super().__setattr__(name, value)

    def _drop_graphs(self, why: str) -> None:
        for method in self._all_methods:
            if method.edited:
                raise RuntimeError(
                    f"{why}, but the graph of {method.name}() was edited, and holds what it was before; do that first, and edit the graph then"
                )
        for method in self._all_methods:
            method.forget()

    def train(self, mode: bool = True) -> Any:
        self._settle()
        changed = [module for module in self.modules() if isinstance(module, LoadedModule) and module.training != mode]
        if changed:
            self._drop_graphs("the mode is set")
        for module in changed:
            module._archive.set_training(module._place, mode)
            module.__dict__["training"] = mode
        return self

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Saves the module as torch.jit.save does: the code that was loaded, with the values that its tensors and attributes have now. A graph that was edited
        takes the place of the method that it was."""
        self._write(f, _extra_files)

    def save_to_buffer(self, _extra_files: Any = None) -> bytes:
        """The archive that save() writes, as bytes."""
        buffer = io.BytesIO()
        self._write(buffer, _extra_files)
        return buffer.getvalue()

    def _write(self, f: Any, extra_files: Any) -> None:
        self._note_states()
        self._give()
        if any(method.edited for method in self._all_methods):
            write(self._program(), f, extra_files)
        else:
            write_to(self._archive.write, f, extra_files)

    def _note_states(self) -> None:
        """What an archive has in the place of the attributes of a module with a __getstate__: what the method gives now."""
        for module in self.modules():
            if isinstance(module, LoadedModule) and "__getstate__" in module._methods and self._archive.has_state(module._place):
                try:
                    state = module._methods["__getstate__"]()
                except (RuntimeError, NotImplementedError, TypeError):
                    continue  # it calls what Monograph lacks, as does its __setstate__: the state of the file is the present one
                self._archive.set_state(module._place, state)

    def _give(self) -> None:
        if self._place != 0:
            raise NotImplementedError(f"jit.save writes the module that was loaded, and {self.original_name} is a part of it; save the whole")
        for assigned in all_attributes(self.modules()):
            assigned.give()

    def _program(self) -> ArchiveProgram:
        self._give()
        edited = {method.name: method.graph for method in self._methods.values() if method.edited}
        graph, one_mode = self._archive.program(edited)
        for method in self._all_methods:
            if method.edited and method.name not in edited:
                raise NotImplementedError(
                    f"jit.save: the graph of {method.name}() of a submodule was edited, but the methods of {self.original_name} contain a copy of it. Edit those"
                )
        return ArchiveProgram(graph, one_mode)

    def _graph_for_script(self) -> Graph:
        if self._place != 0:
            raise RuntimeError(f"a script calls a loaded module as a whole, and {self.original_name} is a part of one")
        return self._methods.get(_CALL, self._methods["forward"]).graph

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
        """A copy, or what is pickled, is the module that save() writes."""
        return _unpickled, (self.save_to_buffer(),)

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
    described, relied_on = archive.modules(), _relied_on(archive)
    for place, (_, type_name, training, _, methods) in enumerate(described):
        found = {name: _Method(archive, place, name, text, [] if place else relied_on.get(name, [])) for name, text in methods}
        made.append(LoadedModule(archive, place, type_name, training, found))
    unmade: list[list[str]] = archive.unmade()
    waiting = list(made) if any(unmade) else []
    for module, (_, _, _, attributes, _), later in zip(made, described, unmade, strict=True):
        if waiting:
            module.__dict__["_waiting"], module.__dict__["_unmade"] = waiting, set(later)
            if "training" in later:
                del module.__dict__["training"]  # whoever reads it lets __setstate__ run
        for name, kind, value in attributes:
            if name not in later:
                _put(module, name, kind, value, made)
        pre_hooks, hooks = archive.hooks(module._place)
        for name in pre_hooks:
            module.register_forward_pre_hook(_Hook(name))
        for name in hooks:
            module.register_forward_hook(_Hook(name))
    _find_assigned(archive, made)
    return made[0]


def _unpickled(archive: bytes) -> LoadedModule:
    return load(io.BytesIO(archive))


def import_ir_module(
    cu: object, filename: str | os.PathLike[str], map_location: object = None, extra_files: dict[str, bytes | str] | None = None, restore_shapes: bool = False
) -> LoadedModule:
    """What torch.jit.load does with a path. The functions of the file do not go into `cu`, a CompilationUnit: they are the module's."""
    return load(os.fspath(filename), map_location, extra_files)


def import_ir_module_from_buffer(
    cu: object, buffer: bytes, map_location: object = None, extra_files: dict[str, bytes | str] | None = None, restore_shapes: bool = False
) -> LoadedModule:
    """What torch.jit.load does with a file object that holds these bytes."""
    return load(io.BytesIO(buffer), map_location, extra_files)


def _relied_on(archive: Any) -> dict[str, list[str]]:
    """By the name of a method of the root: what its program relied on, a line each."""
    lines: dict[str, list[str]] = {}
    if "relied_on.txt" in archive.extra_files():
        for line in archive.extra_file("relied_on.txt").decode().splitlines():
            name, _, fact = line.partition(": ")
            lines.setdefault(name, []).append(fact)
    return lines


def _find_assigned(archive: Any, made: list[LoadedModule]) -> None:
    """What methods assign is seen in the modules after each call."""
    for place, module in enumerate(made):
        told = archive.assigned(place)
        if told is not None:
            tables = [module._parameters, module._buffers, module.__dict__]
            module.__dict__["_assigned"] = Attributes(module.original_name, tables, told[0])
            module._assigned.types.update(told[1])
    methods = [method for module in made for method in module._methods.values()]
    assigned = all_attributes(made)
    for method in methods:
        method._assigned = assigned
    for module in made:
        module.__dict__["_all_methods"] = methods


def _put(module: LoadedModule, name: str, kind: str, value: Any, made: list[LoadedModule]) -> None:
    if kind == "module":
        module._modules[name] = made[value]
    elif kind == "parameter":
        module._parameters[name] = value if isinstance(value, Tensor) else None
    elif kind == "buffer":
        module._buffers[name] = value
    elif kind == "member":
        cls, member = value
        module.__dict__[name] = enum_of(cls, module._archive.members(cls))[member]
        module.__dict__.setdefault("_held", set()).add(name)
    elif name != "training":
        module.__dict__[name] = value
        module.__dict__.setdefault("_held", set()).add(name)


def _device_of(map_location: Any) -> Callable[[str], str] | None:
    if map_location is None:
        return None
    if callable(map_location) and not isinstance(map_location, (str, _C.device)):
        raise TypeError("jit.load: map_location is a device, a str or a dict from locations to devices, but got a function")
    if isinstance(map_location, dict):
        return lambda location: str(map_location.get(location, "cpu"))
    return lambda location: str(map_location)


LoadedModule.__module__ = "monograph.jit._load"
