"""torch.sparse: what is there of it. Monograph has no sparse tensors, so its functions take dense ones, as PyTorch's do too."""

from __future__ import annotations

from . import _C
from ._tensor import Tensor

__all__ = ["mm"]
_mm = _C._functions()["_sparse"]["_sparse_mm"]


def mm(sparse: Tensor, dense: Tensor, reduce: str | None = None) -> Tensor:
    """The product of two matrices.

    reduce: How the products of the elements that a sparse matrix stores are joined. Monograph has no such matrix, so that it raises NotImplementedError.

        >>> torch.sparse.mm(torch.eye(2), torch.ones(2, 2))
        tensor([[1., 1.],
                [1., 1.]])
    """
    if reduce is not None:
        raise NotImplementedError("torch.sparse.mm with reduce needs a sparse matrix, and Monograph has none; compute on dense tensors")
    return _mm(sparse, dense)
