from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .binomial import Binomial
from .categorical import Categorical
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """The multinomial distribution: how often each of K outcomes comes in total_count draws.

    Args:
        total_count: how many draws there are.
        probs: the probability of each outcome along the last dim. They are divided by their sum.
        logits: logarithms of probabilities, instead of probs.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.Multinomial(10, torch.tensor([1.0, 3.0])).mean
    tensor([2.5000, 7.5000])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int

    def __init__(self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, _C.Size(self._categorical.param_shape[-1:]), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Multinomial:
        new = self._get_checked_instance(Multinomial, _instance)
        batch_shape = _C.Size(batch_shape)
        new.total_count = self.total_count
        new._categorical = self._categorical.expand(batch_shape)
        new._binomial = Binomial(total_count=self.total_count, probs=new.probs)
        return self._finished(Multinomial, new, batch_shape, self.event_shape)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def probs(self) -> Tensor:
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        return self._categorical.logits

    @property
    def param_shape(self) -> _C.Size:
        """The shape of probs and logits."""
        return self._categorical.param_shape

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        sample_shape = _C.Size(sample_shape)
        draws = self._categorical.sample(_C.Size((self.total_count, *sample_shape))).movedim(0, -1)
        counts = draws.new_zeros(self._extended_shape(sample_shape))
        counts.scatter_add_(-1, draws, torch.ones_like(draws))
        return counts.type_as(self.probs)

    def entropy(self) -> Tensor:
        n = torch.tensor(self.total_count)
        counts = self._binomial.enumerate_support(expand=False)[1:]
        of_orders = (torch.exp(self._binomial.log_prob(counts)) * torch.lgamma(counts + 1)).sum([0, -1])
        return n * self._categorical.entropy() - torch.lgamma(n + 1) + of_orders

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone(memory_format=torch.contiguous_format)
        logits[(value == 0) & (logits == -inf)] = 0  # an impossible outcome that did not come: 0 * -inf would be NaN
        of_orders = torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1)
        return of_orders + (logits * value).sum(-1)
