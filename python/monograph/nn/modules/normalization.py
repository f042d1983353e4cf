"""LayerNorm, GroupNorm, RMSNorm, LocalResponseNorm and CrossMapLRN2d: norms within a sample, without running statistics."""

from __future__ import annotations

from typing import Any

from ... import _VF
from ..._tensor import Tensor
from ...autograd.function import Function
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


class _CrossMap(Function):
    """What CrossMapLRN2d computes, and its gradient. Both are PyTorch's: the sum of squares runs over the channels, and never loses the first channel; the gradient
    counts whole windows."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, size: int, alpha: float, beta: float, k: float) -> Tensor:
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        squares, channels, reach = input.pow(2), input.shape[1], int((size - 1) / 2 + 1)
        running = squares[:, : min(reach, channels)].sum(1)
        sums = [running]
        for c in range(1, channels):
            if c < channels - reach + 1:
                running = running + squares[:, c + reach - 1]
            if c > reach:
                running = running - squares[:, c - reach]
            sums.append(running)
        ctx.scale = _VF.stack(sums, 1) * (alpha / size) + k
        ctx.size, ctx.alpha, ctx.beta = size, alpha, beta
        output = ctx.scale.pow(-beta) * input
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Any, ...]:
        input, output = ctx.saved_tensors
        size, before = ctx.size, int(ctx.size - (ctx.size - 1) / 2)
        batch, channels, *image = input.shape
        ratio = input.new_zeros(batch, channels + size - 1, *image)
        ratio[:, before : before + channels] = grad_output * output / ctx.scale
        near = ratio.unfold(1, size, 1).sum(-1)
        return ctx.scale.pow(-ctx.beta) * grad_output - 2 * ctx.alpha * ctx.beta / size * input * near, None, None, None, None


class CrossMapLRN2d(Module):
    """Divides each channel of images by a power of the sum of squares of the channels near it.

    Args:
        size: how many channels are near each other.
        alpha: the factor of the sum of squares.
        beta: the power of the divisor.
        k: what is added to the sum.

    >>> import monograph as torch
    >>> layer = torch.nn.CrossMapLRN2d(2, alpha=1.0)
    >>> layer(torch.ones(1, 2, 1, 1)).flatten()
    tensor([0.7378, 0.5946])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        return _CrossMap.apply(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
