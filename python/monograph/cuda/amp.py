"""torch.cuda.amp: the older names of torch.amp for a GPU, of which there is none."""

from __future__ import annotations

import functools
import warnings
from typing import Any

from .. import _C, amp

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]


def _warn(old: str, new: str) -> None:
    warnings.warn(f"`torch.cuda.amp.{old}` is deprecated. Please use `torch.amp.{new}` instead.", FutureWarning, stacklevel=3)


def amp_definitely_not_available() -> bool:
    """Whether there is no GPU: True."""
    return True


class autocast(amp.autocast):
    """amp.autocast("cuda"), which warns and does nothing."""

    def __init__(self, enabled: bool = True, dtype: Any = _C._dtypes["float16"], cache_enabled: bool = True) -> None:
        _warn("autocast(args...)", "autocast('cuda', args...)")
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """amp.GradScaler("cuda"), which warns and does nothing."""

    def __init__(
        self, init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True
    ) -> None:
        _warn("GradScaler(args...)", "GradScaler('cuda', args...)")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Any = None, *, cast_inputs: Any = None) -> Any:
    """amp.custom_fwd for "cuda"."""
    _warn("custom_fwd(args...)", "custom_fwd(args..., device_type='cuda')")
    return functools.partial(amp.custom_fwd, device_type="cuda")(fwd=fwd, cast_inputs=cast_inputs)


def custom_bwd(bwd: Any) -> Any:
    """amp.custom_bwd for "cuda"."""
    _warn("custom_bwd(args...)", "custom_bwd(args..., device_type='cuda')")
    return amp.custom_bwd(bwd, device_type="cuda")
