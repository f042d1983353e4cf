"""biject_to and transform_to: a transform from numbers without bounds to those that satisfy a constraint.

`biject_to(constraint)` gives a bijection. `transform_to(constraint)` gives a transform that is made for optimizing, and may map several x to one y.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

from . import constraints, transforms

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Finds a transform by the class of a constraint.

    >>> from monograph.distributions import constraints, transform_to
    >>> transform_to(constraints.unit_interval)
    SigmoidTransform()
    """

    def __init__(self) -> None:
        self._registry: dict[type, Callable[[Any], Any]] = {}
        super().__init__()

    def register(self, constraint: Any, factory: Callable[[Any], Any] | None = None) -> Any:
        """Uses factory(constraint) for a class of constraints, or that of an instance. Without a factory it is a decorator."""
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not isinstance(constraint, type) or not issubclass(constraint, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _to_greater_than(constraint: Any) -> Any:
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)])


def _to_less_than(constraint: Any) -> Any:
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)])


def _to_interval(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, numbers.Number) and low == 0 and isinstance(high, numbers.Number) and high == 1:
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


def _fill(registry: ConstraintRegistry) -> None:
    """Registers the transforms that biject_to and transform_to have in common."""
    registry.register(constraints.real, lambda c: transforms.identity_transform)
    # constraints.positive is an instance of the first class: its transform is exp, then an affine transform that adds 0, as in PyTorch.
    for kind in (constraints.greater_than, constraints.greater_than_eq):
        registry.register(kind, _to_greater_than)
    registry.register(constraints.less_than, _to_less_than)
    for bounded in (constraints.interval, constraints.half_open_interval):
        registry.register(bounded, _to_interval)
    registry.register(constraints.corr_cholesky, lambda c: transforms.CorrCholeskyTransform())
    registry.register(constraints.independent, lambda c: transforms.IndependentTransform(registry(c.base_constraint), c.reinterpreted_batch_ndims))
    registry.register(constraints.cat, lambda c: transforms.CatTransform([registry(part) for part in c.cseq], c.dim, c.lengths))
    registry.register(constraints.stack, lambda c: transforms.StackTransform([registry(part) for part in c.cseq], c.dim))


_fill(biject_to)
_fill(transform_to)
biject_to.register(constraints.simplex, lambda c: transforms.StickBreakingTransform())
transform_to.register(constraints.simplex, lambda c: transforms.SoftmaxTransform())
transform_to.register(constraints.lower_cholesky, lambda c: transforms.LowerCholeskyTransform())
for _definite in (constraints.positive_definite, constraints.positive_semidefinite):
    transform_to.register(_definite, lambda c: transforms.PositiveDefiniteTransform())
