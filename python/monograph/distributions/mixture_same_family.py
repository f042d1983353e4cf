from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .categorical import Categorical
from .distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """Draws a component, then a value of that component.

    Args:
        mixture_distribution: a Categorical, which draws the component.
        component_distribution: the components, along the last dim of its batch.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> d = torch.distributions
    >>> m = d.MixtureSameFamily(d.Categorical(torch.tensor([1.0, 1.0])), d.Normal(torch.tensor([-1.0, 3.0]), 1.0))
    >>> m.mean
    tensor(1.)
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    has_rsample = False

    def __init__(self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        selecting, batch = mixture_distribution.batch_shape, _C.Size(component_distribution.batch_shape[:-1])
        if any(a != 1 and b != 1 and a != b for a, b in zip(reversed(selecting), reversed(batch))):
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({selecting}) is not compatible with `component_distribution.batch_shape`({batch})"
            )
        drawn, there = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if drawn != there:
            raise ValueError(f"`mixture_distribution component` ({drawn}) does not equal `component_distribution.batch_shape[-1]` ({there})")
        self._num_component = drawn
        self._event_ndims = len(component_distribution.event_shape)
        super().__init__(batch, component_distribution.event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> MixtureSameFamily:
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        batch_shape = _C.Size(batch_shape)
        new._component_distribution = self._component_distribution.expand(_C.Size((*batch_shape, self._num_component)))
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        return self._finished(MixtureSameFamily, new, batch_shape, new._component_distribution.event_shape)

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """The distribution from which the component is drawn."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components."""
        return self._component_distribution

    def _weighted(self, values: Any) -> Tensor:
        """The sum over the components, each times its probability."""
        return torch.sum(self._pad_mixture_dimensions(self.mixture_distribution.probs) * values, dim=-1 - self._event_ndims)

    @property
    def mean(self) -> Tensor:
        return self._weighted(self.component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        within = self._weighted(self.component_distribution.variance)
        between = self._weighted((self.component_distribution.mean - self._pad(self.mean)).pow(2.0))
        return within + between

    def cdf(self, value: Any) -> Tensor:
        return torch.sum(self.component_distribution.cdf(self._pad(value)) * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        of_components = self.component_distribution.log_prob(self._pad(value))
        return torch.logsumexp(of_components + torch.log_softmax(self.mixture_distribution.logits, dim=-1), dim=-1)

    def sample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        with torch.no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            places = self.mixture_distribution.sample(sample_shape)
            draws = self.component_distribution.sample(sample_shape)
            shape = places.shape
            places = places.reshape((*shape, *(1,) * (len(self.event_shape) + 1)))
            places = places.repeat((*(1,) * len(shape), 1, *self.event_shape))
            return torch.gather(draws, dim, places).squeeze(dim)

    def _pad(self, x: Any) -> Any:
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x: Any) -> Any:
        selecting = len(self.mixture_distribution.batch_shape)
        missing = 0 if selecting == 1 else len(self.batch_shape) - selecting
        return x.reshape((*x.shape[:-1], *(1,) * missing, *x.shape[-1:], *(1,) * self._event_ndims))

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
