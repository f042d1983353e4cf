from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._tensor import Tensor
from . import constraints
from .gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The chi-squared distribution: the sum of the squares of `df` normal numbers with mean 0 and standard deviation 1.

    Args:
        df: how many numbers, the degrees of freedom. It need not be a whole number.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.Chi2(torch.tensor([2.0])).variance
    tensor([4.])
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Chi2:
        return super().expand(batch_shape, self._get_checked_instance(Chi2, _instance))  # type: ignore[return-value]

    @property
    def df(self) -> Tensor:
        """The degrees of freedom."""
        return self.concentration * 2
