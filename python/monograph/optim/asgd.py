from __future__ import annotations

from typing import Any

from .. import _VF
from .._tensor import Tensor
from .optimizer import Optimizer, ParamsT, check_at_least_zero, check_lr, decayed, new_step, next_step, scalar_dtype, to_scalar

__all__ = ["ASGD"]


class ASGD(Optimizer):
    """Gradient descent that also keeps the average of the parameters, in ``state[p]["ax"]``.

    Args:
        params: parameters, or groups of them (see ``Optimizer``).
        lr: learning rate, a number or a tensor of one element. At step t it is ``lr / (1 + lambd * lr * t) ** alpha``.
        lambd: how much of a parameter decays at each step.
        alpha: the power by which the learning rate falls.
        t0: the step at which averaging starts; before, the average is the parameter itself.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        foreach: accepted; the results are the same.
        maximize: goes up the gradient.
        differentiable: gradients flow through the step. Parameters must not be leaves then.
        capturable: for other devices. A step with it raises AssertionError.

    Raises:
        ValueError: ``lr`` or ``weight_decay`` is negative.

    >>> import monograph as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.ASGD([w], lr=0.25, lambd=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.3750, -0.7500], requires_grad=True)
    """

    _scalar_state = ("step", "eta", "mu")

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_at_least_zero(weight_decay=weight_decay)
        defaults = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _added_options(self) -> dict[str, Any]:
        return {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def step(self, closure: Any = None) -> Any:
        return self._step(closure)

    def _start(self, state: dict[str, Any], param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state["step"] = new_step(group)
        state["eta"] = _VF.full([], float(to_scalar(group["lr"])), dtype=scalar_dtype())
        state["mu"] = _VF.ones([], dtype=scalar_dtype())
        state["ax"] = _VF.zeros_like(param)

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        lr, lambd, mean = to_scalar(group["lr"]), group["lambd"], state["ax"]
        step = next_step(state)
        grad = decayed(grad, param, group["weight_decay"])
        eta, mu = state["eta"].item(), state["mu"].item()
        param.mul_(1 - lambd * eta)
        param.add_(grad, alpha=-eta)
        if mu != 1:
            mean.add_(param.sub(mean).mul_(mu))
        else:
            mean.copy_(param)
        state["eta"].fill_(float(lr / ((1 + lambd * lr * step) ** group["alpha"])))
        state["mu"].fill_(1 / max(1, step - group["t0"]))
