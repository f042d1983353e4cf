"""torch.compile: a function is captured when it is called, and its graph runs in the calls for which the capture holds.

The first call runs the function once in the capture machine, which notes what it reads outside of itself (python/bindings/compile_capture.cpp). Later calls
check that in C++, and run the graph. If the backend made a callable of the graph, the first call puts back what its capture wrote, and runs the callable too.
What cannot be captured runs as Python runs it, between two graphs; `torch._dynamo.explain` says why.
"""

from __future__ import annotations

import copyreg
import functools
import inspect
import os
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from . import _C
from .nn import Module
from .nn._module_hooks import _GLOBAL

_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
_compiled: weakref.WeakSet[Any] = weakref.WeakSet()  # all compiled functions, for reset()
_settings: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()
_forced: Any = None  # the backend of set_stance(force_backend=)


def _check_machine() -> None:
    if not _C._machine_supported():
        import sys

        raise RuntimeError(
            f"torch.compile runs the code of Python 3.11, but this is Python {sys.version_info[0]}.{sys.version_info[1]}. "
            "Use torch.jit.trace or torch.fx.symbolic_trace, and graph.build()"
        )


def _runner(backend: Any, keywords: dict[str, Any]) -> tuple[Callable[..., Any], bool]:
    """What makes a graph run, and whether it takes graphs without If and Loop only."""
    from ._dynamo.backends.registry import lookup_backend

    usual = lookup_backend(backend)

    def run(graph: Any, inputs: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        from ._dynamo import config
        from ._dynamo._counters import count_graph
        from ._dynamo.exc import BackendCompilerFailed
        from .fx.graph_module import GraphModule

        count_graph(graph)
        graph._attributes_of_capture = weakref.WeakValueDictionary(attributes)
        found = usual if _forced is None else lookup_backend(_forced)
        builtin = getattr(found, "_builds", None)
        if builtin is not None:
            return None if builtin == "program" else False
        name = getattr(found, "__name__", found)
        if _forced is not None and not getattr(found, "_control_flow", False) and any(_C._blocks(n) for n in graph.nodes):
            raise BackendCompilerFailed(f"backend={name!r} of set_stance(force_backend=) takes graphs without branches and loops, but the function has one; pass it to torch.compile")
        try:
            made = found(GraphModule(attributes, graph), list(inputs), **keywords)
            if not callable(made):
                raise TypeError(f"a backend of torch.compile must return a callable, but {name} returned {made!r}")
        except Exception as error:
            if config.suppress_errors:
                raise
            raise BackendCompilerFailed(f"backend={name!r} raised:\n{type(error).__name__}: {error}") from error
        return made

    return run, not getattr(usual, "_control_flow", False)


def _argument_names(f: Any) -> tuple[str, ...]:
    """The names of the arguments that a call gives by position."""
    owner = getattr(f, "__self__", None)
    try:
        parameters = inspect.signature(owner.forward if isinstance(owner, Module) else f).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))


def _raise_unsupported(kind: str, detail: str, where: str, whole: bool) -> None:
    from ._dynamo.breaks import text
    from ._dynamo.exc import Unsupported

    raise Unsupported(text(kind, detail, where, whole))


def compiled_function(
    f: Any, fullgraph: bool, dynamic: bool | None, backend: Any, keywords: dict[str, Any], limit: int | None,
    outermost: bool = False,
) -> Any:
    """A callable that captures f. outermost: for set_execution("graph")."""
    from ._dynamo import config

    if set_limit not in config._limit_setters:
        config._limit_setters.append(set_limit)
    _check_machine()
    _C._set_tables_of_all(_GLOBAL)
    run, flat = _runner(backend, keywords)
    made = _C._compiled(
        f,
        run,
        _raise_unsupported if fullgraph else None,
        _argument_names(f),
        flat,
        dynamic is False,
        config.recompile_limit if limit is None else limit,
        outermost,
    )
    _compiled.add(made)
    _settings[made] = {"fullgraph": fullgraph, "dynamic": dynamic, "backend": backend, "keywords": keywords, "limit": limit}
    return made


def disabled(f: Any) -> Any:
    """A function that calls f, and that no capture looks into."""

    @functools.wraps(f)
    def called(*args: Any, **kwargs: Any) -> Any:
        return f(*args, **kwargs)

    called.__dict__.update(_torchdynamo_disable=True, _torchdynamo_orig_callable=f)
    called.__qualname__ = getattr(f, "__qualname__", type(f).__name__)
    return called


def _rebuilt(f: Any, settings: dict[str, Any]) -> Any:
    return compiled_function(f, **settings)


_HOOKS_OF_ALL = (
    "The hooks of all modules, as of register_module_forward_hook, are called once more: for what torch.compile made of the module, which has hooks of its "
    "own. Register these on the module, or use module.compile(), which makes no second module"
)


class OptimizedModule(Module):
    """A module whose calls are captured. Its state is that of the module that it was made from, under the same names."""

    _opt_mod_attributes = {"_orig_mod", "_compiled_call", "_settings_of_compile", "forward"}

    def __init__(self, mod: Module, settings: dict[str, Any] | None):
        """settings: None for torch.compiler.disable, which leaves all calls to Python."""
        super().__init__()
        self.__dict__["_settings_of_compile"] = settings
        self._modules["_orig_mod"] = mod
        self.__dict__["_compiled_call"] = compiled_function(mod.__call__, **settings) if settings is not None else disabled(mod.__call__)

    @property
    def _orig_mod(self) -> Module:
        return self._modules["_orig_mod"]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        fields = self.__dict__
        if fields["_forward_hooks"] or fields["_forward_pre_hooks"] or fields["_backward_hooks"] or fields["_backward_pre_hooks"]:
            if any(_GLOBAL):
                warnings.warn(_HOOKS_OF_ALL, stacklevel=2)
            return self._call_impl(*args, **kwargs)
        return (fields.get("forward") or fields["_compiled_call"])(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._compiled_call(*args, **kwargs)

    # A buffer, parameter or module that is registered here is one of the module, as one that is assigned.
    def register_buffer(self, *args: Any, **kwargs: Any) -> None:
        self._modules["_orig_mod"].register_buffer(*args, **kwargs)

    def register_parameter(self, *args: Any, **kwargs: Any) -> None:
        self._modules["_orig_mod"].register_parameter(*args, **kwargs)

    def add_module(self, *args: Any, **kwargs: Any) -> None:
        self._modules["_orig_mod"].add_module(*args, **kwargs)

    register_module = add_module

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._modules["_orig_mod"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in OptimizedModule._opt_mod_attributes:
            super().__setattr__(name, value)
        else:
            setattr(self._modules["_orig_mod"], name, value)

    def __delattr__(self, name: str) -> None:
        if name == "forward" and name in self.__dict__:
            del self.__dict__[name]
        else:
            delattr(self._modules["_orig_mod"], name)

    @property
    def training(self) -> bool:
        return self._modules["_orig_mod"].training

    @training.setter
    def training(self, mode: bool) -> None:
        if "_orig_mod" in self.__dict__.get("_modules", {}):
            self._modules["_orig_mod"].training = mode

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        return self._modules["_orig_mod"].state_dict(*args, **kwargs)

    def load_state_dict(self, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        prefix = "_orig_mod."
        if any(isinstance(k, str) and k.startswith(prefix) for k in state_dict):
            state_dict = type(state_dict)((k.removeprefix(prefix), v) for k, v in state_dict.items())
        return self._modules["_orig_mod"].load_state_dict(state_dict, *args, **kwargs)

    def named_parameters(self, *args: Any, **kwargs: Any) -> Any:
        return self._modules["_orig_mod"].named_parameters(*args, **kwargs)

    def named_buffers(self, *args: Any, **kwargs: Any) -> Any:
        return self._modules["_orig_mod"].named_buffers(*args, **kwargs)

    def __len__(self) -> int:
        return len(self._modules["_orig_mod"])

    def __getitem__(self, key: Any) -> Any:
        return self._modules["_orig_mod"][key]

    def __iter__(self) -> Any:
        return iter(self._modules["_orig_mod"])

    def __bool__(self) -> bool:
        return True

    def __reduce_ex__(self, protocol: Any) -> Any:
        return OptimizedModule, (self._modules["_orig_mod"], self.__dict__["_settings_of_compile"])

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        import copy

        return OptimizedModule(copy.deepcopy(self._modules["_orig_mod"], memo), self.__dict__["_settings_of_compile"])

    def __copy__(self) -> Any:
        return OptimizedModule(self._modules["_orig_mod"], self.__dict__["_settings_of_compile"])

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._modules["_orig_mod"])})


def compile(  # noqa: A001
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """Captures a function or Module as a graph when it is called. Later calls run the graph, if nothing that the capture read has changed.

    fullgraph: True raises `torch._dynamo.exc.Unsupported`, with the line, the cause and the cure, if the call cannot be captured as one graph. By default
    Python runs what cannot be captured, between two graphs.
    dynamic: False makes a capture for each size and int. Otherwise one capture holds for all sizes that the program treats alike.
    backend: "monograph" (the default: the graph is built as a Program), "interpreter", or a callable that gets a GraphModule and the example inputs and
    returns a callable. PyTorch's "inductor" and "aot_eager" mean "monograph" here, and "eager" means "interpreter".
    mode, options: handed to a backend that is a callable. Every mode of PyTorch is accepted.

    Example:
        @torch.compile
        def f(x, y):
            return torch.sin(x) + y if x.sum() > 0 else y
    """
    if model is None:
        arguments = dict(locals())
        del arguments["model"]
        return lambda f: compile(f, **arguments)
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in _MODES and (backend is None or isinstance(backend, str)):
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if disable or os.environ.get("TORCHDYNAMO_DISABLE", "0") == "1":
        return model
    if not callable(model):
        raise TypeError(f"torch.compile expects a function or a Module, but got {type(model).__name__}")
    keywords = {
        k: v for k, v in (("mode", mode), ("options", options)) if v is not None and backend is not None and not isinstance(backend, str)
    }
    settings: dict[str, Any] = {
        "fullgraph": fullgraph, "dynamic": dynamic, "backend": "monograph" if backend is None else backend, "keywords": keywords, "limit": recompile_limit,
    }  # fmt: skip
    if isinstance(model, OptimizedModule):
        model = model._orig_mod
    if isinstance(model, Module):
        return OptimizedModule(model, settings)
    if inspect.isclass(model):
        raise RuntimeError(f"torch.compile cannot compile the class {model.__name__}; compile an instance, or its method")
    if _C._is_compiled(model):
        model = model._function
    made = compiled_function(model, **settings)
    if hasattr(model, "__dict__"):
        functools.update_wrapper(made, model)
    return made


def compile_module(module: Module, *args: Any, **kwargs: Any) -> None:
    """Module.compile(): from here on, calls of the module are captured."""
    made = compile(module._call_impl, *args, **kwargs)
    module.__dict__["_compiled_call_impl"] = made if _C._is_compiled(made) else None


def compiled_of(f: Any) -> Any:
    """The compiled function behind what torch.compile gave."""
    if isinstance(f, OptimizedModule):
        call = f.__dict__["_compiled_call"]
        return call if _C._is_compiled(call) else None
    if isinstance(f, Module):
        return f.__dict__.get("_compiled_call_impl")
    return f if _C._is_compiled(f) else None


def set_limit(limit: int) -> None:
    """Of how many captures of a function are kept, where torch.compile was given no limit."""
    for made in list(_compiled):
        if _settings[made]["limit"] is None:
            _C._compiled_limit(made, limit)


def force_backend(backend: Any) -> Any:
    """In the place of the backends of all functions from here on; None: no more. The captures that were made with others are forgotten. Returns the one before."""
    global _forced
    before, _forced = _forced, backend
    if before is not backend:
        reset()
    return before


def reset() -> None:
    """Forgets all captures."""
    for made in list(_compiled):
        _C._compiled_reset(made)


def warn_if_full(made: Any) -> None:
    if any(what == "full" for what, _ in made._events):
        warnings.warn("torch.compile: the cache of captures is full; other calls run as Python runs them", stacklevel=3)


copyreg.pickle(_C.Compiled, lambda made: (_rebuilt, (made._function, _settings[made])))
compile.__module__ = OptimizedModule.__module__ = "monograph"
OptimizedModule.__module__ = "monograph._dynamo.eval_frame"
