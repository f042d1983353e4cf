from __future__ import annotations

from typing import Any

from .. import _VF
from .._tensor import Tensor
from .optimizer import Optimizer, ParamsT, check_at_least_zero, check_betas, check_lr, decayed, new_step, next_step, to_scalar

__all__ = ["Adamax"]


class Adamax(Optimizer):
    """Adam with the largest gradient in place of the mean of squares: ``u = max(b2 * u, |grad| + eps)``, ``p -= lr / (1 - b1**t) * m / u``.

    Args:
        params: parameters, or groups of them (see ``Optimizer``).
        lr: learning rate, a number or a tensor of one element.
        betas: b1 and b2.
        eps: added to the gradient's size.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        foreach: accepted; the results are the same.
        maximize: goes up the gradient.
        differentiable: gradients flow through the step. Parameters must not be leaves then.
        capturable: for other devices. A step with it raises AssertionError.

    Raises:
        ValueError: an option is negative, or a beta is 1 or more.

    >>> import monograph as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adamax([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.5000, -1.5000], requires_grad=True)
    """

    _scalar_state = ("step",)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_at_least_zero(epsilon=eps)
        check_betas(betas)
        check_at_least_zero(weight_decay=weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _added_options(self) -> dict[str, Any]:
        return {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def step(self, closure: Any = None) -> Any:
        return self._step(closure)

    def _start(self, state: dict[str, Any], param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state["step"] = new_step(group)
        state["exp_avg"] = _VF.zeros_like(param)
        state["exp_inf"] = _VF.zeros_like(param)

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        lr, (beta1, beta2) = to_scalar(group["lr"]), group["betas"]
        step = next_step(state)
        grad = decayed(grad, param, group["weight_decay"])
        mean, largest = state["exp_avg"].lerp_(grad, 1 - beta1), state["exp_inf"]
        if group["differentiable"]:
            both = _VF.stack([largest.mul_(beta2), grad.abs() + group["eps"]])
            largest.copy_(both.amax(0))
            param.addcdiv_(mean.clone(), largest.clone(), value=-lr / (1 - beta1**step))
        else:
            _VF.maximum(largest.mul_(beta2), grad.abs().add_(group["eps"]), out=largest)
            param.addcdiv_(mean, largest, value=-lr / (1 - beta1**step))
