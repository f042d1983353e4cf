"""Functions of PyTorch whose names begin with an underscore, for the packages that call them."""

from __future__ import annotations

from . import _C, tensor
from ._tensor import Tensor

_segment_reduce = _C._functions()[""]["segment_reduce"]


def _shape_as_tensor(self: Tensor) -> Tensor:
    """The sizes of a tensor, as a tensor."""
    return tensor(list(self.shape), dtype=_C._dtypes["int64"])
