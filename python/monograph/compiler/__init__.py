"""torch.compiler: what programs ask of torch.compile and tell it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .. import _C

F = TypeVar("F", bound=Callable[..., Any])
_STANCES = {
    "default": 0,
    "eager_then_compile": 4,
    "aot_eager_then_compile": 4,
    "force_eager": 1,
    "eager_on_recompile": 2,
    "fail_on_recompile": 3,
}


def compile(*args: Any, **kwargs: Any) -> Any:  # noqa: A001
    """torch.compile."""
    from .._compile import compile as compiled

    return compiled(*args, **kwargs)


def is_compiling() -> bool:
    """Whether torch.compile captures the code that asks."""
    return _C._is_compiling()


def is_dynamo_compiling() -> bool:
    """Whether torch.compile captures the code that asks."""
    return _C._is_compiling()


def is_exporting() -> bool:
    """Whether torch.export runs the code: never here."""
    return False


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """A function that calls this one, and that torch.compile leaves alone: it runs between two graphs of the function that calls it. Of a Module: a Module.
    recursive: False marks the function itself. Without a function, a decorator."""
    if fn is None:
        return lambda f: disable(f, recursive, reason=reason)
    from .._compile import OptimizedModule, disabled
    from ..nn import Module

    if isinstance(fn, type):
        return fn
    if isinstance(fn, (staticmethod, classmethod)):
        return type(fn)(disable(fn.__func__, recursive, reason=reason))
    if not recursive:
        return mark(fn)
    return OptimizedModule(fn, None) if isinstance(fn, Module) else disabled(fn)


def mark(fn: Any) -> Any:
    """Marks a function, or the class of a module, that torch.compile shall leave alone: the function itself."""
    from ..nn import Module

    marked = getattr(type(fn), "forward", None) if isinstance(fn, Module) else getattr(fn, "__func__", fn)
    if hasattr(marked, "__dict__") and not isinstance(fn, type):
        marked.__dict__["_torchdynamo_disable"] = True
    elif callable(marked) and not isinstance(fn, type):
        _C._allow_in_graph(marked, False)
    return fn


def allow_in_graph(fn: F) -> F:
    """Marks a function that the compiler shall not look into: the function itself. Its operators are recorded all the same. It takes back disallow_in_graph()."""
    for f in fn if isinstance(fn, (list, tuple)) else [fn]:
        if "_torchdynamo_disable" in getattr(f, "__dict__", {}):
            del f.__dict__["_torchdynamo_disable"]
        elif callable(f):
            _C._allow_in_graph(f, True)
    return fn


def assume_constant_result(fn: F) -> F:
    """Marks a function whose result the compiler may keep: the function itself. What it reads is guarded all the same."""
    return fn


def substitute_in_graph(original_fn: Any, **kwargs: Any) -> Callable[[F], F]:
    """Marks a function that the compiler shall use for another: the function itself."""
    return lambda fn: fn


def reset() -> None:
    """Forgets what was captured."""
    from .._compile import reset as forget

    forget()


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names of torch.compile's backends."""
    from .._dynamo.backends.registry import list_backends as listed

    return listed(exclude_tags)


def set_default_backend(backend: Any) -> None:
    """There is one default backend, "monograph"."""
    if backend not in (None, "monograph", "inductor"):
        raise NotImplementedError("the default backend of torch.compile is monograph; pass backend= to torch.compile")


def get_default_backend() -> str:
    return "monograph"


def cudagraph_mark_step_begin() -> None:
    """Marks a step of CUDA graphs: there are none."""


class set_stance:  # noqa: N801
    """How compiled functions behave from here on, or in a `with`, or in the function that it decorates: "default", "force_eager" (nothing is captured, no
    capture is used), "eager_on_recompile" (a call for which no capture holds runs as Python does), "fail_on_recompile" (it raises) or "eager_then_compile" (the first
    call of a function runs as Python does, the second one is captured). force_backend: the backend of all functions meanwhile."""

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None):
        if stance not in _STANCES:
            raise RuntimeError(f"Invalid stance {stance!r}; it must be one of {', '.join(_STANCES)}")
        if force_backend is not None and stance != "default":
            raise RuntimeError(f"set_stance: force_backend goes with the stance 'default' alone, but got {stance!r}")
        self.stance, self.force_backend = stance, force_backend
        self._begin()

    def _begin(self) -> None:
        from .._compile import force_backend

        self._before = _C._set_stance(_STANCES[self.stance])
        self._backend_before = force_backend(self.force_backend)

    def _end(self) -> None:
        from .._compile import force_backend

        _C._set_stance(self._before)
        force_backend(self._backend_before)

    def __enter__(self) -> set_stance:
        return self

    def __exit__(self, *exc: Any) -> None:
        self._end()

    def __call__(self, fn: F) -> F:
        import functools

        self._end()

        @functools.wraps(fn)
        def run(*args: Any, **kwargs: Any) -> Any:
            with set_stance(self.stance, force_backend=self.force_backend):
                return fn(*args, **kwargs)

        return run  # type: ignore[return-value]


# Functions for options={"guard_filter_fn": f}: for each guard, f says whether torch.compile keeps it. Monograph accepts the option and keeps every guard.


def skip_all_guards_unsafe(guard_entries: Any) -> list[bool]:
    return [False for _ in guard_entries]


def skip_guard_on_globals_unsafe(guard_entries: Any) -> list[bool]:
    return [not entry.is_global for entry in guard_entries]


def skip_guard_on_all_nn_modules_unsafe(guard_entries: Any) -> list[bool]:
    return [not entry.orig_guard.source.is_unspecialized_nn_module() for entry in guard_entries]


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries: Any) -> list[bool]:
    return [not entry.orig_guard.source.is_unspecialized_builtin_nn_module() for entry in guard_entries]


def keep_tensor_guards_unsafe(guard_entries: Any, keep_parameters: bool = False) -> list[bool]:
    from ..nn import Parameter

    return [e.guard_type == "TENSOR_MATCH" and (keep_parameters or not isinstance(e.value, Parameter)) for e in guard_entries]


def keep_portable_guards_unsafe(guard_entries: Any) -> list[bool]:
    return [e.guard_type in ("GLOBAL_STATE", "SHAPE_ENV") or (e.guard_type == "TENSOR_MATCH" and not e.is_global) for e in guard_entries]


def save_cache_artifacts() -> None:
    """The files of PyTorch's compiler cache. There are none: None, as in PyTorch before anything was compiled. torch.jit.save writes a captured program."""


def load_cache_artifacts(serialized_artifacts: bytes) -> None:
    """Fills PyTorch's compiler cache from bytes. There is none, so this does nothing: None."""


def load_compiled_function(file: Any, *, f_globals: dict[str, Any] | None = None, external_data: dict[str, Any] | None = None) -> Any:
    raise NotImplementedError(
        "torch.compiler.load_compiled_function reads machine code that PyTorch's compiler wrote. "
        "Save the program with torch.jit.save, and read it with torch.jit.load"
    )


_guard_collectives = False


def set_enable_guard_collectives(enabled: bool) -> bool:
    """Whether several processes agree on each guard. There is one process here, so the setting changes nothing. Returns the old setting."""
    global _guard_collectives
    before, _guard_collectives = _guard_collectives, bool(enabled)
    return before


def wrap_numpy(fn: Any) -> Any:
    """A function of NumPy's arrays that takes tensors, and gives tensors in the place of arrays. What it computes is no part of a graph.

    Example:
        @torch.compiler.wrap_numpy
        def f(a, b):
            return np.sin(a) + b
    """
    import functools

    from .. import Tensor, from_numpy
    from ..utils._pytree import tree_map

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        import numpy

        given, named = tree_map(lambda v: v.numpy() if isinstance(v, Tensor) else v, (args, kwargs))
        result = fn(*given, **named)
        return tree_map(lambda v: from_numpy(numpy.asarray(v)) if isinstance(v, (numpy.ndarray, numpy.generic)) else v, result)

    return wrapped


def nested_compile_region(fn: F) -> F:
    """Marks a region that is compiled once: the function itself."""
    return fn
