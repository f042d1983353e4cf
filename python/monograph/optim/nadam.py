from __future__ import annotations

from typing import Any

from .. import _VF
from .._tensor import Tensor
from .optimizer import Optimizer, ParamsT, check_at_least_zero, check_betas, check_lr, decayed, new_step, next_step, scalar_dtype, to_scalar

__all__ = ["NAdam"]


class NAdam(Optimizer):
    """Adam with Nesterov's momentum, whose share grows from step to step.

    Args:
        params: parameters, or groups of them (see ``Optimizer``).
        lr: learning rate, a number or a tensor of one element.
        betas: b1 and b2, as of ``Adam``.
        eps: added to the root, so that it is not 0.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        momentum_decay: how fast the momentum of step t, ``b1 * (1 - 0.5 * 0.96 ** (t * momentum_decay))``, grows.
        decoupled_weight_decay: multiplies p by ``1 - lr * weight_decay`` instead, as AdamW does.
        foreach: accepted; the results are the same.
        maximize: goes up the gradient.
        capturable: for other devices. A step with it raises AssertionError.
        differentiable: gradients flow through the step. Parameters must not be leaves then.

    Raises:
        ValueError: an option is negative, or a beta is 1 or more.

    >>> import monograph as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.NAdam([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.4718, -1.4718], requires_grad=True)
    """

    _scalar_state = ("step", "mu_product")

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
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
        check_at_least_zero(weight_decay=weight_decay, momentum_decay=momentum_decay)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _added_options(self) -> dict[str, Any]:
        return {"maximize": False, "foreach": None, "capturable": False, "differentiable": False, "decoupled_weight_decay": False}

    def step(self, closure: Any = None) -> Any:
        return self._step(closure)

    def _start(self, state: dict[str, Any], param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state["step"] = new_step(group)
        state["mu_product"] = _VF.ones([], dtype=scalar_dtype())
        state["exp_avg"] = _VF.zeros_like(param)
        state["exp_avg_sq"] = _VF.zeros_like(param)

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        lr, (beta1, beta2), decay = to_scalar(group["lr"]), group["betas"], group["momentum_decay"]
        step = next_step(state)
        if group["weight_decay"] != 0 and group["decoupled_weight_decay"]:
            param.mul_(1 - lr * group["weight_decay"])
        else:
            grad = decayed(grad, param, group["weight_decay"])
        mu = beta1 * (1.0 - 0.5 * (0.96 ** (step * decay)))
        mu_next = beta1 * (1.0 - 0.5 * (0.96 ** ((step + 1) * decay)))
        state["mu_product"].mul_(mu)
        product = state["mu_product"].clone() if group["differentiable"] else state["mu_product"].item()
        mean = state["exp_avg"].lerp_(grad, 1 - beta1)
        square = state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        root = square.div(1 - beta2**step)
        by_grad, by_mean = -lr * (1.0 - mu) / (1.0 - product), -lr * mu_next / (1.0 - product * mu_next)
        if group["differentiable"]:
            root = root.sqrt() + group["eps"]
            param.addcdiv_(grad * by_grad, root)
            param.addcdiv_(mean * by_mean, root)
        else:
            root = root.sqrt_().add_(group["eps"])
            param.addcdiv_(grad, root, value=by_grad)
            param.addcdiv_(mean, root, value=by_mean)
