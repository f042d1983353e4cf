from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import monograph as torch

from .._tensor import Tensor
from . import constraints
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """The Kumaraswamy distribution: numbers from 0 to 1, similar to a beta distribution: (1 - u ** (1 / b)) ** (1 / a) of a uniform u.

    Args:
        concentration1: a.
        concentration0: b.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.Kumaraswamy(1.0, 2.0).log_prob(torch.tensor(0.5))
    tensor(0.)
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(torch.zeros_like(self.concentration0), torch.ones_like(self.concentration0), validate_args=validate_args)
        inner, outer = PowerTransform(exponent=self.concentration0.reciprocal()), PowerTransform(exponent=self.concentration1.reciprocal())
        super().__init__(base, [inner, AffineTransform(loc=1.0, scale=-1.0), outer], validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1, new.concentration0 = self.concentration1.expand(batch_shape), self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    def _moment(self, n: int) -> Tensor:
        """The mean of x ** n: b * beta(1 + n / a, b)."""
        first, b = 1 + n / self.concentration1, self.concentration0
        return b * torch.exp(torch.lgamma(first) + torch.lgamma(b) - torch.lgamma(first + b))

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        log_mode[(b < 1) | (a < 1)] = nan
        return log_mode.exp()

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - torch.pow(self.mean, 2)

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = torch.digamma(b + 1) + euler_constant
        return 1 - b.reciprocal() + (1 - a.reciprocal()) * harmonic - torch.log(a) - torch.log(b)
