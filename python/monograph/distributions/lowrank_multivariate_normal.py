from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .distribution import Distribution
from .multivariate_normal import _batch_mahalanobis, _batch_mv
from .utils import _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]

_linalg: Any = torch.linalg


def _plus_identity(matrix: Tensor) -> Tensor:
    return matrix + torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)


class LowRankMultivariateNormal(Distribution):
    """Vectors of normal numbers whose covariances are ``cov_factor @ cov_factor.mT + diag(cov_diag)``.

    With few columns in cov_factor, scores need no matrix of the full size.

    Args:
        loc: the mean, of shape (..., n).
        cov_factor: of shape (..., n, rank).
        cov_diag: positive, of shape (..., n).
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> m = torch.distributions.LowRankMultivariateNormal(torch.zeros(2), torch.tensor([[1.0], [0.0]]), torch.ones(2))
    >>> m.covariance_matrix
    tensor([[2., 0.],
            [0., 1.]])
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            wide_loc, self.cov_factor, wide_diag = torch.broadcast_tensors(loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as e:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from e  # fmt: skip
        self.loc, self.cov_diag = wide_loc[..., 0], wide_diag[..., 0]
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        # The Cholesky factor of 1 + W.mT @ (W / D), of size rank x rank. It gives the determinant and the inverse of the covariance matrix.
        self._capacitance_tril = _linalg.cholesky(_plus_identity(torch.matmul(self._scaled_factor(), cov_factor)))
        super().__init__(_C.Size(self.loc.shape[:-1]), _C.Size(event_shape), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> LowRankMultivariateNormal:
        new = self._get_checked_instance(LowRankMultivariateNormal, _instance)
        batch_shape = _C.Size(batch_shape)
        shape = (*batch_shape, *self.event_shape)
        new.loc, new.cov_diag = self.loc.expand(shape), self.cov_diag.expand(shape)
        new.cov_factor = self.cov_factor.expand((*shape, *self.cov_factor.shape[-1:]))
        for name in ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril"):
            setattr(new, name, getattr(self, name))
        return self._finished(LowRankMultivariateNormal, new, batch_shape, self.event_shape)

    def _scaled_factor(self) -> Tensor:
        """(W / D).mT."""
        return self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)

    def _expanded_matrix(self, matrix: Tensor) -> Tensor:
        return matrix.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    def _log_det(self) -> Tensor:
        return 2 * self._capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1) + self._unbroadcasted_cov_diag.log().sum(-1)

    def _mahalanobis(self, x: Tensor) -> Tensor:
        """x @ inverse(covariances) @ x."""
        whole = (x.pow(2) / self._unbroadcasted_cov_diag).sum(-1)
        return whole - _batch_mahalanobis(self._capacitance_tril, _batch_mv(self._scaled_factor(), x))

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Any:
        own = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return own.expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def scale_tril(self) -> Any:
        # D^(1/2) times the factor of a matrix whose eigenvalues are at least 1.
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        return self._expanded_matrix(root * _linalg.cholesky(_plus_identity(torch.matmul(scaled, scaled.mT))))

    @lazy_property
    def covariance_matrix(self) -> Any:
        w = self._unbroadcasted_cov_factor
        return self._expanded_matrix(torch.matmul(w, w.mT) + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Any:
        a = _linalg.solve_triangular(self._capacitance_tril, self._scaled_factor(), upper=False)
        return self._expanded_matrix(torch.diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - a.mT @ a)

    def rsample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        of_factor = _standard_normal((*shape[:-1], *self.cov_factor.shape[-1:]), self.loc.dtype, self.loc.device)
        of_diag = _standard_normal(shape, self.loc.dtype, self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_cov_factor, of_factor) + self._unbroadcasted_cov_diag.sqrt() * of_diag

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + self._mahalanobis(value - self.loc))

    def entropy(self) -> Tensor:
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
