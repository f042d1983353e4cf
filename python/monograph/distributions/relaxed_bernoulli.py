from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from ._binary import Binary
from .transformed_distribution import TransformedDistribution
from .transforms import SigmoidTransform
from .utils import broadcast_all, clamp_probs

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(Binary):
    """The distribution of the logit of a RelaxedBernoulli number.

    Args:
        temperature: how far the numbers are from 0 and 1, a tensor.
        probs: the probability of 1 at temperature 0.
        logits: its log-odds, instead of probs.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> LogitRelaxedBernoulli(torch.tensor(1.0), logits=torch.tensor(0.0)).log_prob(torch.tensor(0.0))
    tensor(-1.3863)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self.temperature = temperature
        self._set(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> LogitRelaxedBernoulli:
        new = self._get_checked_instance(LogitRelaxedBernoulli, _instance)
        batch_shape = _C.Size(batch_shape)
        new.temperature = self.temperature
        self._copy_to(new, batch_shape)
        return self._finished(LogitRelaxedBernoulli, new, batch_shape)

    def rsample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(torch.rand(shape, dtype=probs.dtype, device=probs.device))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        away = logits - value.mul(self.temperature)
        return self.temperature.log() + away - 2 * away.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """The relaxed Bernoulli distribution: numbers between 0 and 1 that approximate Bernoulli's 0 and 1, and have gradients.

    Args:
        temperature: how far the numbers are from 0 and 1, a tensor.
        probs: the probability of 1 at temperature 0.
        logits: its log-odds, instead of probs.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> m = torch.distributions.RelaxedBernoulli(torch.tensor(2.0), torch.tensor([0.25, 0.5]))
    >>> m.log_prob(torch.tensor([0.5, 0.5]))
    tensor([0.4055, 0.6931])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(RelaxedBernoulli, _instance))

    @property
    def temperature(self) -> Any:
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        return self.base_dist.probs
