from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .distribution import Distribution
from .gamma import Gamma
from .utils import broadcast_all

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The Fisher-Snedecor (F) distribution: the ratio of two independent Chi2 numbers, each divided by its degrees of freedom.

    Args:
        df1: the degrees of freedom above the line.
        df2: those below it.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.FisherSnedecor(torch.tensor([1.0]), torch.tensor([6.0])).mean
    tensor([1.5000])
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1, self._gamma2 = Gamma(self.df1 * 0.5, self.df1), Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> FisherSnedecor:
        return self._expanded(FisherSnedecor, batch_shape, _instance, ("df1", "df2", "_gamma1", "_gamma2"))

    @property
    def mean(self) -> Tensor:
        df2 = torch.where(self.df2 <= 2, nan, self.df2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return torch.where(self.df1 <= 2, nan, mode)

    @property
    def variance(self) -> Tensor:
        df2 = torch.where(self.df2 <= 4, nan, self.df2)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))

    def rsample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        shape, least = self._extended_shape(sample_shape), torch.finfo(self.df2.dtype).tiny
        above, below = self._gamma1.rsample(sample_shape).view(shape), self._gamma2.rsample(sample_shape).view(shape)
        return (above / below.clamp(min=least)).clamp(min=least)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        constant = (a + b).lgamma() - a.lgamma() - b.lgamma()
        return constant + a * ratio.log() + (a - 1) * torch.log(value) - (a + b) * torch.log1p(ratio * value)
