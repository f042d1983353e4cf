"""nn.BatchNorm1d, 2d and 3d.

_NormBase holds the parameters and the running statistics, also for the instance norms. _BatchNorm decides whether a call uses the statistics of
the batch or the running ones, and calls F.batch_norm.
"""

from __future__ import annotations

from typing import Any

from ... import _C, _VF
from ..._tensor import Tensor
from .. import functional as F
from ..parameter import Parameter
from .module import Module


class _NormBase(Module):
    """What norms over channels hold: a scale and a shift, and running figures where they are tracked."""

    _version = 2
    _later_keys = frozenset({"num_batches_tracked"})

    def __init__(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        device: Any,
        dtype: Any,
        bias: bool,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        options = {"dtype": dtype, "device": device}
        self.register_parameter("weight", Parameter(_VF.ones(num_features, **options)) if affine else None)
        self.register_parameter("bias", Parameter(_VF.zeros(num_features, **options)) if affine and bias else None)
        self.register_buffer("running_mean", _VF.zeros(num_features, **options) if track_running_stats else None)
        self.register_buffer("running_var", _VF.ones(num_features, **options) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", _C.tensor(0, device=device) if track_running_stats else None)

    def reset_running_stats(self) -> None:
        """Starts the running figures anew: mean 0, variance 1, no batch seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Starts the running figures anew, and sets weight to 1 and bias to 0."""
        self.reset_running_stats()
        for parameter, value in ((self.weight, 1.0), (self.bias, 0.0)):
            if parameter is not None:
                parameter.detach().fill_(value)

    def extra_repr(self) -> str:
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, bias={self.bias is not None}, track_running_stats={self.track_running_stats}"


class _BatchNorm(_NormBase):
    """Each channel to mean 0 and variance 1, by the batch in training and by running figures otherwise."""

    ranks: tuple[int, ...]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias)

    def _check_input_dim(self, input: Tensor) -> None:
        if not input._is_symbolic and input.dim() not in self.ranks:
            raise ValueError(f"expected {' or '.join(f'{r}D' for r in self.ranks)} input (got {input.dim()}D input)")

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        average = 0.0 if self.momentum is None else self.momentum
        if self.training:
            if self.num_batches_tracked is not None:
                self.num_batches_tracked.add_(1)
                if self.momentum is None:
                    average = 1.0 / self.num_batches_tracked.item()  # no float(), which asks a capture for the number
        bn_training = self.training or self.running_mean is None
        tracked = self.track_running_stats or not self.training
        mean, var = (self.running_mean, self.running_var) if tracked else (None, None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, bn_training, average, self.eps)


class BatchNorm1d(_BatchNorm):
    """Each channel to mean 0 and variance 1 over the batch, then scaled and shifted. In eval(), with the running statistics.

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
    >>> layer = torch.nn.BatchNorm1d(2)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[-1.3416, -0.4472,  0.4472,  1.3416],
             [-1.3416, -0.4472,  0.4472,  1.3416]]],
           grad_fn=<NativeBatchNormBackward0>)
    """

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Each channel of images to mean 0 and variance 1 over the batch, then scaled and shifted. In eval(), with the running statistics.

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
    >>> layer = torch.nn.BatchNorm2d(2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 2, 4])
    """

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Each channel of volumes to mean 0 and variance 1 over the batch, then scaled and shifted. In eval(), with the running statistics.

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
    >>> layer = torch.nn.BatchNorm3d(2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    ranks = (5,)


class SyncBatchNorm(_BatchNorm):
    """A batch norm whose statistics several processes share in PyTorch. There is one process here, so it is a batch norm of any number of dims from 2.

    process_group: not used.

        >>> nn.SyncBatchNorm(3)(torch.ones(2, 3)).shape
        torch.Size([2, 3])
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if not input._is_symbolic and input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with a SyncBatchNorm of the same parameters and statistics in the place of each batch norm."""
        made = module
        if isinstance(module, _BatchNorm):
            made = cls(module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats, process_group)
            made._parameters, made._buffers = module._parameters, module._buffers
            made.training = module.training
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made
