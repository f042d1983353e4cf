"""The optimizer Adafactor. Instead of a whole matrix of squared gradients it keeps means of their rows and columns."""

from __future__ import annotations

from typing import Any

from .. import _VF
from .._tensor import Tensor
from .._type_info import finfo
from ..autograd.grad_mode import no_grad
from .optimizer import Optimizer, ParamsT, check_lr, new_step, next_step, to_scalar

__all__ = ["Adafactor"]


class Adafactor(Optimizer):
    """Divides the gradient by the root of the mean of its squares, of which it keeps one number for each row and each column.

    Args:
        params: parameters, or groups of them (see ``Optimizer``).
        lr: the largest relative step, a number or a tensor of one element. Step t is at most ``1 / sqrt(t)``.
        beta2_decay: the share of new squares in their mean at step t is ``t ** beta2_decay``. It is 0 or negative.
        eps: the smallest root (None: the dtype's epsilon), and the smallest size of parameters in the relative step.
        d: the largest size of an update, as the root of the mean of its squares. It is at least 1.
        weight_decay: multiplies p by ``1 - lr * weight_decay``.
        foreach: accepted; the results are the same.
        maximize: goes up the gradient.

    Raises:
        ValueError: an option is out of its range.
        RuntimeError: in ``step``, where a parameter is complex.

    >>> import monograph as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adafactor([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.2094, -1.2094], requires_grad=True)
    """

    _scalar_state = ("step",)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_lr(lr, "Learning rate should be >= 0 but is: {}")
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        defaults = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay, "foreach": foreach, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _added_options(self) -> dict[str, Any]:
        return {"foreach": None}

    @no_grad()
    def step(self, closure: Any = None) -> Any:
        return self._step(closure)

    def _state_of(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> dict[str, Any]:
        if param.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        return super()._state_of(param, grad, group)

    def _start(self, state: dict[str, Any], param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state["step"] = new_step(group)
        if grad.dim() > 1:
            state["row_var"] = grad.new_zeros([*grad.shape[:-1], 1])
            state["col_var"] = grad.new_zeros([*grad.shape[:-2], 1, grad.shape[-1]])
        else:
            state["variance"] = _VF.zeros_like(grad)

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        lr, (eps1, eps2) = to_scalar(group["lr"]), group["eps"]
        if eps1 is None:
            eps1 = finfo(param.dtype).eps
        step = next_step(state)
        share = step ** group["beta2_decay"]
        rate = max(eps2, param.norm(2).item() / param.numel() ** 0.5) * min(lr, 1 / step**0.5)
        if group["weight_decay"] != 0:
            param.mul_(1 - lr * group["weight_decay"])
        if grad.dim() > 1:
            rows, columns = state["row_var"], state["col_var"]
            rows.lerp_(grad.norm(2, -1, True).square_().div_(grad.size(-1)), share)
            columns.lerp_(grad.norm(2, -2, True).square_().div_(grad.size(-2)), share)
            mean = (rows @ columns).div_(rows.mean(dim=-2, keepdim=True).clamp_(min=eps1))
        else:
            mean = state["variance"].lerp_(grad * grad, share).clone()
        update = mean.clamp_(min=eps1 * eps1).rsqrt_().mul_(grad)
        size = update.norm(2).item() / (update.numel() ** 0.5 * group["d"])
        param.add_(update, alpha=-rate / max(1.0, size))
