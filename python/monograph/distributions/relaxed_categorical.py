from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .categorical import Categorical
from .distribution import Distribution
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform
from .utils import broadcast_all, clamp_probs

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """The distribution of the logarithms of RelaxedOneHotCategorical's vectors.

    Args:
        temperature: how far the numbers are from 0 and 1, a tensor.
        probs: the probability of each place at temperature 0, along the last dim.
        logits: logarithms of probabilities, instead of probs.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> ExpRelaxedCategorical(torch.tensor(1.0), torch.tensor([0.5, 0.5])).event_shape
    torch.Size([2])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, _C.Size(self._categorical.param_shape[-1:]), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> ExpRelaxedCategorical:
        new = self._get_checked_instance(ExpRelaxedCategorical, _instance)
        batch_shape = _C.Size(batch_shape)
        new.temperature = self.temperature
        new._categorical = self._categorical.expand(batch_shape)
        return self._finished(ExpRelaxedCategorical, new, batch_shape, self.event_shape)

    @property
    def param_shape(self) -> _C.Size:
        """The shape of probs and logits."""
        return self._categorical.param_shape

    @property
    def logits(self) -> Tensor:
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        return self._categorical.probs

    def rsample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        u = clamp_probs(torch.rand(self._extended_shape(sample_shape), dtype=self.logits.dtype, device=self.logits.device))
        scores = (self.logits - (-u.log()).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        places = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        scale = math.lgamma(places) + self.temperature.log().mul(places - 1)
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """The relaxed one-hot categorical distribution: positive vectors with sum 1 that approximate one-hot vectors, and have gradients.

    Args:
        temperature: how far the numbers are from 0 and 1, a tensor.
        probs: the probability of each place at temperature 0, along the last dim.
        logits: logarithms of probabilities, instead of probs.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> m = torch.distributions.RelaxedOneHotCategorical(torch.tensor(2.0), torch.tensor([0.25, 0.75]))
    >>> m.log_prob(torch.tensor([0.5, 0.5]))
    tensor(0.4055)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        return super().expand(batch_shape, _instance=self._get_checked_instance(RelaxedOneHotCategorical, _instance))

    @property
    def temperature(self) -> Any:
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        return self.base_dist.probs
