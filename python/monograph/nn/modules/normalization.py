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
    """Each row of the last dims to mean 0 and variance 1, then scaled and shifted."""

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
    """Each group of channels to mean 0 and variance 1, then every channel scaled and shifted."""

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
    """Each row of the last dims over the root of its mean square, then scaled."""

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
    """Each element over a power of the mean square of its neighbours among the channels."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
