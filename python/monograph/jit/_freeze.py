"""torch.jit.freeze: a module whose parameters and attributes are constants of its graphs; and switches of PyTorch's executor, which change nothing here."""

from __future__ import annotations

import contextlib
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


class FrozenModule(Printed, ScriptModule):
    """What jit.freeze makes of a module. It has no parameters: they are copied into the graphs, so that a change of the module that was frozen changes nothing."""

    _methods: dict[str, FrozenMethod]

    def __init__(self, name: str, methods: dict[str, FrozenMethod], kept: dict[str, Any]):
        super().__init__()
        self.__dict__.update(training=False, original_name=name, _methods=methods, **kept)

    def __getattr__(self, name: str) -> Any:
        methods = self.__dict__.get("_methods", {})
        return methods[name] if name in methods else super().__getattr__(name)

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
        if is_mgraph(f):
            self.graph.save(f)
        else:
            write(self._program(), f, _extra_files)

    def _program(self) -> ArchiveProgram:
        if len(self._methods) != 1:
            raise NotImplementedError(f"jit.save writes one frozen method, but {self.original_name} has {', '.join(self._methods)}")
        return ArchiveProgram(self.graph)

    def _get_name(self) -> str:
        return "RecursiveScriptModule"

    def extra_repr(self) -> str:
        return f"original_name={self.original_name}"


def freeze(mod: Any, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> FrozenModule:
    """The module with its parameters, buffers and attributes as constants of its graph. It must be in the mode of evaluation.

    preserved_attrs: other methods, which are frozen too, and attributes, which are copied.
    optimize_numerics: taken for PyTorch's sake; a graph is compiled when it first runs.

    Example:
        frozen = torch.jit.freeze(torch.jit.script(model.eval()))
    """
    if not isinstance(mod, ScriptModule):
        raise RuntimeError("Freezing expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to script your 'nn.Module'.")
    if mod.training:
        raise RuntimeError("Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module before freezing.")
    if all_attributes(mod.modules()):
        raise NotImplementedError("jit.freeze: methods of this module assign attributes, so these cannot become constants. Use the module without jit.freeze")
    names, kept = ["forward"], {}
    for name in preserved_attrs or ():
        value = getattr(mod, name)
        if callable(value) and not isinstance(value, Module):
            names.append(name)
        else:
            kept[name] = value
    compiled = getattr(mod, "_compiled", None)
    graphs = [compiled(name)[0] if compiled is not None else _called(mod, name).graph for name in names]
    methods = {name: FrozenMethod(name, graph) for name, graph in zip(names, (_C._freeze(graph) for graph in graphs), strict=True)}
    return FrozenModule(str(mod.original_name), methods, kept)


def _called(mod: Any, name: str) -> Any:
    """The method; for forward of a loaded module with hooks, the one that runs them too."""
    return mod._methods.get("__call__", mod._methods[name]) if name == "forward" else mod._methods[name]


def optimize_for_inference(mod: Any, other_methods: list[str] | None = None) -> FrozenModule:
    """The module, frozen. Graphs are compiled when they first run, so that nothing else is left to do."""
    return mod if isinstance(mod, FrozenModule) else freeze(mod.eval(), preserved_attrs=other_methods)


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

for _class in (FrozenModule,):
    _class.__module__ = "monograph.jit._freeze"
