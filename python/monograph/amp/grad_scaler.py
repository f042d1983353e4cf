"""torch.amp.GradScaler, so far as it does nothing: for a device that is not there."""

from __future__ import annotations

import warnings
from typing import Any


class GradScaler:
    """Scales losses against underflow of float16 gradients in PyTorch. For "cuda" it warns and is disabled, as in PyTorch without a GPU.

    Raises NotImplementedError for "cpu" with enabled=True.

        >>> torch.amp.GradScaler("cpu", enabled=False).scale(torch.ones(1))
        tensor([1.])
    """

    def __init__(
        self, device: str = "cuda", init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True
    ) -> None:
        if enabled and device == "cuda":
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
        elif enabled:
            raise NotImplementedError(f"GradScaler({device!r}): Monograph does not scale losses yet. Train in float32 or bfloat16, or pass enabled=False")

    def scale(self, outputs: Any) -> Any:
        """The loss itself."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Nothing."""

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """optimizer.step()."""
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Nothing."""

    def get_scale(self) -> float:
        """1."""
        return 1.0

    def is_enabled(self) -> bool:
        """False."""
        return False

    def state_dict(self) -> dict[str, Any]:
        """Empty."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Nothing."""
