"""torch.nn.functional: the functions of layers.

A function that is one operator comes from its record. What PyTorch writes in Python is Python here: typed, in the language of TorchScript, so that a script
compiler can read it. tests/python/test_script_language.py has PyTorch's compile each of them.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Optional

from .. import _VF, _nn
from .._C import dtype as DType
from .._jit_internal import BroadcastingList2
from .._overridable import overridable
from .._pytorch_names import NAMES
from .._tensor import Tensor
from .._VF import conv1d, conv2d, conv_transpose2d, relu_, selu_  # noqa: F401

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


# Activations ----------------------------------------------------------------------------------------------------------------------------


@overridable
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    if inplace:
        return _VF.relu_(input)
    return _VF.relu(input)


@overridable
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    if inplace:
        return _nn.relu6_(input)
    return _nn.relu6(input)


@overridable
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    if inplace:
        return _VF.selu_(input)
    return _VF.selu(input)


@overridable
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    if inplace:
        return _nn.elu_(input, alpha)
    return _nn.elu(input, alpha)


@overridable
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    if inplace:
        return _nn.silu_(input)
    return _nn.silu(input)


@overridable
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    if inplace:
        return _nn.mish_(input)
    return _nn.mish(input)


@overridable
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    if inplace:
        return _nn.leaky_relu_(input, negative_slope)
    return _nn.leaky_relu(input, negative_slope)


@overridable
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    if inplace:
        return _nn.hardtanh_(input, min_val, max_val)
    return _nn.hardtanh(input, min_val, max_val)


@overridable
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    if inplace:
        return _nn.hardsigmoid_(input)
    return _nn.hardsigmoid(input)


@overridable
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    if inplace:
        return _nn.hardswish_(input)
    return _nn.hardswish(input)


@overridable
def tanh(input: Tensor) -> Tensor:
    return input.tanh()


@overridable
def sigmoid(input: Tensor) -> Tensor:
    return input.sigmoid()


def _softmax_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The dim that softmax takes where a call names none."""
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.", stacklevel=stacklevel)
    if ndim == 0 or ndim == 1 or ndim == 3:
        return 0
    return 1


@overridable
def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    if dim is None:
        dim = _softmax_dim("softmax", input.dim(), _stacklevel)
    return _VF.softmax(input, dim, dtype)


@overridable
def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    if dim is None:
        dim = _softmax_dim("log_softmax", input.dim(), _stacklevel)
    return _VF.log_softmax(input, dim, dtype)

@overridable
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    if inplace:
        return _VF.celu_(input, alpha)
    return _VF.celu(input, alpha)


@overridable
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    if inplace:
        return _VF.threshold_(input, threshold, value)
    return _VF.threshold(input, threshold, value)


@overridable
def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False) -> Tensor:
    result = _VF.rrelu(input, lower, upper, training)
    if inplace:
        return input.copy_(result)
    return result


@overridable
def glu(input: Tensor, dim: int = -1) -> Tensor:
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _nn.glu(input, dim)


@overridable
def softsign(input: Tensor) -> Tensor:
    return input / (input.abs() + 1)


@overridable
def tanhshrink(input: Tensor) -> Tensor:
    return input - input.tanh()


@overridable
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    if dim is None:
        dim = _softmax_dim("softmin", input.dim(), _stacklevel)
    return _VF.softmax(-input, dim, dtype)


@overridable
def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    gumbels = -_VF.empty_like(logits).exponential_().log()
    soft = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return soft
    places = _VF.arange(soft.size(dim), device=soft.device)
    chosen = soft.argmax(dim, keepdim=True).transpose(dim, -1) == places
    return chosen.to(soft.dtype).transpose(dim, -1) - soft.detach() + soft


# Layers ---------------------------------------------------------------------------------------------------------------------------------


@overridable
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if inplace:
        return _VF.dropout_(input, p, training)
    return _VF.dropout(input, p, training)


@overridable
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    if max_norm is not None:
        raise NotImplementedError("embedding(max_norm=...) is not part of Monograph yet")
    if padding_idx is None:
        padding_idx = -1
    else:
        assert -weight.size(0) <= padding_idx and padding_idx < weight.size(0), "Padding_idx must be within num_embeddings"
        if padding_idx < 0:
            padding_idx = weight.size(0) + padding_idx
    return _VF.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


@overridable
def layer_norm(input: Tensor, normalized_shape: list[int], weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    return _VF.layer_norm(input, normalized_shape, weight, bias, eps)


@overridable
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    return _VF.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


@overridable
def max_pool2d(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]] = None,  # noqa: UP045 - TorchScript has no `|` here
    padding: BroadcastingList2[int] = 0,
    dilation: BroadcastingList2[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    if return_indices:
        raise NotImplementedError("max_pool2d(return_indices=True) is not part of Monograph yet; call max_pool2d_with_indices")
    return _VF.max_pool2d(input, kernel_size, kernel_size if stride is None else stride, padding, dilation, ceil_mode)


@overridable
def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]] = None,  # noqa: UP045
    padding: BroadcastingList2[int] = 0,
    dilation: BroadcastingList2[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    return _nn.max_pool2d_with_indices(input, kernel_size, kernel_size if stride is None else stride, padding, dilation, ceil_mode)


def _two_sizes(wanted: BroadcastingList2[int], input: Tensor) -> list[int]:
    """The sizes wanted of the last two dims. None, which no int of TorchScript is, stands for the input's own size."""
    sizes: list[int] = []
    if isinstance(wanted, (list, tuple)):
        for k, size in enumerate(wanted):
            sizes.append(input.size(k - len(wanted)) if size is None else size)
        return sizes
    return [wanted, wanted]  # type: ignore[list-item]


@overridable
def adaptive_avg_pool2d(input: Tensor, output_size: BroadcastingList2[int]) -> Tensor:
    return _nn.adaptive_avg_pool2d(input, _two_sizes(output_size, input))


# Padding and resampling ---------------------------------------------------------------------------------------------------------------------


@overridable
def pad(input: Tensor, pad: list[int], mode: str = "constant", value: float | None = None) -> Tensor:
    return _nn.pad(input, pad, mode, value)


def _resampled(input: Tensor, size: list[int] | None, factors: list[float] | None, mode: str, corners: bool) -> Tensor:
    """The resampling of this mode over the input's dims."""
    dims = input.dim() - 2
    if mode == "nearest":
        if dims == 1:
            return _nn.upsample_nearest1d(input, size, factors)
        if dims == 2:
            return _nn.upsample_nearest2d(input, size, factors)
        if dims == 3:
            return _nn.upsample_nearest3d(input, size, factors)
    if mode == "nearest-exact":
        if dims == 1:
            return _nn._upsample_nearest_exact1d(input, size, factors)
        if dims == 2:
            return _nn._upsample_nearest_exact2d(input, size, factors)
        if dims == 3:
            return _nn._upsample_nearest_exact3d(input, size, factors)
    if mode == "area" and size is not None:
        if dims == 1:
            return adaptive_avg_pool1d(input, size)
        if dims == 2:
            return adaptive_avg_pool2d(input, size)
        if dims == 3:
            return adaptive_avg_pool3d(input, size)
    if mode == "linear" and dims == 1:
        return _nn.upsample_linear1d(input, size, corners, factors)
    if mode == "bilinear" and dims == 2:
        return _nn.upsample_bilinear2d(input, size, corners, factors)
    if mode == "bicubic" and dims == 2:
        return _nn.upsample_bicubic2d(input, size, corners, factors)
    if mode == "trilinear" and dims == 3:
        return _nn.upsample_trilinear3d(input, size, corners, factors)
    raise NotImplementedError(
        "Input Error: Only 3D, 4D and 5D input Tensors supported (got "
        f"{input.dim()}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | area | nearest-exact (got {mode}); "
        "linear takes 3D, bilinear and bicubic 4D, trilinear 5D input"
    )


@overridable
def interpolate(
    input: Tensor,
    size: list[int] | None = None,
    scale_factor: list[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    if mode == "nearest" or mode == "area" or mode == "nearest-exact":
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear")
    dims = input.dim() - 2
    sizes: list[int] | None = None
    factors: list[float] | None = None
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is not None:
        if recompute_scale_factor is not None and recompute_scale_factor:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        if isinstance(size, (list, tuple)):
            if len(size) != dims:
                raise ValueError(f"Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of {dims} and output size of {size}.")
            sizes = size
        else:
            sizes = [size for _ in range(dims)]
    elif scale_factor is not None:
        if isinstance(scale_factor, (list, tuple)):
            if len(scale_factor) != dims:
                raise ValueError(f"Input and scale_factor must have the same number of spatial dimensions, but got input with {dims} of them and scale_factor of shape {scale_factor}.")
            factors = scale_factor
        else:
            factors = [scale_factor for _ in range(dims)]
    else:
        raise ValueError("either size or scale_factor should be defined")
    if factors is not None and (mode == "area" or (recompute_scale_factor is not None and recompute_scale_factor)):
        sizes = [int(math.floor(float(input.size(k + 2) * factors[k]))) for k in range(dims)]
        factors = None
    if antialias:
        if mode != "bilinear" and mode != "bicubic" or input.dim() != 4:
            raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input")
        raise NotImplementedError("interpolate(antialias=True) is not part of Monograph yet; blur the input first, or resample without it")
    return _resampled(input, sizes, factors, mode, align_corners is not None and align_corners)


@overridable
def upsample(input: Tensor, size: list[int] | None = None, scale_factor: list[float] | None = None, mode: str = "nearest", align_corners: bool | None = None) -> Tensor:
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


@overridable
def upsample_nearest(input: Tensor, size: list[int] | None = None, scale_factor: list[float] | None = None) -> Tensor:
    warnings.warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, "nearest")


@overridable
def upsample_bilinear(input: Tensor, size: list[int] | None = None, scale_factor: list[float] | None = None) -> Tensor:
    warnings.warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, "bilinear", True)


# Losses ---------------------------------------------------------------------------------------------------------------------------------


def _reduction(reduction: str, size_average: bool | None, reduce: bool | None) -> str:
    """The reduction, which two older arguments name as well."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is not None and not reduce:
        return "none"
    if size_average is not None and not size_average:
        return "sum"
    return "mean"


def _code(reduction: str) -> int:
    """The reduction as records count it."""
    if reduction == "none":
        return 0
    if reduction == "mean":
        return 1
    if reduction == "sum":
        return 2
    raise ValueError(f"{reduction} is not a valid value for reduction")


def _weighted(loss: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """The loss times its weights; a mean is over the weights."""
    if weight.size() != loss.size():
        raise ValueError(f"Weights and input must have the same size, but they have {weight.size()} and {loss.size()}.")
    code = _code(reduction)
    loss = loss * weight
    if code == 0:
        return loss
    if code == 1:
        return loss.sum() / weight.sum()
    return loss.sum()


def _check_same_size(input: Tensor, target: Tensor) -> None:
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")


@overridable
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    reduction = _reduction(reduction, size_average, reduce)
    if weight is None:
        return _nn.mse_loss(input, target, _code(reduction))
    return _weighted(_nn.mse_loss(input, target, 0), weight, reduction)


@overridable
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    reduction = _reduction(reduction, size_average, reduce)
    if weight is None:
        return _nn.l1_loss(input, target, _code(reduction))
    return _weighted(_nn.l1_loss(input, target, 0), weight, reduction)


@overridable
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    _check_same_size(input, target)
    return _nn.binary_cross_entropy(input, target, weight, _code(_reduction(reduction, size_average, reduce)))


@overridable
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    _check_same_size(input, target)
    return _VF.binary_cross_entropy_with_logits(input, target, weight, pos_weight, _code(_reduction(reduction, size_average, reduce)))


@overridable
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    return _nn.nll_loss(input, target, weight, _code(_reduction(reduction, size_average, reduce)), ignore_index)


@overridable
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    return _nn.cross_entropy_loss(input, target, weight, _code(_reduction(reduction, size_average, reduce)), ignore_index, label_smoothing)


logsigmoid = _nn.log_sigmoid

# What PyTorch has here without a function in Python: its records are there as they are.
_here = globals()
_here.update({name: function for name, function in vars(_nn).items() if name not in _here and name in NAMES[__name__.replace("monograph", "torch")].split()})
