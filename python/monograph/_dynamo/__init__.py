"""torch._dynamo: the names of torch.compile that programs use beside torch.compile itself."""

from __future__ import annotations

from typing import Any

from .. import _absent
from ..compiler import allow_in_graph, assume_constant_result, disable, is_compiling, mark, reset, set_stance, substitute_in_graph
from . import config, exc
from .backends.registry import list_backends, lookup_backend, register_backend

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "disallow_in_graph", "exc", "explain", "export", "forbid_in_graph", "graph_break",
    "is_compiling", "list_backends", "lookup_backend", "mark_dynamic", "mark_static", "maybe_mark_dynamic", "optimize", "optimize_assert", "register_backend", "reset",
    "run", "set_stance", "substitute_in_graph",
]  # fmt: skip

forbid_in_graph = nonstrict_trace = skip_frame = mark


def disallow_in_graph(fn: Any) -> Any:
    """Marks a function, or each of a list, that torch.compile shall leave alone: a graph ends before its call. allow_in_graph() takes that back."""
    if isinstance(fn, (list, tuple)):
        return [disallow_in_graph(f) for f in fn]
    if not callable(fn):
        raise AssertionError("disallow_in_graph expects a callable")
    return mark(fn)


@mark
def graph_break(msg: str = "") -> None:
    """Ends the graph of the function that calls it. Another one begins after it."""


graph_break.__qualname__ = "torch._dynamo.graph_break()"  # for breaks.text



def mark_dynamic(
    t: Any, index: Any, *, hint_override: Any = None, min: int | None = None, max: int | None = None, specialize_on: Any = None
) -> None:  # noqa: A002
    """Sizes are symbols from the first capture on, so this mark says nothing new."""


def mark_static(t: Any, index: Any = None) -> None:
    """A size that the program compares is guarded; the mark says nothing more."""


maybe_mark_dynamic = mark_unbacked = mark_dynamic
mark_static_address = mark_static


def optimize(backend: Any = "monograph", *, nopython: bool = False, error_on_graph_break: Any = None, guard_export_fn: Any = None, guard_fail_fn: Any = None,
             disable: bool = False, dynamic: bool | None = None, **kwargs: Any) -> Any:  # fmt: skip
    """The decorator behind torch.compile: optimize(backend)(f)."""
    from .._compile import compile as compiled

    return lambda f: compiled(f, backend=backend, fullgraph=nopython, dynamic=dynamic, disable=disable)


def optimize_assert(backend: Any, **kwargs: Any) -> Any:
    """optimize(backend, nopython=True)."""
    return optimize(backend, nopython=True, **{k: v for k, v in kwargs.items() if k == "dynamic"})


def run(fn: Any = None) -> Any:
    """A function that makes no new captures: calls for which none holds run as Python runs them."""
    if fn is None:
        return run

    def called(*args: Any, **kwargs: Any) -> Any:
        with set_stance("eager_on_recompile"):
            return fn(*args, **kwargs)

    return called


def explain(f: Any, *extra_args: Any, **extra_kwargs: Any) -> Any:
    """explain(f)(x): captures the call f(x) and says how many graphs it gave, what they hold, what broke the capture, and what is guarded."""
    from ._explain import explained

    if extra_args or extra_kwargs:
        return explained(f, extra_args, extra_kwargs)
    return lambda *args, **kwargs: explained(f, args, kwargs)


def export(f: Any, *extra_args: Any, aten_graph: bool = False, **extra_kwargs: Any) -> Any:
    """export(f)(x): the function as a GraphModule, with its branches and loops, and the guards of the call f(x). It raises Unsupported where that is not one graph.

    aten_graph: NotImplementedError; the graph of torch.jit.trace(f, x) has the operators of aten.
    """
    from ._export import exported

    if aten_graph:
        raise NotImplementedError(
            "torch._dynamo.export(aten_graph=True) is not in Monograph: traced = torch.jit.trace(f, x) captures the call f(x) whole; traced.graph is its graph, of "
            "the operators of aten, and traced.save(file) writes it"
        )
    settings = ("pre_dispatch", "decomposition_table", "tracing_mode", "dynamic_shapes", "assume_static_by_default", "same_signature", "prefer_deferred_runtime_asserts_over_guards")
    given = {k: v for k, v in extra_kwargs.items() if k not in settings}
    if extra_args or given:
        return exported(f, extra_args, given)
    return lambda *args, **kwargs: exported(f, args, kwargs)


def inner_parts(module: str, instead: str) -> Any:
    """The __getattr__ of a module that PyTorch's own capture is made of: its names are classes, of which there are no objects here. `instead`: what to use."""

    def __getattr__(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        full = f"{module.replace('monograph', 'torch', 1)}.{name}"

        def refuse(cls: type, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError(f"{full} is a part of the inside of PyTorch's torch.compile, which Monograph does not have. {instead}")

        return type(name, (), {"__new__": refuse, "__module__": module})

    return __getattr__


def missing_name(module: str) -> Any:
    """The __getattr__ of a module: while Monograph stands in for torch, an import of a name that is not here succeeds, and its use raises."""

    def __getattr__(name: str) -> Any:
        if not name.startswith("__") and _absent.stands_in():
            return _absent.stand_in_for(f"{module.replace('monograph', 'torch', 1)}.{name}")
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return __getattr__


def __getattr__(name: str) -> Any:
    if name == "OptimizedModule":
        from .._compile import OptimizedModule

        return OptimizedModule
    if name in ("is_dynamo_supported", "is_inductor_supported"):
        return __getattr__("eval_frame").is_dynamo_supported
    if name in ("utils", "testing", "eval_frame", "backends", "breaks", "compiled_autograd", "source", "variables"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    return missing_name(__name__)(name)
