from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from ._binary import check_one_given
from .distribution import Distribution
from .utils import lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Categorical"]


class Categorical(Distribution):
    """The categorical distribution: the integers 0 to K - 1, each with its probability.

    Args:
        probs: the probabilities along the last dim, of size K. They are divided by their sum.
        logits: logarithms of probabilities, instead of probs. The logarithm of their sum is subtracted.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> m = torch.distributions.Categorical(torch.tensor([1.0, 3.0]))
    >>> m.probs
    tensor([0.2500, 0.7500])
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        check_one_given(probs, logits)
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        else:
            self.probs = probs / probs.sum(-1, keepdim=True)
        self._param: Tensor = self.__dict__[name]
        self._num_events = self._param.size()[-1]
        super().__init__(_C.Size(self._param.size()[:-1]), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Categorical:
        new = self._get_checked_instance(Categorical, _instance)
        batch_shape = _C.Size(batch_shape)
        for name in ("probs", "logits"):
            if name in self.__dict__:
                setattr(new, name, getattr(self, name).expand((*batch_shape, self._num_events)))
        new._param = new.__dict__["probs" if self._param is self.__dict__.get("probs") else "logits"]
        new._num_events = self._num_events
        return self._finished(Categorical, new, batch_shape)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Any:
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Any:
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> _C.Size:
        """The shape of probs and logits."""
        return self._param.size()

    @property
    def mean(self) -> Tensor:
        return torch.full(self._extended_shape(), nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    @property
    def variance(self) -> Tensor:
        return self.mean

    def sample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        sample_shape = _C.Size(sample_shape)
        draws = torch.multinomial(self.probs.reshape(-1, self._num_events), sample_shape.numel(), True).T
        return draws.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        value, logits = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        finite = torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min)
        return -(finite * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = torch.arange(self._num_events, dtype=torch.long, device=self._param.device)
        values = values.view((-1, *(1,) * len(self._batch_shape)))
        return values.expand((-1, *self._batch_shape)) if expand else values
