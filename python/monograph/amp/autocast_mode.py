"""torch.autocast, so far as it does nothing: disabled, or for a device that is not there."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]


class autocast:
    """A context or decorator that computes in `dtype` in PyTorch.

    device_type: "cuda" warns and does nothing, as in PyTorch without a GPU. "cpu" with enabled=False does nothing; with enabled=True it raises
    NotImplementedError: convert the module and its inputs with .to(torch.bfloat16).

        >>> with torch.autocast("cpu", enabled=False):
        ...     torch.ones(1) + 1
        tensor([2.])
    """

    def __init__(self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device, self.fast_dtype, self._cache_enabled = device_type, dtype, bool(cache_enabled)
        if device_type not in ("cpu", "cuda", "mps", "xpu", "meta", "hpu", "mtia"):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        if enabled and device_type == "cuda":
            warnings.warn("User provided device_type of 'cuda', but CUDA is not available. Disabling", stacklevel=2)
        self._enabled = enabled and device_type == "cpu"

    def __enter__(self) -> autocast:
        if self._enabled:
            raise NotImplementedError(
                "autocast('cpu'): Monograph computes in the dtypes of the tensors. Convert the module and its inputs: module.to(torch.bfloat16), x.to(torch.bfloat16)"
            )
        return self

    def __exit__(self, *exc: object) -> None: ...

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return call


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast may be used for this kind of device: for none."""
    return False


def custom_fwd(fwd: Any = None, *, device_type: str = "cuda", cast_inputs: Any = None) -> Any:
    """Marks the forward of an autograd.Function for autocast on this device: the function itself, since there is none."""
    return (lambda f: f) if fwd is None else fwd


def custom_bwd(bwd: Any = None, *, device_type: str = "cuda") -> Any:
    """Marks the backward of an autograd.Function for autocast on this device: the function itself, since there is none."""
    return (lambda f: f) if bwd is None else bwd
