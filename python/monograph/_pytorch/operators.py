"""Operators of PyTorch that only its compilers write, in terms of those that programs write."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .. import Tensor, _assert, autograd, enable_grad
from ..nn import functional as F


def convolution(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Tensor:
    """aten::convolution, which is all convolutions in one."""
    dims = weight.ndim - 2
    if transposed:
        return (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[dims - 1](
            input, weight, bias, stride, padding, output_padding, groups, dilation
        )
    return (F.conv1d, F.conv2d, F.conv3d)[dims - 1](input, weight, bias, stride, padding, dilation, groups)


def convolution_backward(gradient: Tensor, input: Tensor, weight: Tensor, bias_sizes: Any, *rest: Any) -> list[Tensor | None]:
    """aten::convolution_backward. rest: the other arguments of the convolution, then which of the three gradients are wanted."""
    *rest, wanted = rest  # type: ignore[assignment]
    with enable_grad():
        x, w = input.detach().requires_grad_(wanted[0]), weight.detach().requires_grad_(wanted[1])
        sources = [t for t, asked in zip((x, w), wanted, strict=False) if asked]
        found = list(autograd.grad(convolution(x, w, None, *rest), sources, gradient)) if sources else []
    bias = gradient.sum((0, *range(2, gradient.ndim))) if wanted[2] else None
    return [found.pop(0) if wanted[0] else None, found.pop(0) if wanted[1] else None, bias]


def batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, mean: Tensor, variance: Tensor, momentum: float, eps: float
) -> tuple[Tensor, ...]:
    """aten::_native_batch_norm_legit_no_training: in evaluation, where the statistics of the batch are empty."""
    return F.batch_norm(input, mean, variance, weight, bias, False, momentum, eps), input.new_empty(0), input.new_empty(0)


def lift_fresh_copy(value: Tensor) -> Tensor:
    """aten::lift_fresh_copy: a constant that the program may write to."""
    return value.clone()


def check(condition: Any, message: str) -> None:
    """aten::_assert_scalar and aten::_assert_async: what torch.export assumes of values."""
    _assert(condition, message)


@functools.cache
def written_here() -> dict[Any, Callable[..., Any]]:
    """These functions, by PyTorch's operators."""
    import torch

    aten = torch.ops.aten
    return {
        aten.convolution.default: convolution,
        aten.convolution_backward.default: convolution_backward,
        aten._native_batch_norm_legit_no_training.default: batch_norm,
        aten.lift_fresh_copy.default: lift_fresh_copy,
        aten._assert_scalar.default: check,
        aten._assert_async.msg: check,
    }
