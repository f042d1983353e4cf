from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .chi2 import Chi2
from .distribution import Distribution
from .utils import _standard_normal, broadcast_all

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's t-distribution: similar to a normal distribution, with heavier tails.

    Args:
        df: the degrees of freedom. The more, the lighter the tails.
        loc: the middle.
        scale: how wide it is.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.StudentT(torch.tensor([4.0]), 1.0, 2.0).variance
    tensor([8.])
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> StudentT:
        return self._expanded(StudentT, batch_shape, _instance, ("df", "loc", "scale", "_chi2"))

    @property
    def mean(self) -> Tensor:
        mean = self.loc.clone(memory_format=torch.contiguous_format)
        mean[self.df <= 1] = math.nan
        return mean

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        variance = self.df.clone(memory_format=torch.contiguous_format)
        finite = self.df > 2
        variance[finite] = self.scale[finite].pow(2) * self.df[finite] / (self.df[finite] - 2)
        variance[(self.df <= 2) & (self.df > 1)] = math.inf
        variance[self.df <= 1] = math.nan
        return variance

    def rsample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        x = _standard_normal(self._extended_shape(sample_shape), dtype=self.df.dtype, device=self.df.device)
        return self.loc + self.scale * (x * torch.rsqrt(self._chi2.rsample(sample_shape) / self.df))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        df, y = self.df, (value - self.loc) / self.scale
        normalizer = self.scale.log() + 0.5 * df.log() + 0.5 * math.log(math.pi) + torch.lgamma(0.5 * df) - torch.lgamma(0.5 * (df + 1.0))
        return -0.5 * (df + 1.0) * torch.log1p(y**2.0 / df) - normalizer

    def entropy(self) -> Tensor:
        df = self.df
        log_beta = torch.lgamma(0.5 * df) + math.lgamma(0.5) - torch.lgamma(0.5 * (df + 1))
        slope = torch.digamma(0.5 * (df + 1)) - torch.digamma(0.5 * df)
        return self.scale.log() + 0.5 * (df + 1) * slope + 0.5 * df.log() + log_beta
