from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import monograph as torch

from .._tensor import Tensor
from . import constraints
from .gamma import Gamma
from .transformed_distribution import TransformedDistribution
from .transforms import PowerTransform

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """The inverse gamma distribution: 1 divided by a number of a gamma distribution.

    Args:
        concentration: the shape of that distribution.
        rate: its rate.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.InverseGamma(torch.tensor([3.0]), 4.0).mean
    tensor([2.])
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(InverseGamma, _instance))

    @property
    def concentration(self) -> Tensor:
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        return torch.where(self.concentration > 1, self.rate / (self.concentration - 1), inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        k = self.concentration
        return torch.where(k > 2, self.rate.square() / ((k - 1).square() * (k - 2)), inf)

    def entropy(self) -> Tensor:
        k = self.concentration
        return k + self.rate.log() + k.lgamma() - (1 + k) * k.digamma()
