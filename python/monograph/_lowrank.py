"""torch.svd_lowrank and torch.pca_lowrank: a few singular values of a large matrix, by random projections (Halko, Martinsson and Tropp, 2009, algorithms 4.4
and 5.1). The matrix is multiplied with random vectors, and the results span nearly what its largest singular vectors span. PyTorch draws the same vectors."""

from __future__ import annotations

from . import _C, _VF as torch
from ._overridable import overridable
from ._tensor import Tensor

_dtypes = _C._dtypes
__all__ = ["pca_lowrank", "svd_lowrank"]


def _floating(A: Tensor) -> _C.dtype:
    return A.dtype if A.is_complex() or A.dtype in (_dtypes["float16"], _dtypes["float32"], _dtypes["float64"]) else _dtypes["float32"]


def _basis(A: Tensor, q: int, niter: int) -> Tensor:
    """Orthonormal columns Q so that Q Q^H A is nearly A."""
    probe = torch.randn([A.shape[-1], q], dtype=_floating(A), device=A.device)
    Q = torch.linalg_qr(A @ probe)[0]
    for _ in range(niter):
        Q = torch.linalg_qr(A.mH @ Q)[0]
        Q = torch.linalg_qr(A @ Q)[0]
    return Q


def _largest(A: Tensor, q: int, niter: int) -> tuple[Tensor, Tensor, Tensor]:
    m, n = A.shape[-2:]
    wide = m < n
    tall = A.mH if wide else A
    Q = _basis(tall, q, niter)
    U, S, Vh = torch.linalg_svd(Q.mH @ tall, False)
    U, V = Q @ U, Vh.mH
    return (V, S, U) if wide else (U, S, V)


@overridable
def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """The `q` largest singular values S of a matrix, and U and V with A nearly U diag(S) V^H. It draws random vectors.

    A: The matrix, or matrices: [*, m, n].
    q: How many singular values. A few more than those that matter make the result more precise.
    niter: How often the random vectors are multiplied with A and its transpose.
    M: If it is given, the values are those of A - M. It broadcasts to the size of A.

    Args:
        A: a matrix, or batches of them
        q: an estimate of the rank
        niter: how many steps of the iteration
        M: the mean of the columns, or None

    >>> torch.svd_lowrank(torch.diag(torch.tensor([3.0, 2.0, 1.0])), q=3)[1]
    tensor([3.0000, 2.0000, 1.0000])
    """
    difference = A if M is None else A - M.broadcast_to(A.size())
    return _largest(difference, 6 if q is None else q, 2 if niter is None else niter)


@overridable
def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """The main directions V of the rows of `A`, with U and S as svd_lowrank gives them. It draws random vectors.

    A: A row for each sample, a column for each feature: [*, m, n].
    q: How many directions: min(6, m, n) by default, at most min(m, n).
    center: Whether the mean of the rows is subtracted first.
    niter: How often the random vectors are multiplied with A and its transpose.

    Args:
        A: a matrix, or batches of them
        q: how many components to find; None: 6 at most
        center: whether the mean of the columns is taken away
        niter: how many steps of the iteration

    >>> torch.pca_lowrank(torch.tensor([[0.0, 0.0], [2.0, 0.0], [4.0, 0.0]]), q=1)[1]
    tensor([2.8284])
    """
    m, n = A.shape[-2:]
    least = min(m, n)
    if q is None:
        q = min(6, least)
    elif not 0 <= q <= least:
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={least}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return _largest(A - A.mean(dim=(-2,), keepdim=True) if center else A, q, niter)
