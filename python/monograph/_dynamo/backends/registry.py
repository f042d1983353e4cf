"""The backends of torch.compile by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

_backends: dict[str, Callable[..., Any]] = {}
_tags: dict[str, tuple[str, ...]] = {}
CompilerFn = Callable[..., Any]


def register_backend(compiler_fn: Any = None, name: str | None = None, tags: Sequence[str] = (), *, control_flow: bool = False) -> Any:
    """Gives a backend a name. control_flow: it takes graphs with If and Loop; another one gets flat graphs only.

    Example:
        @register_backend
        def mine(gm, example_inputs):
            return gm.forward
    """
    if compiler_fn is None:
        return lambda f: register_backend(f, name, tags, control_flow=control_flow)
    known = name or compiler_fn.__name__
    if known in _backends:
        raise AssertionError(f"duplicate name: {known}")
    _backends[known], _tags[known] = compiler_fn, tuple(tags)
    if control_flow:
        compiler_fn._control_flow = True
    return compiler_fn


def list_backends(exclude_tags: Sequence[str] | None = ("debug", "experimental")) -> list[str]:
    """The names of the backends without these tags."""
    return sorted(n for n in _backends if not set(_tags[n]) & set(exclude_tags or ()))


def lookup_backend(compiler_fn: Any) -> Any:
    """The backend of a name; a callable is itself."""
    if not isinstance(compiler_fn, str):
        return compiler_fn
    if compiler_fn not in _backends:
        from ..exc import InvalidBackend

        raise InvalidBackend(compiler_fn)
    return _backends[compiler_fn]


def _forward(gm: Any, inputs: Any, **kwargs: Any) -> Any:
    return gm.forward


def _builtin(name: str, builds: str, tags: Sequence[str] = ()) -> None:
    def backend(gm: Any, example_inputs: Any, **kwargs: Any) -> Any:
        """The graph as a Program, or as it is."""
        return gm.graph.build() if builds == "program" else gm.forward

    backend._builds = builds  # type: ignore[attr-defined]
    backend.__name__ = name
    register_backend(backend, name, tags, control_flow=True)


_builtin("monograph", "program")
_builtin("inductor", "program")
_builtin("interpreter", "plan")
_builtin("eager", "plan", ("debug",))
_builtin("aot_eager", "program", ("debug",))
_builtin("aot_eager_decomp_partition", "program", ("debug",))
_builtin("aot_eager_default_partitioner", "program", ("debug",))
_builtin("cudagraphs", "program")
