"""torch.cuda.amp: the older names of torch.amp for a GPU, of which there is none."""

from __future__ import annotations

from typing import Any

from .. import amp

custom_fwd, custom_bwd = amp.custom_fwd, amp.custom_bwd


class autocast(amp.autocast):
    """amp.autocast("cuda"), which warns and does nothing."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """amp.GradScaler("cuda"), which warns and does nothing."""

    def __init__(
        self, init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True
    ) -> None:
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)
