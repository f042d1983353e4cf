from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from ..nn.functional import binary_cross_entropy_with_logits
from . import constraints
from ._binary import Binary
from .exp_family import ExponentialFamily
from .utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(Binary, ExponentialFamily):
    """The continuous Bernoulli distribution: numbers from 0 to 1 with a density in proportion to p ** x * (1 - p) ** (1 - x).

    Args:
        probs: p, a number or a tensor.
        logits: its log-odds, instead of probs.
        lims: p between these is computed by a series, since the formulas divide 0 by 0 at 1/2.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.ContinuousBernoulli(0.5).mean
    tensor(0.5000)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self, probs: Any = None, logits: Any = None, lims: tuple[float, float] = (0.499, 0.501), validate_args: bool | None = None
    ) -> None:  # fmt: skip
        self._set(probs, logits)
        if probs is not None:
            if validate_args is not None and not bool(constraints.unit_interval.check(self.probs).all()):
                raise ValueError("The parameter probs has invalid values")
            self.probs = self._param = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> ContinuousBernoulli:
        new = self._get_checked_instance(ContinuousBernoulli, _instance)
        batch_shape = _C.Size(batch_shape)
        new._lims = self._lims
        self._copy_to(new, batch_shape)
        return self._finished(ContinuousBernoulli, new, batch_shape)

    @lazy_property
    def probs(self) -> Any:
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _outside_unstable_region(self) -> Tensor:
        return torch.max(torch.le(self.probs, self._lims[0]), torch.gt(self.probs, self._lims[1]))

    def _cut_probs(self) -> Tensor:
        """The probabilities. Near 1/2, where a series is used instead of the formulas, they are replaced by a value that is safe for the formulas."""
        return torch.where(self._outside_unstable_region(), self.probs, self._lims[0] * torch.ones_like(self.probs))

    def _cont_bern_log_norm(self) -> Tensor:
        """The logarithm of the factor that normalizes the density."""
        p = self._cut_probs()
        below = torch.where(torch.le(p, 0.5), p, torch.zeros_like(p))
        above = torch.where(torch.ge(p, 0.5), p, torch.ones_like(p))
        divisor = torch.where(torch.le(p, 0.5), torch.log1p(-2.0 * below), torch.log(2.0 * above - 1.0))
        exact = torch.log(torch.abs(torch.log1p(-p) - torch.log(p))) - divisor
        x = torch.pow(self.probs - 0.5, 2)
        return torch.where(self._outside_unstable_region(), exact, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        p = self._cut_probs()
        exact = p / (2.0 * p - 1.0) + 1.0 / (torch.log1p(-p) - torch.log(p))
        x = self.probs - 0.5
        return torch.where(self._outside_unstable_region(), exact, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * torch.pow(x, 2)) * x)

    @property
    def stddev(self) -> Tensor:
        return torch.sqrt(self.variance)

    @property
    def variance(self) -> Tensor:
        p = self._cut_probs()
        exact = p * (p - 1.0) / torch.pow(1.0 - 2.0 * p, 2) + 1.0 / torch.pow(torch.log1p(-p) - torch.log(p), 2)
        x = torch.pow(self.probs - 0.5, 2)
        return torch.where(self._outside_unstable_region(), exact, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def sample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        p = self._cut_probs()
        exact = (torch.pow(p, value) * torch.pow(1.0 - p, 1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        inside = torch.where(self._outside_unstable_region(), exact, value)
        below_one = torch.where(torch.ge(value, 1.0), torch.ones_like(value), inside)
        return torch.where(torch.le(value, 0.0), torch.zeros_like(value), below_one)

    def icdf(self, value: Any) -> Tensor:
        p = self._cut_probs()
        exact = (torch.log1p(-p + value * (2.0 * p - 1.0)) - torch.log1p(-p)) / (torch.log(p) - torch.log1p(-p))
        return torch.where(self._outside_unstable_region(), exact, value)

    def entropy(self) -> Tensor:
        of_0, of_1 = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (of_0 - of_1) - self._cont_bern_log_norm() - of_0

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        (x,) = natural_params
        low, high = self._lims[0] - 0.5, self._lims[1] - 0.5
        outside = torch.max(torch.le(x, low), torch.gt(x, high))
        cut = torch.where(outside, x, low * torch.ones_like(x))
        exact = torch.log(torch.abs(torch.expm1(cut))) - torch.log(torch.abs(cut))
        return torch.where(outside, exact, 0.5 * x + torch.pow(x, 2) / 24.0 - torch.pow(x, 4) / 2880.0)
