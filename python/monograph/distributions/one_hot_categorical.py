from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .categorical import Categorical
from .distribution import Distribution

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(Distribution):
    """A categorical distribution over one-hot vectors: vectors of K numbers, of which one is 1 and the others 0.

    Args:
        probs: the probability of each place along the last dim. They are divided by their sum.
        logits: logarithms of probabilities, instead of probs.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.OneHotCategorical(torch.tensor([1.0, 3.0])).mode
    tensor([0., 1.])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, _C.Size(self._categorical.param_shape[-1:]), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(OneHotCategorical, _instance)
        batch_shape = _C.Size(batch_shape)
        new._categorical = self._categorical.expand(batch_shape)
        return self._finished(OneHotCategorical, new, batch_shape, self.event_shape)

    @property
    def _param(self) -> Tensor:
        return self._categorical._param

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
        return self.probs

    @property
    def mode(self) -> Tensor:
        return torch.nn.functional.one_hot(self.probs.argmax(dim=-1), num_classes=self.probs.shape[-1]).to(self.probs)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        places = self._categorical.sample(_C.Size(sample_shape))
        return torch.nn.functional.one_hot(places, self._categorical._num_events).to(self.probs)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self.event_shape[0]
        values = torch.eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.view((n, *(1,) * len(self.batch_shape), n))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategorical whose draws have the gradient of the probabilities.

    Args:
        probs: the probability of each place along the last dim.
        logits: logarithms of probabilities, instead of probs.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> p = torch.tensor([0.5, 0.5], requires_grad=True)
    >>> torch.distributions.OneHotCategoricalStraightThrough(p).rsample().requires_grad
    True
    """

    has_rsample = True

    def rsample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        draws = self.sample(sample_shape)
        return draws + (self.probs - self.probs.detach())
