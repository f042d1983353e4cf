from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from .optimizer import Optimizer, ParamsT, check_fused, check_lr, to_scalar

__all__ = ["SGD"]


class SGD(Optimizer):
    """Gradient descent, with momentum where asked.

    Without momentum a step is ``p -= lr * grad``. With it, a buffer holds ``b = momentum * b + (1 - dampening) * grad``, and ``p -= lr * b``.

    Args:
        params: parameters, or groups of them (see ``Optimizer``).
        lr: learning rate, a number or a tensor of one element.
        momentum: the share of the buffer that stays at each step. The first step sets the buffer to the gradient.
        dampening: what is taken off the gradient's share, from the second step on.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        nesterov: steps by ``grad + momentum * b``.
        maximize: goes up the gradient.
        foreach, fused: accepted; the results are the same.
        differentiable: gradients flow through the step. Parameters must not be leaves then.

    Raises:
        ValueError: ``lr``, ``momentum`` or ``weight_decay`` is negative, or ``nesterov`` comes without momentum or with dampening.

    >>> import monograph as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.25, momentum=0.5)
    >>> for _ in range(2):
    ...     optimizer.zero_grad()
    ...     (w * w).sum().backward()
    ...     optimizer.step()
    >>> w.tolist()
    [0.0, 0.0]
    """

    _takes_complex = True

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov, "maximize": maximize,
            "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_fused(fused, foreach, differentiable)

    def _added_options(self) -> dict[str, Any]:
        return {"nesterov": False, "maximize": False, "foreach": None, "differentiable": False, "fused": False}

    def step(self, closure: Any = None) -> Any:
        return self._step(closure)

    def _state_of(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return self.state[param] if group["momentum"] != 0 else {}

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        lr, weight_decay, momentum = to_scalar(group["lr"]), group["weight_decay"], group["momentum"]
        if isinstance(weight_decay, Tensor) and weight_decay.requires_grad:
            grad = grad.addcmul(param, weight_decay)
        elif weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        if momentum != 0:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        if isinstance(lr, Tensor) and lr.requires_grad:
            param.addcmul_(grad, lr, value=-1)
        else:
            param.add_(grad, alpha=-lr)
