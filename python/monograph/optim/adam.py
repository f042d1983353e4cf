from __future__ import annotations

from typing import Any

from .. import _VF
from .._tensor import Tensor
from .optimizer import Optimizer, ParamsT, check_betas, check_fused, check_lr, decayed, new_step, next_step, to_scalar

__all__ = ["Adam"]


class Adam(Optimizer):
    """Adam: steps by the mean of the gradients over the root of the mean of their squares.

    ``m = b1 * m + (1 - b1) * grad``, ``v = b2 * v + (1 - b2) * grad**2``, and ``p -= lr * (m / (1 - b1**t)) / (sqrt(v / (1 - b2**t)) + eps)`` at step t.

    Args:
        params: parameters, or groups of them (see ``Optimizer``).
        lr: learning rate, a number or a tensor of one element.
        betas: b1 and b2, two numbers or two tensors.
        eps: added to the root, so that it is not 0.
        weight_decay: adds ``weight_decay * p`` to the gradient (see ``decoupled_weight_decay``).
        amsgrad: divides by the root of the largest v so far.
        foreach, fused: accepted; the results are the same.
        maximize: goes up the gradient.
        capturable: for other devices. A step with it raises AssertionError.
        differentiable: gradients flow through the step. Parameters must not be leaves then.
        decoupled_weight_decay: multiplies p by ``1 - lr * weight_decay`` instead, as AdamW does.

    Raises:
        ValueError: an option is out of its range: all are at least 0, betas below 1.

    >>> import monograph as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.Adam([w], lr=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.5000, -1.5000], requires_grad=True)
    """

    _scalar_state = ("step",)

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_lr(lr)
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        self._check_kinds(betas, bool(foreach) and not capturable)
        defaults = {
            "lr": lr, "betas": tuple(map(to_scalar, betas)), "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)
        check_fused(fused, foreach, differentiable)

    @staticmethod
    def _check_kinds(betas: Any, numbers_only: bool) -> None:
        if not (all(isinstance(b, float) for b in betas[:2]) or all(isinstance(b, Tensor) for b in betas[:2])):
            raise ValueError("betas must be either both floats or both Tensors")
        for index, beta in enumerate(betas[:2]):
            if isinstance(beta, Tensor) and numbers_only:
                raise ValueError(f"betas[{index}] as a Tensor is not supported for capturable=False and foreach=True")
            if isinstance(beta, Tensor) and beta.numel() != 1:
                raise ValueError(f"Tensor betas[{index}] must be 1-element")

    def _added_options(self) -> dict[str, Any]:
        return {
            "amsgrad": False, "maximize": False, "foreach": None, "capturable": False, "differentiable": False,
            "decoupled_weight_decay": False, "fused": None,
        }  # fmt: skip

    def step(self, closure: Any = None) -> Any:
        return self._step(closure)

    def _start(self, state: dict[str, Any], param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        state["step"] = new_step(group)
        state["exp_avg"] = _VF.zeros_like(param)
        state["exp_avg_sq"] = _VF.zeros_like(param)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = _VF.zeros_like(param)

    def _update(self, param: Tensor, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        if group["foreach"] and isinstance(group["lr"], Tensor):
            raise RuntimeError("lr as a Tensor is not supported for capturable=False and foreach=True")
        lr, (beta1, beta2) = to_scalar(group["lr"]), group["betas"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        differentiable = group["differentiable"]
        step = next_step(state, differentiable)
        if group["weight_decay"] != 0 and group["decoupled_weight_decay"]:
            param.mul_(1 - lr * group["weight_decay"])
        else:
            grad = decayed(grad, param, group["weight_decay"])
        mean.lerp_(grad, 1 - beta1)
        if isinstance(beta2, Tensor) and beta2.requires_grad:
            square.lerp_(grad.square(), 1 - beta2)
        else:
            square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        first, second = 1 - beta1**step, 1 - beta2**step
        if differentiable:
            self._differentiable_update(param, mean, square, state, -lr / first, second.sqrt(), group["eps"])
            return
        if group["amsgrad"]:
            square = _VF.maximum(state["max_exp_avg_sq"], square, out=state["max_exp_avg_sq"])
        param.addcdiv_(mean, square.sqrt().div_(second**0.5).add_(group["eps"]), value=-lr / first)

    @staticmethod
    def _differentiable_update(
        param: Tensor, mean: Tensor, square: Tensor, state: dict[str, Any], size: Any, root: Tensor, eps: float
    ) -> None:
        if "max_exp_avg_sq" in state:
            largest = state["max_exp_avg_sq"]
            square = largest.copy_(_VF.maximum(largest.clone(), square))
        param.addcdiv_(mean.clone(), square.sqrt() / (root * size) + eps / size)
