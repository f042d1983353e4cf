"""LayerNorm, GroupNorm, RMSNorm and LocalResponseNorm: norms within a sample, without running statistics."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F, init
from ..parameter import Parameter
from .linear import _empty
from .module import Module


class _ScaledNorm(Module):
    """What norms hold that scale and shift their result: a weight of ones and a bias of zeros, or None in their places."""

    def _make_parameters(self, size: tuple[int, ...], wanted: dict[str, bool], dtype: Any, device: Any) -> None:
        for name, is_wanted in wanted.items():
            self.register_parameter(name, Parameter(_empty(*size, dtype=dtype, device=device)) if is_wanted else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for name, fill in (("weight", init.ones_), ("bias", init.zeros_)):
            parameter = self._parameters.get(name)
            if parameter is not None:
                fill(parameter)


class LayerNorm(_ScaledNorm):
    """Each row of the last dims to mean 0 and variance 1, then scaled and shifted.

    Args:
        normalized_shape: the sizes of the last dims.
        eps: a small number that keeps a divisor from being 0.
        elementwise_affine: whether the elements are scaled by learned numbers.
        bias: whether the elements are shifted.
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.LayerNorm(2)
    >>> layer(torch.tensor([[1.0, 3.0]]))
    tensor([[-1.0000,  1.0000]], grad_fn=<NativeLayerNormBackward0>)
    """

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._make_parameters(self.normalized_shape, {"weight": elementwise_affine, "bias": elementwise_affine and bias}, dtype, device)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)  # type: ignore[arg-type]

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"


class GroupNorm(_ScaledNorm):
    """Each group of channels to mean 0 and variance 1, then every channel scaled and shifted.

    Args:
        num_groups: into how many groups the channels are divided.
        num_channels: the number of channels.
        eps: a small number that keeps a divisor from being 0.
        affine: whether the channels are scaled and shifted by learned numbers.
        device: where the parameters lie.
        dtype: the dtype of the parameters.
        bias: whether the channels are shifted.

    >>> import monograph as torch
    >>> layer = torch.nn.GroupNorm(2, 4)
    >>> layer(torch.tensor([[1.0, 3.0, 2.0, 6.0]]))
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]],
           grad_fn=<NativeGroupNormBackward0>)
    """

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._make_parameters((num_channels,), {"weight": affine, "bias": affine and bias}, dtype, device)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, bias={self.bias is not None}"


class RMSNorm(_ScaledNorm):
    """Each row of the last dims over the root of its mean square, then scaled.

    Args:
        normalized_shape: the sizes of the last dims.
        eps: what is added to the mean square; None: the dtype's eps.
        elementwise_affine: whether the elements are scaled by learned numbers.
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.RMSNorm(2)
    >>> layer(torch.tensor([[3.0, 4.0]]))
    tensor([[0.8485, 1.1314]], grad_fn=<MulBackward0>)
    """

    def __init__(self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._make_parameters(self.normalized_shape, {"weight": elementwise_affine}, dtype, device)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)  # type: ignore[arg-type]

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Module):
    """Each element over a power of the mean square of its neighbours among the channels.

    Args:
        size: how many channels are neighbours.
        alpha: the factor of the mean square.
        beta: the power.
        k: what is added to the mean square.

    >>> import monograph as torch
    >>> layer = torch.nn.LocalResponseNorm(2)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[0.0000, 1.0000, 1.9997, 2.9990],
             [3.9976, 4.9951, 5.9910, 6.9848]]])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
