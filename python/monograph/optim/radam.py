from __future__ import annotations

from typing import Any

from .. import _VF
from .._tensor import Tensor
from .optimizer import Optimizer, ParamsT, check_at_least_zero, check_betas, check_lr, decayed, new_step, next_step, to_scalar

__all__ = ["RAdam"]


class RAdam(Optimizer):
    """Adam that steps by the mean of the gradients alone until the mean of their squares is reliable, and by a corrected ratio from then on.

    Args:
        params: parameters, or groups of them (see ``Optimizer``).
        lr: learning rate, a number or a tensor of one element.
        betas: b1 and b2, as of ``Adam``.
        eps: added to the root, so that it is not 0.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        decoupled_weight_decay: multiplies p by ``1 - lr * weight_decay`` instead, as AdamW does.
        foreach: accepted; the results are the same.
        maximize: goes up the gradient.
        capturable: for other devices. A step with it raises AssertionError.
        differentiable: gradients flow through the step. Parameters must not be leaves then.

    Raises:
        ValueError: an option is negative, or a beta is 1 or more.

    >>> import monograph as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.RAdam([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0., 0.], requires_grad=True)
    """

    _scalar_state = ("step",)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_at_least_zero(epsilon=eps)
        check_betas(betas)
        check_at_least_zero(weight_decay=weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _added_options(self) -> dict[str, Any]:
        return {"foreach": None, "maximize": False, "differentiable": False, "decoupled_weight_decay": False, "capturable": False}

    def step(self, closure: Any = None) -> Any:
        return self._step(closure)

    def _start(self, state: dict[str, Any], param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state["step"] = new_step(group)
        state["exp_avg"] = _VF.zeros_like(param)
        state["exp_avg_sq"] = _VF.zeros_like(param)

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        lr, (beta1, beta2), eps = to_scalar(group["lr"]), group["betas"], group["eps"]
        step = next_step(state)
        if group["weight_decay"] != 0 and group["decoupled_weight_decay"]:
            param.mul_(1 - lr * group["weight_decay"])
        else:
            grad = decayed(grad, param, group["weight_decay"])
        mean = state["exp_avg"].lerp_(grad, 1 - beta1)
        square = state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        first, second = 1 - beta1**step, 1 - beta2**step
        # The length of the simple moving average that approximates the exponential one: its limit, and its value at this step.
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * (beta2**step) / second
        update = mean / first * lr
        if length > 5.0:
            rectified = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
            root = square.sqrt().add(eps) if group["differentiable"] else square.sqrt().add_(eps)
            update = update * ((second**0.5) / root) * rectified
        param.add_(update, alpha=-1.0)
