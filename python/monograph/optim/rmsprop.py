from __future__ import annotations

from typing import Any

from .. import _VF
from .._tensor import Tensor
from .optimizer import Optimizer, ParamsT, check_at_least_zero, check_lr, decayed, new_step, next_step, to_scalar

__all__ = ["RMSprop"]


class RMSprop(Optimizer):
    """Divides the gradient by the root of the mean of its squares: ``v = alpha * v + (1 - alpha) * grad**2``, ``p -= lr * grad / (sqrt(v) + eps)``.

    Args:
        params: parameters, or groups of them (see ``Optimizer``).
        lr: learning rate, a number or a tensor of one element.
        alpha: the share of the mean that stays at each step.
        eps: added to the root, so that it is not 0.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        momentum: the share of the last step that stays.
        centered: subtracts the squared mean of the gradients from v, which makes it their variance.
        capturable: for other devices. A step with it raises AssertionError.
        foreach: accepted; the results are the same.
        maximize: goes up the gradient.
        differentiable: gradients flow through the step. Parameters must not be leaves then.

    Raises:
        ValueError: an option is negative.

    >>> import monograph as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.RMSprop([w], lr=0.5, alpha=0.75)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0., -1.], requires_grad=True)
    """

    _scalar_state = ("step",)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_at_least_zero(epsilon=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered, "weight_decay": weight_decay,
            "capturable": capturable, "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _added_options(self) -> dict[str, Any]:
        return {"momentum": 0, "centered": False, "foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def step(self, closure: Any = None) -> Any:
        return self._step(closure)

    def _start(self, state: dict[str, Any], param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state["step"] = new_step(group)
        state["square_avg"] = _VF.zeros_like(param)
        if group["momentum"] > 0:
            state["momentum_buffer"] = _VF.zeros_like(param)
        if group["centered"]:
            state["grad_avg"] = _VF.zeros_like(param)

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        lr, alpha = to_scalar(group["lr"]), group["alpha"]
        next_step(state, as_tensor=True)
        grad = decayed(grad, param, group["weight_decay"])
        square = state["square_avg"].mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(grad, 1 - alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            root = square.sqrt()
        root = root.add(group["eps"]) if group["differentiable"] else root.add_(group["eps"])
        if group["momentum"] > 0:
            param.add_(state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, root), alpha=-lr)
        else:
            param.addcdiv_(grad, root, value=-lr)
