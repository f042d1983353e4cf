from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from .adam import Adam
from .optimizer import ParamsT

__all__ = ["AdamW"]


class AdamW(Adam):
    """Adam with weight decay beside the gradient: each step first multiplies p by ``1 - lr * weight_decay``.

    The arguments are those of ``Adam``, without ``decoupled_weight_decay``. ``weight_decay`` is 0.01 unless stated.

    Args:
        params: the parameters, or dicts of parameter groups
        lr: the learning rate
        betas: the factors of the running means of the gradient and of its square
        eps: what is added to the divisor
        weight_decay: which share of each parameter, times lr, a step takes away
        amsgrad: whether the largest mean of the squares so far is the divisor
        maximize: whether the objective rises
        foreach: accepted for PyTorch's sake; it changes nothing
        capturable: accepted for PyTorch's sake; it changes nothing
        differentiable: whether gradients flow through the step
        fused: accepted for PyTorch's sake; it changes nothing

    >>> import monograph as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.AdamW([w], lr=0.5, weight_decay=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.2500, -1.0000], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:  # older checkpoints of AdamW do not say it
            group["decoupled_weight_decay"] = True
