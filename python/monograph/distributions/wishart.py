from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .chi2 import Chi2
from .exp_family import ExponentialFamily
from .multivariate_normal import _precision_to_scale_tril
from .utils import lazy_property

__all__ = ["Wishart"]

_log_2 = math.log(2)

_linalg: Any = torch.linalg


def _mvdigamma(x: Tensor, p: int) -> Tensor:
    """The sum of digamma(x - k / 2) over k = 0 .. p - 1: the derivative of mvlgamma."""
    if not bool(x.gt((p - 1) / 2).all()):
        raise AssertionError("Wrong domain for multivariate digamma function.")
    return torch.digamma(x.unsqueeze(-1) - torch.arange(p, dtype=x.dtype, device=x.device).div(2).expand((*x.shape, -1))).sum(-1)


class Wishart(ExponentialFamily):
    """The Wishart distribution: the sum of the outer products of `df` normal vectors with mean 0. Exactly one of the three matrices gives their covariance.

    Args:
        df: how many vectors: above n - 1. It need not be a whole number.
        covariance_matrix: the covariances, of shape (..., n, n), positive definite.
        precision_matrix: the inverse of the covariances.
        scale_tril: the lower triangular factor L of the covariances L @ L.mT.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.Wishart(torch.tensor(3.0), torch.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _matrices = ("covariance_matrix", "precision_matrix", "scale_tril")

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._event_shape[-1] - 1),
        }

    def __init__(
        self, df: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None, validate_args: bool | None = None
    ) -> None:  # fmt: skip
        given = [(name, m) for name, m in zip(self._matrices, (covariance_matrix, precision_matrix, scale_tril)) if m is not None]
        if len(given) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        n = matrix.shape[-1]
        batch_shape: Any = _C.Size(matrix.shape[:-2])
        if isinstance(df, numbers.Number):
            self.df = torch.tensor(df, dtype=matrix.dtype, device=matrix.device)
        else:
            batch_shape = torch.broadcast_shapes(batch_shape, df.shape)
            self.df = df.expand(batch_shape)
        if bool(self.df.le(n - 1).any()):
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}.")
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        if bool(self.df.lt(n).any()):
            warnings.warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.", stacklevel=2)
        super().__init__(_C.Size(batch_shape), _C.Size(matrix.shape[-2:]), validate_args=validate_args)
        if scale_tril is None:
            matrix = _linalg.cholesky(matrix) if name == "covariance_matrix" else _precision_to_scale_tril(matrix)
        self._unbroadcasted_scale_tril = matrix
        places = torch.arange(n, dtype=matrix.dtype, device=matrix.device).expand((*batch_shape, -1))
        self._dist_chi2 = Chi2(df=self.df.unsqueeze(-1) - places)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Wishart:
        new = self._get_checked_instance(Wishart, _instance)
        batch_shape = _C.Size(batch_shape)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril.expand((*batch_shape, *self.event_shape))
        new.df = self.df.expand(batch_shape)
        for name in self._matrices:
            if name in self.__dict__:
                setattr(new, name, getattr(self, name).expand((*batch_shape, *self.event_shape)))
        new._dist_chi2 = self._dist_chi2.expand((*batch_shape, *self.event_shape[-1:]))
        return self._finished(Wishart, new, batch_shape, self.event_shape)

    def _expanded_matrix(self, matrix: Tensor) -> Tensor:
        return matrix.expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def scale_tril(self) -> Any:
        return self._expanded_matrix(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Any:
        return self._expanded_matrix(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Any:
        identity = torch.eye(self._event_shape[-1], dtype=self._unbroadcasted_scale_tril.dtype, device=self._unbroadcasted_scale_tril.device)
        return self._expanded_matrix(torch.cholesky_solve(identity, self._unbroadcasted_scale_tril))

    def _of_matrices(self, numbers_of_batch: Tensor) -> Tensor:
        return numbers_of_batch.view((*self._batch_shape, 1, 1))

    @property
    def mean(self) -> Tensor:
        return self._of_matrices(self.df) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        return self._of_matrices(torch.where(factor <= 0, math.nan, factor)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        return self._of_matrices(self.df) * (covariance.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _drawn(self, sample_shape: Sequence[int]) -> Tensor:
        # Bartlett's decomposition: chi numbers on the diagonal of a triangle, normal ones below it.
        n, like = self._event_shape[-1], self._unbroadcasted_scale_tril
        diagonal = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = diagonal.clamp(min=torch.finfo(diagonal.dtype).eps).diag_embed(dim1=-2, dim2=-1)
        i, j = torch.tril_indices(n, n, offset=-1)
        noise[..., i, j] = torch.randn((*sample_shape, *self._batch_shape, n * (n - 1) // 2), dtype=noise.dtype, device=noise.device)
        factor = like @ noise
        return factor @ factor.mT

    def _singular(self, sample: Tensor) -> Tensor:
        singular = ~self.support.check(sample)
        return singular.amax([-1 - i for i in range(len(self._batch_shape))]) if self._batch_shape else singular

    def rsample(self, sample_shape: Sequence[int] = _C.Size(), max_try_correction: int | None = None) -> Tensor:
        """Draws with gradients. A draw that rounding made singular is drawn again, at most max_try_correction times."""
        self._drawn(sample_shape)  # PyTorch draws all samples twice and returns the second ones; from the same seed these are the same
        shape = _C.Size(sample_shape)
        sample = self._drawn((shape.numel(),))
        singular = self._singular(sample)
        for _ in range(9 if max_try_correction is None else max_try_correction - 1):
            if not bool(singular.any()):
                break
            again = self._drawn(singular[singular].shape)
            sample = sample.index_put((singular,), again)
            singular = singular.index_put((singular,), self._singular(again))
        return sample.reshape((*shape, *self._batch_shape, *self._event_shape))

    def _log_det_of_scale(self) -> Tensor:
        """log(det(scale_tril)) plus log(2) / 2 for each dim."""
        return self._event_shape[-1] * _log_2 / 2 + self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        df, n = self.df, self._event_shape[-1]
        trace = torch.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        log_det = _linalg.slogdet(value).logabsdet
        return -df * self._log_det_of_scale() - torch.mvlgamma(df / 2, p=n) + (df - n - 1) / 2 * log_det - trace / 2

    def entropy(self) -> Tensor:
        df, n = self.df, self._event_shape[-1]
        constant = (n + 1) * self._log_det_of_scale() + torch.mvlgamma(df / 2, p=n)
        return constant - (df - n - 1) / 2 * _mvdigamma(df / 2, p=n) + df * n / 2

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        n = self._event_shape[-1]
        half = y + (n + 1) / 2
        return half * (-_linalg.slogdet(-2 * x).logabsdet + _log_2 * n) + torch.mvlgamma(half, p=n)
