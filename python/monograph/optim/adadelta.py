from __future__ import annotations

from typing import Any

from .. import _VF
from .._tensor import Tensor
from .optimizer import Optimizer, ParamsT, check_at_least_zero, check_lr, decayed, new_step, next_step, to_scalar

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    """Scales the gradient by the root of the mean of squared steps over the root of the mean of squared gradients.

    Args:
        params: parameters, or groups of them (see ``Optimizer``).
        lr: the factor of the scaled gradient, a number or a tensor of one element.
        rho: the share of both means that stays at each step.
        eps: added under both roots.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        foreach: accepted; the results are the same.
        capturable: for other devices. A step with it raises AssertionError.
        maximize: goes up the gradient.
        differentiable: gradients flow through the step. Parameters must not be leaves then.

    Raises:
        ValueError: an option is negative, or ``rho`` is above 1.

    >>> import monograph as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adadelta([w], eps=0.01)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.6877, -1.6848], requires_grad=True)
    """

    _scalar_state = ("step",)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_at_least_zero(epsilon=eps, weight_decay=weight_decay)
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize, "capturable": capturable, "foreach": foreach,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _added_options(self) -> dict[str, Any]:
        return {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def step(self, closure: Any = None) -> Any:
        return self._step(closure)

    def _start(self, state: dict[str, Any], param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state["step"] = new_step(group)
        state["square_avg"] = _VF.zeros_like(param)
        state["acc_delta"] = _VF.zeros_like(param)

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        lr, rho, eps = to_scalar(group["lr"]), group["rho"], group["eps"]
        next_step(state, as_tensor=True)
        grad = decayed(grad, param, group["weight_decay"])
        root = state["square_avg"].mul_(rho).addcmul_(grad, grad, value=1 - rho).add(eps).sqrt_()
        delta = state["acc_delta"].add(eps).sqrt_()
        if group["differentiable"]:
            delta = delta / root * grad
        else:
            delta.div_(root).mul_(grad)
        state["acc_delta"].mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-lr)
