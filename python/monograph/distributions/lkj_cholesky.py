from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import monograph as torch

from .. import _C
from .._tensor import Tensor
from . import constraints
from .beta import Beta
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Lower triangular factors L of correlation matrices L @ L.mT, after Lewandowski, Kurowicka and Joe.

    Args:
        dim: the size of the matrices.
        concentration: the density is as det(L @ L.mT) ** (concentration - 1): with 1 all matrices are equally likely, above it those near the identity are likelier.
        validate_args: whether arguments are checked.

    >>> import monograph as torch
    >>> torch.distributions.LKJCholesky(3, 0.5).event_shape
    torch.Size([3, 3])
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        # The distribution of the squared length of each row to the left of the diagonal.
        row = torch.arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        row = torch.cat([row.new_zeros((1,)), row])
        self._beta = Beta(row + 0.5, (self.concentration + 0.5 * (dim - 2)).unsqueeze(-1) - 0.5 * row)
        super().__init__(self.concentration.size(), _C.Size((dim, dim)), validate_args=validate_args)

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> LKJCholesky:
        new = self._get_checked_instance(LKJCholesky, _instance)
        batch_shape = _C.Size(batch_shape)
        new.dim = self.dim
        new.concentration = self.concentration.expand(batch_shape)
        new._beta = self._beta.expand((*batch_shape, self.dim))
        return self._finished(LKJCholesky, new, batch_shape, self.event_shape)

    def sample(self, sample_shape: Sequence[int] = _C.Size()) -> Tensor:
        # The onion method: each row is a direction, times a length.
        y = self._beta.sample(sample_shape).unsqueeze(-1)
        directions = torch.randn(self._extended_shape(sample_shape), dtype=y.dtype, device=y.device).tril(-1)
        directions = directions / directions.norm(dim=-1, keepdim=True)
        directions[..., 0, :].fill_(0.0)  # the first row has none
        w = torch.sqrt(y) * directions
        diagonal = torch.clamp(1 - torch.sum(w**2, dim=-1), min=torch.finfo(w.dtype).tiny).sqrt()
        return w + torch.diag_embed(diagonal)

    def log_prob(self, value: Any) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        n, k = self.dim - 1, self.concentration
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        power = 2 * (k - 1).unsqueeze(-1) + self.dim - torch.arange(2, self.dim + 1, device=k.device)
        alpha = k + 0.5 * n
        normalizer = 0.5 * n * math.log(math.pi) + torch.mvlgamma(alpha - 0.5, n) - torch.lgamma(alpha) * n
        return torch.sum(power * diagonal.log(), dim=-1) - normalizer
