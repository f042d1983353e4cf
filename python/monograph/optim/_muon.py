"""The optimizer Muon, which makes the step of a matrix orthogonal by Newton and Schulz's iteration."""

from __future__ import annotations

import math
from typing import Any

from .. import _VF
from .._tensor import Tensor
from ..autograd.grad_mode import no_grad
from .optimizer import Optimizer, ParamsT, check_lr, to_scalar

__all__ = ["Muon"]

_RATES = ("original", "match_rms_adamw")


class Muon(Optimizer):
    """Steps by the momentum of the gradients, made orthogonal: for the matrices of hidden layers.

    Newton and Schulz's iteration, in bfloat16, brings all singular values of the momentum near 1. Biases, embeddings and the last layer need another
    optimizer, for example ``AdamW``.

    Args:
        params: matrices, or groups of them (see ``Optimizer``).
        lr: learning rate.
        weight_decay: multiplies p by ``1 - lr * weight_decay``.
        momentum: the share of the buffer that stays at each step.
        nesterov: steps by a mixture of gradient and buffer.
        ns_coefficients: the three coefficients of the iteration.
        eps: the smallest norm that is divided by.
        ns_steps: how often the iteration runs, below 100.
        adjust_lr_fn: how the rate depends on the shape (rows, columns): "original" (also None) multiplies it by ``sqrt(max(1, rows / columns))``,
            "match_rms_adamw" by ``0.2 * sqrt(max(rows, columns))``.

    Raises:
        ValueError: an option is out of its range, or a parameter is no matrix.

    >>> import monograph as torch
    >>> w = torch.zeros(2, 2, requires_grad=True)
    >>> optimizer = torch.optim.Muon([w], lr=1.0)
    >>> (w * torch.tensor([[3.0, 0.0], [0.0, 5.0]])).sum().backward()
    >>> optimizer.step()
    >>> bool((w.diag() < -0.6).all()), w[0, 1].item()
    (True, 0.0)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        check_lr(lr, "Learning rate should be >= 0 but is: {}")
        if not 0.0 <= momentum:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn is not None and adjust_lr_fn not in _RATES:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov, "ns_coefficients": ns_coefficients, "eps": eps,
            "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.dim() != 2:
                    raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: {parameter.size()}")

    @no_grad()
    def step(self, closure: Any = None) -> Any:
        return self._step(closure)

    def _state_of(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        if param.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        if grad.dim() != 2:
            raise ValueError("Param gradient must be a 2D matrix")
        state: dict[str, Any] = self.state[param]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = _VF.zeros_like(grad)
        return state

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        lr, momentum = to_scalar(group["lr"]), group["momentum"]
        buffer = state["momentum_buffer"].lerp_(grad, 1 - momentum)
        update = grad.lerp(buffer, momentum) if group["nesterov"] else buffer
        update = _orthogonal(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        param.mul_(1 - lr * group["weight_decay"])
        param.add_(update, alpha=-lr * _factor(group["adjust_lr_fn"], *param.shape))


def _factor(adjust: str | None, rows: int, columns: int) -> float:
    if adjust == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))


def _orthogonal(matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """A matrix with the singular vectors of this one, and singular values between about 0.5 and 1.5."""
    if steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = coefficients
    tall = matrix.size(0) > matrix.size(1)
    x = matrix.bfloat16()
    x = x.T if tall else x
    x.div_(x.norm().clamp(min=eps))  # as in PyTorch, this scales a buffer of bfloat16 itself where nesterov=False
    for _ in range(steps):
        gram = x @ x.T
        x = _rounded_once(x, _rounded_once(gram, gram, gram, b, c), x, a, 1.0)
    return x.T if tall else x


def _rounded_once(added: Tensor, left: Tensor, right: Tensor, beta: float, alpha: float) -> Tensor:
    """addmm of bfloat16, computed in float32, because the iteration amplifies rounding errors."""
    return _VF.addmm(added.float(), left.float(), right.float(), beta=beta, alpha=alpha).bfloat16()
