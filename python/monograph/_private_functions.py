"""Functions of PyTorch whose names begin with an underscore, for the packages that call them."""

from __future__ import annotations

from . import _C, tensor
from ._tensor import Tensor

_segment_reduce = _C._functions()[""]["segment_reduce"]


def _shape_as_tensor(self: Tensor) -> Tensor:
    """The sizes of a tensor, as a tensor."""
    return tensor(list(self.shape), dtype=_C._dtypes["int64"])


def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: _C.dtype) -> Tensor:
    """The gradient of softmax for its input, from that of its result."""
    weighted = grad_output * output
    return (weighted - output * weighted.sum(dim, keepdim=True)).to(input_dtype)


def _log_softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: _C.dtype) -> Tensor:
    """The gradient of log_softmax for its input, from that of its result."""
    return (grad_output - output.exp() * grad_output.sum(dim, keepdim=True)).to(input_dtype)
