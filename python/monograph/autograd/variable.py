"""torch.autograd.variable: the name of tensors before PyTorch 0.4."""

from __future__ import annotations

import warnings
from typing import Any

from .. import _C

__all__ = ["Variable", "VariableMeta"]


class VariableMeta(type):
    """The metaclass of Variable: isinstance(t, Variable) is True for every tensor."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _C.TensorBase)


class Variable(metaclass=VariableMeta):
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
