"""torch.autograd: gradients by backward passes over what was recorded."""

from __future__ import annotations

import warnings
from typing import Any

from .. import _C
from ..utils.hooks import RemovableHandle
from . import anomaly_mode, forward_ad, function, functional, graph
from ._passes import HandleOfHook as HandleOfHook, _is_checkpoint_valid as _is_checkpoint_valid, backward, grad
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .function import Function
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled
from .gradcheck import gradcheck, gradgradcheck

__all__ = [
    "Function", "RemovableHandle", "Variable", "anomaly_mode", "backward", "detect_anomaly", "enable_grad", "forward_ad", "function", "functional", "grad",
    "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled",
    "set_multithreading_enabled",
]  # fmt: skip


class _VariableType(type):
    """The metaclass of Variable: isinstance(t, Variable) is True for every tensor."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _C.TensorBase)


class Variable(metaclass=_VariableType):
    """The name of tensors before PyTorch 0.4, kept for old programs. A call returns a tensor over the same memory, detached from the history of `data`.

    Args:
        data: a tensor; without it the result is an empty tensor
        requires_grad: whether the new tensor requires grad; `data` itself does not change
        volatile: has no effect, and warns if True

    Raises:
        TypeError: data is no tensor
        ValueError: volatile and requires_grad are both True

    >>> import monograph as torch
    >>> data = torch.ones(2)
    >>> torch.autograd.Variable(data, requires_grad=True).requires_grad, data.requires_grad
    (True, False)
    """

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool = False) -> Any:
        if volatile:
            warnings.warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.", stacklevel=2)
            if requires_grad:
                raise ValueError("Variable can't be volatile and require_grad at the same time!")
        if data is None:
            from .. import _VF

            made = _VF.empty([0])
        elif isinstance(data, _C.TensorBase):
            made = data.detach()
        else:
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        return made.requires_grad_() if requires_grad else made
