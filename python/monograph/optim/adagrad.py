from __future__ import annotations

from typing import Any

from .. import _VF
from .._tensor import Tensor
from .optimizer import Optimizer, ParamsT, check_at_least_zero, check_fused, check_lr, decayed, new_step, next_step, to_scalar

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    """Divides the gradient by the root of the sum of its squares: ``s += grad**2``, ``p -= lr * grad / (sqrt(s) + eps)``.

    Args:
        params: parameters, or groups of them (see ``Optimizer``).
        lr: learning rate, a number or a tensor of one element.
        lr_decay: the learning rate of step t is ``lr / (1 + (t - 1) * lr_decay)``.
        weight_decay: adds ``weight_decay * p`` to the gradient.
        initial_accumulator_value: what s starts with.
        eps: added to the root, so that it is not 0.
        foreach, fused: accepted; the results are the same.
        maximize: goes up the gradient.
        differentiable: gradients flow through the step. Parameters must not be leaves then.

    Raises:
        ValueError: an option is negative.

    >>> import monograph as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adagrad([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.5000, -1.5000], requires_grad=True)
    """

    _scalar_state = ("step",)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_at_least_zero(
            lr_decay=lr_decay, weight_decay=weight_decay, initial_accumulator_value=initial_accumulator_value, epsilon=eps
        )  # fmt: skip
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay, "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach, "maximize": maximize, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_fused(fused, foreach, differentiable)
        for group in self.param_groups:
            for parameter in group["params"]:
                self._start(self.state[parameter], parameter, parameter, group)

    def _added_options(self) -> dict[str, Any]:
        return {"foreach": None, "maximize": False, "differentiable": False, "fused": None}

    def step(self, closure: Any = None) -> Any:
        return self._step(closure)

    def _start(self, state: dict[str, Any], param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        first = self.defaults["initial_accumulator_value"]
        state["step"] = new_step(group)
        state["sum"] = _VF.full_like(param, complex(first, first) if param.is_complex() else first)

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        step = next_step(state)
        grad = decayed(grad, param, group["weight_decay"])
        rate = to_scalar(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
        root = state["sum"].addcmul_(grad, grad, value=1).sqrt()
        root = root + group["eps"] if group["differentiable"] else root.add_(group["eps"])
        param.addcdiv_(grad, root, value=-rate)
