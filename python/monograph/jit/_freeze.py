"""torch.jit.freeze: a module whose parameters and attributes are constants of its graphs; and switches of PyTorch's executor, which change nothing here."""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Iterator
from typing import Any

from .. import _C
from ..fx.graph import Graph
from ..nn import Module
from ._archive import ArchiveProgram, is_mgraph, write
from ._arguments import in_order
from ._attributes import all_attributes
from ._classes import returned_type
from ._constants import Printed
from ._marks import ScriptModule


class FrozenMethod(Printed):
    """A method whose graph holds what it read in the module."""

    def __init__(self, name: str, graph: Graph):
        self.name, self.graph = name, graph
        self.__name__ = name
        graph.owning_module = None
        self._names = [str(n.target) for n in graph.nodes if n.op == "placeholder"]
        self._restored = returned_type(graph)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = self.graph(*(in_order(self.name, self._names, args, kwargs, {}, self.graph) if kwargs else args))
        return result if self._restored is None else _C._restored(result, self._restored)

    def _text_graph(self) -> Graph:
        return self.graph


class _LiveMethod(FrozenMethod):
    """A method of a frozen module that keeps attributes, because methods assign them or the caller preserves them."""

    def __init__(self, name: str, module: Any):
        self.name = self.__name__ = name
        self._module = module

    @property
    def graph(self) -> Graph:  # type: ignore[override]
        """The method, as the attributes are now."""
        return _graph_of(self._module, self.name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._module(*args, **kwargs) if self.name == "forward" else getattr(self._module, self.name)(*args, **kwargs)


class FrozenModule(Printed, ScriptModule):
    """What jit.freeze makes of a module. It has no parameters: they are copied, so that a change of the module that was frozen changes nothing."""

    _methods: dict[str, FrozenMethod]
    _live: Any  # where attributes are kept: a copy of the module, which methods run in
    _kept: set[str]  # the names of the preserved attributes

    def __init__(self, name: str, methods: dict[str, FrozenMethod], live: Any = None, kept: set[str] | None = None):
        super().__init__()
        self.__dict__.update(training=False, original_name=name, _methods=methods, _live=live, _kept=kept or set())

    def __getattr__(self, name: str) -> Any:
        fields = self.__dict__
        if name in fields.get("_methods", {}):
            return fields["_methods"][name]
        return getattr(fields["_live"], name) if name in fields.get("_kept", ()) else super().__getattr__(name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__.get("_kept", ()):
            setattr(self._live, name, value)
        else:
            super().__setattr__(name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._methods["forward"](*args, **kwargs)

    def train(self, mode: bool = True) -> Any:
        if mode:
            raise RuntimeError(f"{self.original_name} is frozen for evaluation; call train() of the module that was frozen")
        return self

    @property
    def graph(self) -> Graph:
        """forward, which holds its constants."""
        return self._methods["forward"].graph

    inlined_graph = graph

    def _text_graph(self) -> Graph:
        return self.graph

    def save(self, f: Any, _extra_files: Any = None) -> None:
        """Saves the module as torch.jit.save does; a path that ends in .mgraph gets the graph of forward, which torch.load_graph reads."""
        if self._live is not None:
            self._live.save(f, _extra_files)
        elif is_mgraph(f):
            self.graph.save(f)
        else:
            write(self._program(), f, _extra_files)

    def _write(self, f: Any, extra_files: Any) -> None:
        self.save(f, extra_files)

    def _program(self) -> ArchiveProgram:
        if len(self._methods) == 1:
            return ArchiveProgram(self.graph)
        return ArchiveProgram(_C._graphs_as_program([(name, method.graph) for name, method in self._methods.items()], self))

    def _get_name(self) -> str:
        return "RecursiveScriptModule"

    def extra_repr(self) -> str:
        return f"original_name={self.original_name}"


def freeze(mod: Any, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> FrozenModule:
    """The module with its parameters, buffers and attributes as constants of its graph. It must be in the mode of evaluation.

    preserved_attrs: other methods, which are frozen too, and attributes, which stay: they can be read and assigned. They and what these methods assign are no
    constants, so that then the parameters stay tensors of a copy of the module.
    optimize_numerics: taken for PyTorch's sake; a graph is compiled when it first runs.

    Example:
        frozen = torch.jit.freeze(torch.jit.script(model.eval()))
    """
    if not isinstance(mod, ScriptModule):
        raise RuntimeError("Freezing expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to script your 'nn.Module'.")
    if mod.training:
        raise RuntimeError("Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module before freezing.")
    names, kept = ["forward"], set()
    for name in preserved_attrs or ():
        if not hasattr(mod, name):
            raise RuntimeError(f"jit.freeze: {mod.original_name} has no attribute {name!r} to preserve")
        value = getattr(mod, name)
        if callable(value) and not isinstance(value, Module):
            names.append(name)
        else:
            kept.add(name)
    live = None
    if kept or all_attributes(mod.modules()):
        mod = _copy_for(mod, names)
        live = mod if kept or all_attributes(mod.modules()) else None
    made = {name: _LiveMethod(name, live) if live is not None else FrozenMethod(name, _C._freeze(_graph_of(mod, name))) for name in names}
    return FrozenModule(str(mod.original_name), made, live, kept)


def _graph_of(mod: Any, name: str) -> Graph:
    compiled = getattr(mod, "_compiled", None)
    return compiled(name)[0] if compiled is not None else _called(mod, name).graph


def _copy_for(mod: Any, names: list[str]) -> Any:
    """A copy of the module in which only these methods are compiled: what other methods assign is a constant for them."""
    copied = mod._plain_copy({}) if hasattr(mod, "_plain_copy") else copy.deepcopy(mod)
    parts = [m for m in copied.modules() if hasattr(m, "_keep_assigned")]
    for part in parts:
        part._keep_assigned({})
        part.__dict__["_reached"] = set(names) if part is copied else set()
    if hasattr(copied, "_keep_assigned"):
        for name in names * 2:  # the second time with what the first has found
            copied._compiled(name)
    return copied


def _called(mod: Any, name: str) -> Any:
    """The method; for forward of a loaded module with hooks, the one that runs them too."""
    return mod._methods.get("__call__", mod._methods[name]) if name == "forward" else mod._methods[name]


def optimize_for_inference(mod: Any, other_methods: list[str] | None = None) -> FrozenModule:
    """The module, frozen. Graphs are compiled when they first run, so that nothing else is left to do."""
    return mod if isinstance(mod, FrozenModule) else freeze(mod.eval(), preserved_attrs=other_methods)


def run_frozen_optimizations(mod: Any, optimize_numerics: bool = True, preserved_methods: list[str] | None = None) -> None:
    """Nothing: graphs are compiled when they first run.

    >>> torch.jit.run_frozen_optimizations(None)
    """


_settings: dict[str, Any] = {"fusion": [("STATIC", 2), ("DYNAMIC", 10)], "profiling": True, "optimized": True, "onednn": False}


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Keeps the strategy and gives the one before. It changes nothing here: what is fused does not depend on how often a graph ran."""
    for kind, depth in strategy:
        if kind not in ("STATIC", "DYNAMIC") or not isinstance(depth, int):
            raise ValueError(f"set_fusion_strategy: expected pairs of \"STATIC\" or \"DYNAMIC\" and an int, but got {(kind, depth)!r}")
    before: list[tuple[str, int]] = _settings["fusion"]
    _settings["fusion"] = list(strategy)
    return before


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """A with of PyTorch's, which changes nothing here."""
    before, _settings["optimized"] = _settings["optimized"], bool(should_optimize)
    try:
        yield
    finally:
        _settings["optimized"] = before


def enable_onednn_fusion(enabled: bool) -> None:
    """Keeps the value. Graphs are compiled by Monograph, and not by oneDNN, whatever it is.

    >>> torch.jit.enable_onednn_fusion(False)
    """
    _settings["onednn"] = bool(enabled)


def onednn_fusion_enabled() -> bool:
    """What enable_onednn_fusion has set; False before.

    >>> torch.jit.onednn_fusion_enabled()
    False
    """
    return bool(_settings["onednn"])


def set_profiling(on: bool) -> bool:
    """PyTorch's _jit_set_profiling_executor and _jit_set_profiling_mode: keeps the value and gives the one before."""
    before: bool = _settings["profiling"]
    _settings["profiling"] = bool(on)
    return before


_C._jit_set_profiling_executor = _C._jit_set_profiling_mode = set_profiling


def _switch(name: str, value: Any) -> None:
    """A switch of PyTorch's executor: `_C._jit_set_NAME(value)` gives nothing, and changes nothing here."""


def _keep_switches() -> None:
    for name in ("_jit_override_can_fuse_on_cpu", "_jit_override_can_fuse_on_gpu", "_jit_set_texpr_fuser_enabled", "_jit_set_num_profiled_runs",
                 "_jit_set_bailout_depth", "_jit_set_nvfuser_enabled", "_set_graph_executor_optimize", "_debug_set_autodiff_subgraph_inlining"):  # fmt: skip
        setattr(_C, name, functools.partial(_switch, name))


_keep_switches()

for _class in (FrozenModule,):
    _class.__module__ = "monograph.jit._freeze"
