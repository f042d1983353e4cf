"""Limits the gradients of parameters, by their common norm or element by element."""

from __future__ import annotations

import types
import warnings
from typing import Any

from ... import _C, _VF
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad


def _tensors(parameters: Any) -> list[Tensor]:
    return [parameters] if isinstance(parameters, Tensor) else list(parameters)


def get_total_norm(tensors: Any, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """The norm of all elements of some tensors, as of one vector.

    Args:
        tensors: a tensor or an iterable of tensors
        norm_type: the order of the norm; inf: the largest absolute value
        error_if_nonfinite: whether a total norm of NaN or infinity is an error
        foreach: accepted for PyTorch's sake; it changes nothing
    """
    tensors = _tensors(tensors)
    norm_type = float(norm_type)
    with no_grad():
        if not tensors:
            return _C.tensor(0.0)
        total = _VF.stack([t.norm(norm_type) for t in tensors]).norm(norm_type)
        if error_if_nonfinite and not bool(total.isfinite()):
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be clipped. To disable this error and scale the "
                "gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
            )
    return total


def clip_grads_with_norm_(parameters: Any, max_norm: float, total_norm: Tensor, foreach: bool | None = None) -> None:
    """Scales the gradients so that a total norm above `max_norm` becomes that.

    Args:
        parameters: a tensor or an iterable of tensors; those without a gradient are left out
        max_norm: the largest total norm
        total_norm: the norm of all gradients, of get_total_norm
        foreach: accepted for PyTorch's sake; it changes nothing
    """
    with no_grad():
        factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for parameter in _tensors(parameters):
            if parameter.grad is not None:
                parameter.grad.mul_(factor)


def clip_grad_norm_(parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """Scales the gradients so that their norm, as of one vector, is at most `max_norm`. The result is the norm before.

    Args:
        parameters: a tensor or an iterable of tensors; those without a gradient are left out
        max_norm: the largest total norm
        norm_type: the order of the norm; inf: the largest absolute value
        error_if_nonfinite: whether a total norm of NaN or infinity is an error
        foreach: accepted for PyTorch's sake; it changes nothing
    """
    was_generator = isinstance(parameters, types.GeneratorType)
    parameters = _tensors(parameters)
    if was_generator and not parameters:
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    total = get_total_norm([p.grad for p in parameters if p.grad is not None], norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total)
    return total


def clip_grad_norm(parameters: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:
    """The old name of clip_grad_norm_."""
    warnings.warn("`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.", FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Keeps each element of the gradients between -clip_value and clip_value.

    Args:
        parameters: a tensor or an iterable of tensors; those without a gradient are left out
        clip_value: the largest absolute value
        foreach: accepted for PyTorch's sake; it changes nothing
    """
    with no_grad():
        for parameter in _tensors(parameters):
            if parameter.grad is not None:
                parameter.grad.clamp_(-float(clip_value), float(clip_value))
