"""torch.autocast: regions in which operators compute in a shorter float where that is safe. The record of each operator says how its arguments are cast."""

from __future__ import annotations

import collections.abc
import functools
import warnings
from collections.abc import Callable
from typing import Any

from .. import _C
from . import _state

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast knows this kind of device. Only "cpu" computes here.

        >>> torch.amp.is_autocast_available("cpu"), torch.amp.is_autocast_available("meta")
        (True, False)
    """
    return _state.checked("is_autocast_available", device_type) in _state.DEVICES


def autocast_decorator(autocast_instance: Any, func: Callable[..., Any]) -> Callable[..., Any]:
    """The function, called in the region."""

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return call


class autocast:
    """A context or decorator in which matrix products and convolutions compute in `dtype`, and what needs precision in float32.

    device_type: "cpu". "cuda" warns and does nothing, as in PyTorch without a GPU; other kinds change nothing.
    dtype: torch.bfloat16, which None means, or torch.float16; another one warns and switches the region off.
    enabled: False switches autocast off in the region.
    cache_enabled: whether a weight is cast once in the outermost region, not at each use.

    The casts are calls of `to`: gradients go through them, and a trace has them as nodes. A graph that was captured computes in its own dtypes.

    Args:
        device_type: "cpu"
        dtype: the dtype of products; None: bfloat16
        enabled: False: the region changes nothing
        cache_enabled: whether a parameter is cast once a region

        >>> with torch.autocast("cpu", dtype=torch.bfloat16):
        ...     (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
        torch.bfloat16
    """

    def __init__(self, device_type: str, dtype: _C.dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.fast_dtype = _state.get_autocast_dtype(device_type) if dtype is None else dtype
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self._cache_enabled = _state.is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        elif enabled and self.fast_dtype not in (_C._dtypes["bfloat16"], _C._dtypes["float16"]):
            name = device_type.upper()
            warnings.warn(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n{name} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled

    def __enter__(self) -> Any:
        self.prev_cache_enabled = _state.is_autocast_cache_enabled()
        self.prev, self.prev_fastdtype = _state.is_autocast_enabled(self.device), _state.get_autocast_dtype(self.device)
        _state.set_autocast_enabled(self.device, self._enabled)
        _state.set_autocast_dtype(self.device, self.fast_dtype)
        _state.autocast_increment_nesting()
        _state.set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, *exc: object) -> Any:
        if _state.autocast_decrement_nesting() == 0:
            _state.clear_autocast_cache()
        _state.set_autocast_enabled(self.device, self.prev)
        _state.set_autocast_dtype(self.device, self.prev_fastdtype)
        _state.set_autocast_cache_enabled(self.prev_cache_enabled)
        return False

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use autocast as a context manager? For example:\n"
                "    with torch.autocast(device_type=...):\n        output = model(input)"
            )
        return autocast_decorator(self, func)


def _enter_autocast(*vals: Any) -> autocast:
    mode = autocast(*vals)
    mode.__enter__()
    return mode


def _exit_autocast(mode: autocast) -> None:
    mode.__exit__(None, None, None)


def _cast(value: Any, device_type: str, dtype: _C.dtype) -> Any:
    """The value, with floating tensors on this kind of device in `dtype`, double precision excepted."""
    if isinstance(value, _C.TensorBase):
        tensor: Any = value
        casts = tensor.is_floating_point() and tensor.device.type == device_type and tensor.dtype is not _C._dtypes["float64"]
        return tensor.to(dtype) if casts else tensor
    if isinstance(value, (str, bytes)) or hasattr(type(value), "__array__"):
        return value
    if isinstance(value, collections.abc.Mapping):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, collections.abc.Iterable):
        cast = (_cast(v, device_type, dtype) for v in value)
        return type(value)(cast) if isinstance(value, (list, tuple)) else cast
    return value


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: _C.dtype | None = None) -> Any:
    """Decorates the forward of an autograd.Function: with `cast_inputs`, a call in a region of autocast gets its floating tensors in that dtype, and computes
    with autocast off. Without it, forward computes in the region as it is.

    Args:
        fwd: the forward of an autograd.Function
        device_type: "cpu"
        cast_inputs: the dtype that floating inputs get; autocast is off in the function then

        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        ...     def forward(ctx, x):
        ...         return x * 2
        >>> with torch.autocast("cpu"):
        ...     Double.apply(torch.ones(1, dtype=torch.bfloat16)).dtype
        torch.float32
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(*args: Any, **kwargs: Any) -> Any:
        args[0]._dtype = _state.get_autocast_dtype(device_type)
        on = _state.is_autocast_enabled(device_type)
        args[0]._fwd_used_autocast = on and cast_inputs is None
        if cast_inputs is None or not on:
            return fwd(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return forward


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """Decorates the backward of an autograd.Function: it computes with autocast as it was in forward, which custom_fwd decorates."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return backward
