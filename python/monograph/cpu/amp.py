"""torch.cpu.amp: the older names of torch.amp for the CPU."""

from __future__ import annotations

import warnings

from .. import _C, amp


def _warn(name: str) -> None:
    warnings.warn(f"`torch.cpu.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}('cpu', args...)` instead.", FutureWarning, stacklevel=3)


class autocast(amp.autocast):
    """amp.autocast("cpu"), with a warning that it is the older name."""

    def __init__(self, enabled: bool = True, dtype: _C.dtype = _C._dtypes["bfloat16"], cache_enabled: bool = True) -> None:
        _warn("autocast")
        super().__init__("cpu", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """amp.GradScaler("cpu"), with a warning that it is the older name."""

    def __init__(
        self, init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True
    ) -> None:
        _warn("GradScaler")
        super().__init__("cpu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
