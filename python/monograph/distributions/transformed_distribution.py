from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .distribution import Distribution
from .independent import Independent
from .transforms import ComposeTransform, Transform
from .utils import _sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of y = t(x), where x has another distribution.

    Args:
        base_distribution: the distribution of x.
        transforms: a transform, or a list of them, the first one first.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> d = torch.distributions
    >>> logistic = d.TransformedDistribution(d.Uniform(0.0, 1.0), [d.SigmoidTransform().inv, d.AffineTransform(loc=0.0, scale=2.0)])
    >>> logistic.log_prob(torch.tensor(0.0))
    tensor(-2.0794)
    """

    arg_constraints: dict[str, constraints.Constraint] = {}

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms: list[Transform] = transforms
        base_shape = _C.Size((*base_distribution.batch_shape, *base_distribution.event_shape))
        base_events = len(base_distribution.event_shape)
        whole = ComposeTransform(self.transforms)
        if len(base_shape) < whole.domain.event_dim:
            raise ValueError(f"base_distribution needs to have shape with size at least {whole.domain.event_dim}, but got {base_shape}.")
        # Parameters of transforms may broadcast with those of the distribution.
        shape = _C.Size(whole.forward_shape(base_shape))
        expanded = _C.Size(whole.inverse_shape(shape))
        if base_shape != expanded:
            base_distribution = base_distribution.expand(_C.Size(expanded[: len(expanded) - base_events]))
        if whole.domain.event_dim > base_events:
            base_distribution = Independent(base_distribution, whole.domain.event_dim - base_events)
        self.base_dist = base_distribution
        events = max(whole.codomain.event_dim, base_events + whole.codomain.event_dim - whole.domain.event_dim)
        cut = len(shape) - events
        super().__init__(_C.Size(shape[:cut]), _C.Size(shape[cut:]), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        new = self._get_checked_instance(TransformedDistribution, _instance)
        batch_shape = _C.Size(batch_shape)
        shape: Any = _C.Size((*batch_shape, *self.event_shape))
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(_C.Size(shape[: len(shape) - len(self.base_dist.event_shape)]))
        new.transforms = self.transforms
        return self._finished(TransformedDistribution, new, batch_shape, self.event_shape)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        events = len(self.event_shape)
        return constraints.independent(support, events - support.event_dim) if events > support.event_dim else support

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    def _transformed(self, x: Any) -> Tensor:
        for transform in self.transforms:
            x = transform(x)
        return x

    def sample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        with torch.no_grad():
            return self._transformed(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        events, result, y = len(self.event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            events += transform.domain.event_dim - transform.codomain.event_dim
            result = result - _sum_rightmost(transform.log_abs_det_jacobian(x, y), events - transform.domain.event_dim)  # type: ignore[assignment]
            y = x
        return result + _sum_rightmost(self.base_dist.log_prob(y), events - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value: Any) -> Any:
        """Replaces a probability by 1 - value where the composed transforms are decreasing."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5

    def cdf(self, value: Any) -> Tensor:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Tensor:
        return self._transformed(self.base_dist.icdf(self._monotonize_cdf(value)))
