"""nn.InstanceNorm1d, 2d and 3d, over the parameters and running statistics of batchnorm.py."""

from __future__ import annotations

import warnings
from typing import Any

from ... import _C
from ..._jit_internal import is_scripting
from ..._tensor import Tensor
from .. import functional as F
from .batchnorm import _NormBase


class _InstanceNorm(_NormBase):
    """Each channel of each image to mean 0 and variance 1, or by running figures."""

    __constants__ = ("dims",)
    dims: int

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)
        self.momentum: float = momentum  # None is for batch norms alone

    def forward(self, input: Tensor) -> Tensor:
        if not is_scripting():
            _C._assume_dims(input, self.dims + 2)  # the graph of a symbolic trace is made for a batch, and checks it
        rank = input.dim()
        if rank not in (self.dims + 1, self.dims + 2):
            raise ValueError(f"expected {self.dims + 1}D or {self.dims + 2}D input (got {rank}D input)")
        channel = rank - self.dims - 1
        if input.size(channel) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={channel} to match num_features ({self.num_features}), but got: {input.size(channel)}."
                )
            warnings.warn(
                f"input's size at dim={channel} does not match num_features. You can silence this warning by not passing in num_features, "
                "which is not used because affine=False",
                stacklevel=2,
            )
        batched = input if rank == self.dims + 2 else input.unsqueeze(0)
        by_image = self.training or not self.track_running_stats
        result = F.instance_norm(batched, self.running_mean, self.running_var, self.weight, self.bias, by_image, self.momentum, self.eps)
        return result if rank == self.dims + 2 else result.squeeze(0)


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each line to mean 0 and variance 1, then, if affine, scaled and shifted.

    Args:
        num_features: the number of channels.
        eps: a small number that keeps a divisor from being 0.
        momentum: how much the new statistics weigh in the running ones; None: all batches weigh the same.
        affine: whether the channels are scaled and shifted by learned numbers.
        track_running_stats: whether there are running statistics.
        device: where the parameters lie.
        dtype: the dtype of the parameters.
        bias: whether the channels are shifted.

    >>> import monograph as torch
    >>> layer = torch.nn.InstanceNorm1d(2)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[-1.3416, -0.4472,  0.4472,  1.3416],
             [-1.3416, -0.4472,  0.4472,  1.3416]]])
    """

    dims = 1


class InstanceNorm2d(_InstanceNorm):
    """Each channel of each image to mean 0 and variance 1, then, if affine, scaled and shifted.

    Args:
        num_features: the number of channels.
        eps: a small number that keeps a divisor from being 0.
        momentum: how much the new statistics weigh in the running ones; None: all batches weigh the same.
        affine: whether the channels are scaled and shifted by learned numbers.
        track_running_stats: whether there are running statistics.
        device: where the parameters lie.
        dtype: the dtype of the parameters.
        bias: whether the channels are shifted.

    >>> import monograph as torch
    >>> layer = torch.nn.InstanceNorm2d(2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 2, 4])
    """

    dims = 2


class InstanceNorm3d(_InstanceNorm):
    """Each channel of each volume to mean 0 and variance 1, then, if affine, scaled and shifted.

    Args:
        num_features: the number of channels.
        eps: a small number that keeps a divisor from being 0.
        momentum: how much the new statistics weigh in the running ones; None: all batches weigh the same.
        affine: whether the channels are scaled and shifted by learned numbers.
        track_running_stats: whether there are running statistics.
        device: where the parameters lie.
        dtype: the dtype of the parameters.
        bias: whether the channels are shifted.

    >>> import monograph as torch
    >>> layer = torch.nn.InstanceNorm3d(2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    dims = 3
