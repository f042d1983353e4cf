"""QR by Householder reflections, in operators that are there: what nn.init.orthogonal_ and the orthogonal parametrization need of torch.linalg.

A reflection I - tau v vᵀ is stored as LAPACK stores it: v below the diagonal of the matrix, with a one on it that is not stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .autograd.grad_mode import no_grad

if TYPE_CHECKING:
    from ._tensor import Tensor


def geqrf(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """R on and above the diagonal with the vectors of the reflections below it, and their factors tau. Not differentiated; in float64 inside."""
    rows, columns = matrix.shape
    with no_grad():
        work = matrix.detach().double().clone()
        tau = work.new_zeros([min(rows, columns)])
        for j in range(min(rows, columns)):
            column = work[j:, j]
            first = column[0].item()
            rest = float((column[1:] * column[1:]).sum())
            if rest == 0.0:
                continue
            beta = -(first * first + rest) ** 0.5 if first >= 0 else (first * first + rest) ** 0.5
            tau[j] = factor = (beta - first) / beta
            v = column / (first - beta)
            v[0] = 1.0
            if j + 1 < columns:
                right = work[j:, j + 1 :]
                right.sub_(factor * v.unsqueeze(1) * (v @ right))
            work[j + 1 :, j] = v[1:]
            work[j, j] = beta
        return work.to(matrix.dtype), tau.to(matrix.dtype)


def householder_product(vectors: Tensor, tau: Tensor) -> Tensor:
    """The first columns of the product of the reflections, with gradients; also of batches."""
    rows, columns = vectors.shape[-2:]
    identity = vectors.new_zeros([rows, columns])
    identity.diagonal().fill_(1)
    lower = vectors.tril(-1) + identity
    product = identity.expand(vectors.shape)
    for j in reversed(range(tau.size(-1))):
        v = lower[..., :, j].unsqueeze(-1)
        product = product - tau[..., j, None, None] * v * (v.mT @ product)
    return product


def qr(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Q with orthogonal columns and R upper triangular, as LAPACK signs them, of a real matrix. Not differentiated; in float64 inside."""
    packed, tau = geqrf(matrix.double())
    count = tau.size(0)
    with no_grad():
        q = householder_product(packed[:, :count], tau)
    return q.to(matrix.dtype), packed[:count].triu().to(matrix.dtype)
