"""Flatten joins dims into one; Unflatten splits one dim."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .module import Module


class Flatten(Module):
    """Makes one dim of several; the first, the batch, stays.

    Args:
        start_dim: the first of the dims that become one.
        end_dim: the last of the dims that become one.

    >>> import monograph as torch
    >>> layer = torch.nn.Flatten()
    >>> layer(torch.zeros(2, 3, 4)).shape
    torch.Size([2, 12])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Makes several dims of one.

    Args:
        dim: the dim that is divided.
        unflattened_size: the sizes of the new dims.

    >>> import monograph as torch
    >>> layer = torch.nn.Unflatten(1, (2, 3))
    >>> layer(torch.zeros(2, 6)).shape
    torch.Size([2, 2, 3])
    """

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        # Parts of the shape, which need no number of dims: a symbolic capture knows none.
        sizes = input.shape[: self.dim] + self.unflattened_size
        return input.reshape(sizes if self.dim == -1 else sizes + input.shape[self.dim + 1 :])

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
