from __future__ import annotations

from typing import Any

from .. import _VF
from .._tensor import Tensor
from .optimizer import Optimizer, ParamsT, check_lr, new_step, next_step, to_scalar

__all__ = ["Rprop"]


class Rprop(Optimizer):
    """Steps by the gradient's sign alone. The size of an element's step grows while its sign stays, and shrinks where it changes.

    Args:
        params: parameters, or groups of them (see ``Optimizer``).
        lr: the first size of the steps.
        etas: the factors of shrinking and growing, below and above 1.
        step_sizes: the smallest and the largest size.
        capturable: for other devices. A step with it raises AssertionError.
        foreach: accepted; the results are the same.
        maximize: goes up the gradient.
        differentiable: gradients flow through the step. Parameters must not be leaves then.

    Raises:
        ValueError: ``lr`` is negative, or ``etas`` do not lie around 1.

    >>> import monograph as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.Rprop([w], lr=0.5)
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
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
            "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _added_options(self) -> dict[str, Any]:
        return {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def step(self, closure: Any = None) -> Any:
        return self._step(closure)

    def _start(self, state: dict[str, Any], param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        lr = float(to_scalar(group["lr"]))
        state["step"] = new_step(group)
        state["prev"] = _VF.zeros_like(param)
        state["step_size"] = _VF.full_like(grad, complex(lr, lr) if param.is_complex() else lr)

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        (shrink, grow), (smallest, largest) = group["etas"], group["step_sizes"]
        last, size = state["prev"], state["step_size"]
        next_step(state, as_tensor=True)
        turn = grad.mul(last.clone() if group["differentiable"] else last)
        back = turn.lt(0)
        factor = turn.sign().masked_fill_(turn.gt(0), grow).masked_fill_(back, shrink).masked_fill_(turn.eq(0), 1)
        size.mul_(factor).clamp_(smallest, largest)
        grad = grad.masked_fill(back, 0)  # where the sign changed, this step is left out
        param.addcmul_(grad.sign(), size.clone() if group["differentiable"] else size, value=-1)
        last.copy_(grad)
