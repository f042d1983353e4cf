from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """The Dirichlet distribution: positive numbers that sum to 1, such as unknown probabilities of K outcomes.

    Args:
        concentration: one number for each outcome, along the last dim. The larger their sum, the nearer draws are to the mean.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.Dirichlet(torch.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(_C.Size(shape[:-1]), _C.Size(shape[-1:]), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Dirichlet:
        new = self._get_checked_instance(Dirichlet, _instance)
        batch_shape = _C.Size(batch_shape)
        new.concentration = self.concentration.expand((*batch_shape, *self.event_shape))
        return self._finished(Dirichlet, new, batch_shape, self.event_shape)

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        less = (self.concentration - 1).clamp(min=0.0)
        mode = less / less.sum(-1, True)
        corner = (self.concentration < 1).all(dim=-1)
        mode[corner] = torch.nn.functional.one_hot(mode[corner].argmax(dim=-1), less.shape[-1]).to(mode)
        return mode

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        return torch._sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        k = self.concentration
        return torch.xlogy(k - 1.0, value).sum(-1) + torch.lgamma(k.sum(-1)) - torch.lgamma(k).sum(-1)

    def entropy(self) -> Tensor:
        k, total = self.concentration, self.concentration.sum(-1)
        constant = torch.lgamma(k).sum(-1) - torch.lgamma(total)
        return constant - (k.size(-1) - total) * torch.digamma(total) - ((k - 1.0) * torch.digamma(k)).sum(-1)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.concentration,)

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        (x,) = natural_params
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))
