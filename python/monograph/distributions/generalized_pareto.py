from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The generalized Pareto distribution: numbers above a high threshold.

    Args:
        loc: the smallest number.
        scale: how wide it is.
        concentration: how heavy the tail is: 0 for that of an exponential distribution, below 0 for an end.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.GeneralizedPareto(1.0, 1.0, 0.5).mean
    tensor(3.)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> GeneralizedPareto:
        return self._expanded(GeneralizedPareto, batch_shape, _instance, ("loc", "scale", "concentration"))

    def _z(self, x: Any) -> Tensor:
        return (x - self.loc) / self.scale

    def _is_zero(self) -> tuple[Tensor, Tensor]:
        """Where the concentration is 0, and the concentration with 1 in these places, since the formulas divide by it."""
        zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return zero, torch.where(zero, torch.ones_like(self.concentration), self.concentration)

    def rsample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        z, (zero, safe) = self._z(value), self._is_zero()
        factor = 1 / safe + torch.ones_like(z)
        heavy = torch.where(factor == 0, factor, factor * torch.log1p(safe * z))
        return -self.scale.log() - torch.where(zero, z, heavy)

    def log_survival_function(self, value: Any) -> Tensor:
        """log(1 - cdf(value))."""
        if self._validate_args:
            self._validate_sample(value)
        z, (zero, safe) = self._z(value), self._is_zero()
        return torch.where(zero, -z, -torch.log1p(safe * z) / safe)

    def log_cdf(self, value: Any) -> Tensor:
        """log(cdf(value))."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value: Any) -> Tensor:
        return torch.exp(self.log_cdf(value))

    def icdf(self, value: Any) -> Tensor:
        zero, safe = self._is_zero()
        log_u = torch.log1p(-value)
        heavy = self.loc + self.scale / safe * torch.expm1(-safe * log_u)
        return torch.where(zero, self.loc - self.scale * log_u, heavy)

    @property
    def mean(self) -> Tensor:
        finite = self.concentration < 1
        return torch.where(finite, self.loc + self.scale / (1 - torch.where(finite, self.concentration, 0.5)), nan)

    @property
    def variance(self) -> Tensor:
        finite = self.concentration < 0.5
        safe = torch.where(finite, self.concentration, 0.25)
        return torch.where(finite, self.scale**2 / ((1 - safe) ** 2 * (1 - 2 * safe)), nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    def entropy(self) -> Tensor:
        return torch.broadcast_to(torch.log(self.scale) + self.concentration + 1, self._batch_shape)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        upper = torch.where(self.concentration < 0, self.loc - self.scale / self.concentration, inf)
        return constraints.interval(self.loc, upper)
