"""torch._dynamo.config: settings of torch.compile. `recompile_limit` and `cache_size_limit` count the captures of a function, `error_on_recompile` and
`fail_on_recompile_limit_hit` make another capture an error, `suppress_errors` runs a function whose backend fails as Python does, and `disable` runs all functions so.
The others are kept and read by nothing."""

from __future__ import annotations

import contextlib
import functools
import logging
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .. import _C
from ._config_names import WITHOUT_EFFECT

recompile_limit = 8
accumulated_recompile_limit = 256
suppress_errors = False
verbose = False
dynamic_shapes = True
assume_static_by_default = False
automatic_dynamic_shapes = True
capture_scalar_outputs = True
capture_dynamic_output_shape_ops = True
specialize_int = True
specialize_float = True
inline_inbuilt_nn_modules = True
guard_nn_modules = True
error_on_recompile = False
fail_on_recompile_limit_hit = False
allow_rnn = True
compiled_autograd = False
optimize_ddp = True
traceable_tensor_subclasses: set[Any] = set()
allow_unspec_int_on_nn_module = False
force_parameter_static_shapes = True
numpy_default_float = "float64"
trace_numpy = True
log_file_name = None
raise_on_ctx_manager_usage = True
repro_after = None
repro_level = 2
cprofile = False
skip_nnmodule_hook_guards = True
disable = False
globals().update(WITHOUT_EFFECT)


def _refuse(setting: str, failed: str) -> None:
    """Raises for a call that needs another capture, which this setting forbids."""
    from .exc import FailOnRecompileLimitHit, RecompileError

    if setting == "error_on_recompile":
        raise RecompileError(f"torch._dynamo.config.error_on_recompile is set, and this call needs another capture: {failed}")
    raise FailOnRecompileLimitHit(
        f"torch._dynamo.config.fail_on_recompile_limit_hit is set, and the function has recompile_limit captures, of which none holds for this call: {failed}"
    )


def _tell_full(function: Any, limit: int, failed: str, whole: bool) -> None:
    """Logs that a function has `limit` captures, and that none holds for this call. whole: of fullgraph=True, where it raises instead."""
    from .exc import FailOnRecompileLimitHit

    owner = getattr(function, "__self__", None)
    named = getattr(type(owner), "forward", function) if hasattr(owner, "forward") else function
    code = getattr(getattr(named, "__func__", named), "__code__", None)
    place = f" ({code.co_filename}:{code.co_firstlineno})" if code is not None else ""
    name = getattr(named, "__qualname__", type(function).__name__).rpartition("<locals>.")[2]
    words = (
        f"torch._dynamo hit config.recompile_limit ({limit})\n   function: {name!r}{place}\n   last reason: {failed}\n"
        "Calls for which no capture holds run as Python runs them. torch._dynamo.explain lists why each capture was made; "
        "torch._dynamo.config.recompile_limit allows more"
    )
    if whole:
        raise FailOnRecompileLimitHit(f"Hard failure due to fullgraph=True\n{words}")
    logging.getLogger("torch._dynamo.convert_frame").warning(words)


class _Patch(contextlib.ContextDecorator):
    """Settings that hold in a `with`, or in a function that it decorates."""

    def __init__(self, changes: dict[str, Any], settings: Any):
        self.changes, self.settings = changes, settings
        self.before: list[dict[str, Any]] = []

    def __enter__(self) -> _Patch:
        self.before.append({k: getattr(self.settings, k) for k in self.changes})
        for name, value in self.changes.items():
            setattr(self.settings, name, value)
        return self

    def __exit__(self, *exc: Any) -> None:
        for name, value in self.before.pop().items():
            setattr(self.settings, name, value)

    def __call__(self, f: Any) -> Any:
        if isinstance(f, type):
            for name, member in list(vars(f).items()):
                if name.startswith("test") and callable(member):
                    setattr(f, name, self(member))
            return f

        @functools.wraps(f)
        def called(*args: Any, **kwargs: Any) -> Any:
            with _Patch(self.changes, self.settings):
                return f(*args, **kwargs)

        return called


def _changes(name: Any, value: Any, changes: dict[str, Any]) -> dict[str, Any]:
    if isinstance(name, dict):
        return {**name, **changes}
    return changes if name is None else {name: value, **changes}


def patch(name: Any = None, value: Any = None, **changes: Any) -> _Patch:
    """patch(recompile_limit=2), patch("recompile_limit", 2) or patch({...}): a context and a decorator."""
    return _Patch(_changes(name, value, changes), sys.modules[__name__])


class Settings(ModuleType):
    """A module of settings: an unknown name is an error."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and name not in vars(self) and not hasattr(type(self), name):
            raise AttributeError(f"{self.__name__.replace('monograph', 'torch', 1)} has no setting {name!r}")
        super().__setattr__(name, value)


_FORCE_EAGER = 1  # a stance of torch.compiler.set_stance
_stances: list[int] = []  # the one before `disable` was set
_limit_setters: list[Callable[[int], None]] = []  # what the limit is told, once something has been compiled


def _older_name_of(name: str) -> Any:
    return property(lambda settings: getattr(settings, name), lambda settings, value: setattr(settings, name, value))


class _Config(Settings):
    """The settings, of which three have an older name too."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name == "recompile_limit":
            for set_limit in _limit_setters:
                set_limit(value)
        elif name == "disable" and bool(value) != bool(_stances):
            if value:
                _stances.append(_C._set_stance(_FORCE_EAGER))
            else:
                _C._set_stance(_stances.pop())

    cache_size_limit = _older_name_of("recompile_limit")
    accumulated_cache_size_limit = _older_name_of("accumulated_recompile_limit")
    fail_on_cache_limit_hit = _older_name_of("fail_on_recompile_limit_hit")


sys.modules[__name__].__class__ = _Config
