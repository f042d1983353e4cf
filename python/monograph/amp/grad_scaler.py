"""torch.amp.GradScaler: scales losses, so that small gradients in float16 do not become zero, and skips steps whose gradients overflowed."""

from __future__ import annotations

import enum
import warnings
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from .. import _C, _VF
from .._package import package

__all__ = ["GradScaler", "OptState"]


class OptState(enum.Enum):
    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _fresh() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Multiplies losses by a factor, divides the gradients by it before a step, and leaves a step out if a gradient is inf or NaN.

    device: "cpu". For "cuda" it warns and is disabled, as in PyTorch without a GPU: then scale() gives the loss itself, and step() is optimizer.step().
    init_scale: the first factor. growth_factor, growth_interval: after so many steps without an overflow, the factor grows by this.
    backoff_factor: after an overflow, it shrinks by this.

    Args:
        device: "cpu"
        init_scale: the first factor of the loss
        growth_factor: the factor of the scale after growth_interval steps without infinities
        backoff_factor: the factor of the scale after a step with one
        growth_interval: how many steps without infinities a growth needs
        enabled: False: nothing is scaled

        >>> x = torch.nn.Parameter(torch.ones(1))
        >>> optimizer, scaler = torch.optim.SGD([x], lr=0.5), torch.amp.GradScaler("cpu")
        >>> scaler.scale((x * 2).sum()).backward()
        >>> scaler.step(optimizer)
        >>> scaler.update()
        >>> x.item(), scaler.get_scale()
        (0.0, 65536.0)
    """

    def __init__(
        self, device: str = "cuda", init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True
    ) -> None:
        self._device, self._enabled = device, enabled
        if enabled and device == "cuda":
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale, self._init_growth_tracker = init_scale, 0
        self._scale: Any = None  # made by the first scale()
        self._growth_tracker: Any = None
        self._growth_factor, self._backoff_factor, self._growth_interval = growth_factor, backoff_factor, growth_interval
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_fresh)

    def _check_scaled(self, function: str) -> None:
        if self._scale is None:
            raise AssertionError(
                f"Attempted {function} but _scale is None.  This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
            )

    def scale(self, outputs: Any) -> Any:
        """The tensor, or the tensors of a list, tuple or other iterable, times the factor."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, _C.TensorBase):
            if self._scale is None:
                self._scale = _VF.full((), self._init_scale, dtype=_C._dtypes["float32"])
                self._growth_tracker = _VF.full((), self._init_growth_tracker, dtype=_C._dtypes["int32"])
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _unscale_grads(self, optimizer: Any, inverse: float, takes_float16: bool) -> dict[Any, Any]:
        """Multiplies the gradients by `inverse`; 1 for each device on which one of them is not finite."""
        found: dict[Any, Any] = {}
        with package().no_grad():
            for parameter in (p for group in optimizer.param_groups for p in group["params"] if p.grad is not None):
                grad = parameter.grad
                if not takes_float16 and grad.dtype == _C._dtypes["float16"]:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                over = found.setdefault(grad.device, _VF.full((), 0.0, dtype=_C._dtypes["float32"]))
                if not grad.isfinite().all():
                    over.fill_(1.0)
                if inverse != 1.0:
                    grad.mul_(inverse)
        return found

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of the optimizer's parameters by the factor; step() does so where this was not called. Raises RuntimeError at a second call
        before update()."""
        if not self._enabled:
            return
        self._check_scaled("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = self._scale.double().reciprocal().float().item()
        state["found_inf_per_device"] = self._unscale_grads(optimizer, inverse, False)
        state["stage"] = OptState.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """optimizer.step() with gradients divided by the factor; nothing if one of them is inf or NaN. Raises RuntimeError with closure=."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scaled("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        found = state["found_inf_per_device"]
        if not found:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if sum(v.item() for v in found.values()) else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale: Any = None) -> None:
        """Ends an iteration: the factor shrinks if a step was left out, and grows after `growth_interval` steps. `new_scale`, a float or tensor of one element,
        sets it instead."""
        if not self._enabled:
            return
        self._check_scaled("update")
        if new_scale is None:
            self._grow_or_shrink()
        elif isinstance(new_scale, float):
            self._scale.fill_(new_scale)
        else:
            if new_scale.device.type != self._device or new_scale.numel() != 1 or new_scale.requires_grad:
                raise AssertionError("new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with requires_grad=False.")
            self._scale.copy_(new_scale)
        self._per_optimizer_states = defaultdict(_fresh)

    def _grow_or_shrink(self) -> None:
        found = [v for state in self._per_optimizer_states.values() for v in state["found_inf_per_device"].values()]
        if not found:
            raise AssertionError("No inf checks were recorded prior to update.")
        if sum(v.item() for v in found):
            self._scale.mul_(self._backoff_factor)
            self._growth_tracker.fill_(0)
            return
        successful = int(self._growth_tracker.item()) + 1
        if successful == self._growth_interval:
            grown = self._scale * self._growth_factor
            if grown.isfinite():
                self._scale.copy_(grown)
            successful = 0
        self._growth_tracker.fill_(successful)

    def get_scale(self) -> float:
        """The factor; 1 where disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        """By how much the factor grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets by how much the factor grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """By how much the factor shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets by how much the factor shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many steps the factor grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets after how many steps the factor grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def is_enabled(self) -> bool:
        """Whether it scales."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The factor and how it changes, to be saved; empty where disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes what state_dict() gave. Raises RuntimeError for an empty one, of a scaler that was disabled."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.")
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError("A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after scaler.update().")
            state.update(_init_scale=self.get_scale(), _init_growth_tracker=self._get_growth_tracker(), _scale=None, _growth_tracker=None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
