from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .utils import lazy_property

__all__ = ["Distribution"]


class Distribution:
    """The base class of probability distributions.

    A sample has the shape ``sample_shape + batch_shape + event_shape``: independent draws, one for each set of parameters, each of which may have
    several elements.

    Args:
        batch_shape: the shape of the parameters, without the dims of an event.
        event_shape: the shape of one draw.
        validate_args: whether arguments are checked. None: what set_default_validate_args says.

    >>> import monograph as torch
    >>> torch.distributions.Normal(torch.zeros(3), 1.0).batch_shape
    torch.Size([3])
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether the arguments of distributions are checked where validate_args= is not given. Checks are on unless Python runs with -O."""
        if value not in (True, False):
            raise ValueError(f"set_default_validate_args: expected True or False, but got {value!r}")
        Distribution._validate_args = value

    def __init__(
        self, batch_shape: Sequence[int] = _C.Size(), event_shape: Sequence[int] = _C.Size(), validate_args: bool | None = None
    ) -> None:  # fmt: skip
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()

    def _check_parameters(self) -> None:
        try:
            constrained = self.arg_constraints
        except NotImplementedError:
            constrained = {}
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the distribution with "
                "`validate_args=False` to turn off validation.",
                stacklevel=3,
            )
        for name, constraint in constrained.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue  # it was computed from a parameter that is checked
            value = getattr(self, name)
            if not bool(constraint.check(value).all()):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution {self!r} to satisfy the "
                    f"constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The distribution with parameters that are expanded to batch_shape, without copies."""
        raise NotImplementedError

    def _expanded(self, kind: Any, batch_shape: Sequence[int], instance: Any, names: Sequence[str], kept: Sequence[str] = ()) -> Any:
        """`expand` for parameters of these names, where the instance has them."""
        new = self._get_checked_instance(kind, instance)
        batch_shape = _C.Size(batch_shape)
        for name in names:
            if name in self.__dict__:
                setattr(new, name, getattr(self, name).expand(batch_shape))
        for name in kept:
            setattr(new, name, getattr(self, name))
        return self._finished(kind, new, batch_shape)

    def _finished(self, kind: Any, new: Any, batch_shape: Sequence[int], event_shape: Sequence[int] = _C.Size()) -> Any:
        """Sets the shapes of a new instance whose parameters are set already."""
        base: Any = super(kind, new)
        base.__init__(batch_shape, event_shape, validate_args=False)
        new._validate_args = self._validate_args
        return new

    @property
    def batch_shape(self) -> _C.Size:
        """The shape of the parameters, without the dims of an event."""
        return self._batch_shape  # type: ignore[return-value]

    @property
    def event_shape(self) -> _C.Size:
        """The shape of one draw."""
        return self._event_shape  # type: ignore[return-value]

    @property
    def arg_constraints(self) -> dict[str, constraints.Constraint]:
        """The constraint on each parameter, by name."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The constraint that every sample satisfies."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """The mean."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The value of the largest density or probability."""
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        """Draws, without gradients."""
        with torch.no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        """Draws that have gradients with respect to the parameters."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """The old spelling of sample((n,))."""
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2)
        return self.sample(_C.Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density or probability at `value`."""
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability of a draw that is at most `value`."""
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The number whose cdf is `value`."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values that a discrete distribution draws, along dim 0. With expand=False the batch's dims have size 1."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy, for each element of the batch."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """exp(entropy)."""
        return torch.exp(self.entropy())

    def _extended_shape(self, sample_shape: Sequence[int] = _C.Size()) -> _C.Size:
        return _C.Size((*sample_shape, *self._batch_shape, *self._event_shape))

    def _validate_sample(self, value: Any) -> None:
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        actual, events = value.size(), len(self._event_shape)
        if actual[len(actual) - events :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {actual} vs {self._event_shape}.")
        expected = _C.Size((*self._batch_shape, *self._event_shape))
        if any(i != 1 and j != 1 and i != j for i, j in zip(reversed(actual), reversed(expected))):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {actual} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the distribution with "
                "`validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        if not bool(support.check(value).all()):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support ({support!r}) of the "
                f"distribution {self!r}, but found invalid values:\n{value}"
            )

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        if _instance is None and type(self).__init__ != cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom __init__ method must also define a custom .expand() method."
            )
        return self.__new__(type(self)) if _instance is None else _instance

    def __repr__(self) -> str:
        given = [(name, self.__dict__[name]) for name in self.arg_constraints if name in self.__dict__]
        return f"{self.__class__.__name__}({', '.join(f'{name}: {value if value.numel() == 1 else value.size()}' for name, value in given)})"
