"""torch.nn.utils.fusion: a layer and the batch norm after it as one layer, for evaluation."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

from ... import _VF
from ..._tensor import Tensor
from ..modules.module import Module
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]
T = TypeVar("T", bound=Module)


def _checked(layer: Any, bn: Any) -> None:
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def fuse_conv_bn_eval(conv: T, bn: Module, transpose: bool = False) -> T:
    """A copy of the convolution that computes bn(conv(x)). transpose: for a transposed convolution.

    Both must be in eval mode, and the batch norm must have running statistics: AssertionError where not.

    Args:
        conv: a convolution, in eval mode
        bn: the batch norm behind it, in eval mode
        transpose: whether the convolution is a transposed one

        >>> conv, bn, x = nn.Conv2d(1, 2, 3).eval(), nn.BatchNorm2d(2).eval(), torch.ones(1, 1, 3, 3)
        >>> torch.allclose(nn.utils.fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)), atol=1e-6)
        True
    """
    _checked(conv, bn)
    fused: Any = copy.deepcopy(conv)
    norm: Any = bn
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: Tensor, conv_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor | None, bn_b: Tensor | None, transpose: bool = False
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the fused convolution: of the convolution's own, and the mean, variance, eps, weight and bias of the batch norm.

    Args:
        conv_w: the weight of the convolution
        conv_b: its bias, or None
        bn_rm: the running mean
        bn_rv: the running variance
        bn_eps: the eps of the batch norm
        bn_w: its weight, or None
        bn_b: its bias, or None
        transpose: whether the convolution is a transposed one
    """
    bias = _VF.zeros_like(bn_rm) if conv_b is None else conv_b
    scale = _VF.rsqrt(bn_rv + bn_eps)
    shift = _VF.zeros_like(bn_rm) if bn_b is None else bn_b
    factor = scale if bn_w is None else bn_w * scale
    shape = [1, -1] if transpose else [-1, 1]
    weight = (conv_w * factor.reshape(shape + [1] * (conv_w.dim() - 2))).to(conv_w.dtype)
    fused = ((bias - bn_rm) * scale * (1 if bn_w is None else bn_w) + shift).to(conv_w.dtype if conv_b is None else conv_b.dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(fused, bias.requires_grad)


def fuse_linear_bn_eval(linear: T, bn: Module) -> T:
    """A copy of the linear layer that computes bn(linear(x)).

    Both must be in eval mode, with running statistics, of as many features, or the batch norm of one: AssertionError where not.

    Args:
        linear: a linear layer, in eval mode
        bn: the batch norm behind it, in eval mode

        >>> linear, bn, x = nn.Linear(2, 3).eval(), nn.BatchNorm1d(3).eval(), torch.ones(1, 2)
        >>> torch.allclose(nn.utils.fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)), atol=1e-6)
        True
    """
    fused: Any = copy.deepcopy(linear)
    norm: Any = bn
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if norm.num_features not in (fused.out_features, 1):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, "
            f"got linear.out_features={fused.out_features} and bn.num_features={norm.num_features}"
        )
    _checked(linear, bn)
    fused.weight, fused.bias = fuse_linear_bn_weights(fused.weight, fused.bias, norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias)
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor, linear_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor, bn_b: Tensor
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the fused linear layer. The arguments are those of fuse_conv_bn_weights.

    Args:
        linear_w: the weight of the linear layer
        linear_b: its bias, or None
        bn_rm: the running mean
        bn_rv: the running variance
        bn_eps: the eps of the batch norm
        bn_w: its weight
        bn_b: its bias
    """
    bias = _VF.zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * _VF.rsqrt(bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1).to(linear_w.dtype)
    fused = ((bias - bn_rm) * scale + bn_b).to(linear_w.dtype if linear_b is None else linear_b.dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(fused, bias.requires_grad)
