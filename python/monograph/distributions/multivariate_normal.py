from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .distribution import Distribution
from .utils import _standard_normal, lazy_property

__all__ = ["MultivariateNormal"]

_linalg: Any = torch.linalg  # names that are missing say so when they are used


def _batch_mv(bmat: Tensor, bvec: Tensor) -> Tensor:
    return torch.matmul(bmat, bvec.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(bL: Tensor, bx: Tensor) -> Tensor:
    """The squared length of inverse(L) @ x."""
    return _linalg.solve_triangular(bL, bx.unsqueeze(-1), upper=False).squeeze(-1).pow(2).sum(-1)


def _precision_to_scale_tril(precision: Tensor) -> Tensor:
    # Flipping the matrix, factoring it and flipping back gives an upper triangular factor. Its transposed inverse is the Cholesky factor of the covariance.
    flipped = _linalg.cholesky(torch.flip(precision, (-2, -1)))
    inverse = torch.flip(flipped, (-2, -1)).mT
    identity = torch.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return _linalg.solve_triangular(inverse, identity, upper=False)


class MultivariateNormal(Distribution):
    """The multivariate normal distribution. Exactly one of the three matrices must be given.

    Args:
        loc: the mean, of shape (..., n).
        covariance_matrix: the covariances, of shape (..., n, n), positive definite.
        precision_matrix: the inverse of the covariances.
        scale_tril: the lower triangular factor L of the covariances L @ L.mT.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> m = torch.distributions.MultivariateNormal(torch.zeros(2), scale_tril=torch.tensor([[1.0, 0.0], [1.0, 2.0]]))
    >>> m.covariance_matrix
    tensor([[1., 1.],
            [1., 5.]])
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True
    _matrices = ("covariance_matrix", "precision_matrix", "scale_tril")

    def __init__(
        self, loc: Tensor, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None, validate_args: bool | None = None
    ) -> None:  # fmt: skip
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = [(name, m) for name, m in zip(self._matrices, (covariance_matrix, precision_matrix, scale_tril)) if m is not None]
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given
        if matrix.dim() < 2:
            raise ValueError(f"{name if name != 'scale_tril' else 'scale_tril matrix'} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(_C.Size(batch_shape), _C.Size(self.loc.shape[-1:]), validate_args=validate_args)
        if scale_tril is None:
            matrix = _linalg.cholesky(matrix) if name == "covariance_matrix" else _precision_to_scale_tril(matrix)
        self._unbroadcasted_scale_tril = matrix

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> MultivariateNormal:
        new = self._get_checked_instance(MultivariateNormal, _instance)
        batch_shape = _C.Size(batch_shape)
        new.loc = self.loc.expand((*batch_shape, *self.event_shape))
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        for name in self._matrices:
            if name in self.__dict__:
                setattr(new, name, getattr(self, name).expand((*batch_shape, *self.event_shape, *self.event_shape)))
        return self._finished(MultivariateNormal, new, batch_shape, self.event_shape)

    def _expanded_matrix(self, matrix: Tensor) -> Tensor:
        return matrix.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @lazy_property
    def scale_tril(self) -> Any:
        return self._expanded_matrix(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Any:
        return self._expanded_matrix(torch.matmul(self._unbroadcasted_scale_tril, self._unbroadcasted_scale_tril.mT))

    @lazy_property
    def precision_matrix(self) -> Any:
        return self._expanded_matrix(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand((*self._batch_shape, *self._event_shape))

    def rsample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        eps = _standard_normal(self._extended_shape(sample_shape), self.loc.dtype, self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, eps)

    def _half_log_det(self) -> Tensor:
        return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        squares = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + squares) - self._half_log_det()

    def entropy(self) -> Tensor:
        entropy = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
