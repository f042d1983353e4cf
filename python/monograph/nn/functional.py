"""torch.nn.functional: the functions of layers.

A function that is one operator comes from its record. What PyTorch writes in Python is Python here: typed, in the language of TorchScript, so that a script
compiler can read it. tests/python/test_script_language.py has PyTorch's compile each of them.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Optional

from .. import _VF, _nn
from .._assumed_dims import assumes_dims as _assumes_dims, resamples as _resamples, symbolically as _symbolically
from .._C import dtype as DType
from .._jit_internal import BroadcastingList1, BroadcastingList2, BroadcastingList3, boolean_dispatch as boolean_dispatch, is_scripting
from .._overridable import overridable
from .._pytorch_names import NAMES
from .._tensor import Tensor
from .._VF import (  # noqa: F401
    adaptive_avg_pool1d,
    avg_pool1d,
    bilinear,
    celu_,
    channel_shuffle,
    conv1d,
    conv2d,
    conv3d,
    conv_tbc,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    cosine_similarity,
    hardshrink,
    pairwise_distance,
    pdist,
    pixel_shuffle,
    pixel_unshuffle,
    prelu,
    relu_,
    selu_,
    threshold_,
)
from ..overrides import handle_torch_function, has_torch_function, has_torch_function_unary, has_torch_function_variadic  # noqa: F401
from ._adaptive_sizes import _sizes_of_dims, _two_sizes
from ._antialias import antialiased
from ._losses import (  # noqa: F401
    _check_same_size,
    _code,
    _code_of,
    _reduction,
    _warn_of_sizes,
    _warn_outside_of_captures,
    _weighted,
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    cross_entropy,
    ctc_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    huber_loss,
    kl_div,
    l1_loss,
    linear_cross_entropy,
    margin_ranking_loss,
    mse_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    nll_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)

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
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
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


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent of each element, as torch.tanh gives it."""
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)) for each element, as torch.sigmoid gives it."""
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
def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """F.rrelu that writes into its input."""
    return rrelu(input, lower, upper, training, True)


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
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    if padding_idx is None:
        padding_idx = -1
    else:
        assert -weight.size(0) <= padding_idx and padding_idx < weight.size(0), (
            f"Padding_idx must be within num_embeddings, but got padding_idx {padding_idx} and {weight.size(0)} embeddings"
        )
        if padding_idx < 0:
            padding_idx = weight.size(0) + padding_idx
    if max_norm is not None:
        input = input.contiguous()
        _VF.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    return _VF.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


@overridable
@_assumes_dims(lambda arguments: 2 if arguments["offsets"] is None else 1)
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    if not weight.is_floating_point() and input.is_floating_point():
        warnings.warn("Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is deprecated, and should now be `embedding_bag(input, weight, ...)`.", stacklevel=2)
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.size()}) is not None, then it must have the same shape as the input ({input.size()})"
        )
    if not weight.dim() == 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length sequences. However, found offsets of type Tensor")
        offsets = _VF.arange(0, input.numel(), input.size(1), device=input.device).type_as(input)
        input = input.reshape(-1)
        if per_sample_weights is not None:
            per_sample_weights = per_sample_weights.reshape(-1)
    elif input.dim() == 1:
        if offsets is None:
            raise ValueError("offsets has to be a 1D Tensor but got None")
        if offsets.dim() != 1:
            raise ValueError("offsets has to be a 1D Tensor")
    else:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if mode == "sum":
        mode_enum = 0
    elif mode == "mean":
        mode_enum = 1
    elif mode == "max":
        mode_enum = 2
        if scale_grad_by_freq:
            raise ValueError("max mode does not support scaling the gradient by the frequency")
        if sparse:
            raise ValueError("max mode does not support sparse weights")
    else:
        raise ValueError("mode has to be one of sum, mean or max")
    if max_norm is not None:
        _VF.embedding_renorm_(weight.detach(), input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            f"embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )
    return _VF.embedding_bag(weight, input, offsets, scale_grad_by_freq, mode_enum, sparse, per_sample_weights, include_last_offset, padding_idx)[0]


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
    if training and eps <= 0.0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    return _VF.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _written(input: Tensor, result: Tensor, inplace: bool) -> Tensor:
    """The result, in the input where that is asked."""
    if inplace:
        return input.copy_(result)
    return result


@overridable
@_assumes_dims(lambda arguments: 3)
def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    _check_probability(p)
    if input.dim() != 2 and input.dim() != 3:
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that dropout1d exists to provide channel-wise dropout on inputs with 1 "
            "spatial dimension, a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs)."
        )
    if input.dim() == 3:
        return _written(input, _VF.feature_dropout(input, p, training), inplace)
    return _written(input, _VF.feature_dropout(input.unsqueeze(0), p, training).squeeze(0), inplace)


@overridable
@_assumes_dims(lambda arguments: 4)
def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    _check_probability(p)
    if input.dim() != 3 and input.dim() != 4:
        warnings.warn(f"dropout2d: Received a {input.dim()}-D input to dropout2d, which is deprecated and will result in an error in a future release.", stacklevel=3)
    if input.dim() == 3:
        warnings.warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input is interpreted as shape (N, C, L).", stacklevel=3)
    return _written(input, _VF.feature_dropout(input, p, training), inplace)


@overridable
@_assumes_dims(lambda arguments: 5)
def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    _check_probability(p)
    if input.dim() != 4 and input.dim() != 5:
        warnings.warn(f"dropout3d: Received a {input.dim()}-D input to dropout3d, which is deprecated and will result in an error in a future release.", stacklevel=3)
    if input.dim() == 5:
        return _written(input, _VF.feature_dropout(input, p, training), inplace)
    return _written(input, _VF.feature_dropout(input.unsqueeze(0), p, training).squeeze(0), inplace)


@overridable
def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    _check_probability(p)
    return _written(input, _VF.alpha_dropout(input, p, training), inplace)


@overridable
def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    _check_probability(p)
    return _written(input, _VF.feature_alpha_dropout(input, p, training), inplace)


@overridable
def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    return _VF.group_norm(input, num_groups, weight, bias, eps, True)


@overridable
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    return _VF.instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True)


@overridable
def rms_norm(input: Tensor, normalized_shape: list[int], weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    return _VF.rms_norm(input, normalized_shape, weight, eps)


@overridable
def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    dims = input.dim()
    if dims < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {dims} dimensions)")
    if input.numel() == 0:
        return input
    squares = input * input
    if dims == 3:
        rows = pad(squares.unsqueeze(1), [0, 0, size // 2, (size - 1) // 2])
        means = _nn.avg_pool2d(rows, [size, 1], [1, 1]).squeeze(1)
    else:
        sizes = input.size()
        volumes = pad(squares.view(sizes[0], 1, sizes[1], sizes[2], -1), [0, 0, 0, 0, size // 2, (size - 1) // 2])
        means = _nn.avg_pool3d(volumes, [size, 1, 1], [1, 1, 1]).squeeze(1).view(sizes)
    return input / (means * alpha + k).pow(beta)

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
        if not is_scripting():
            return max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)  # type: ignore[return-value]
        raise NotImplementedError("a script calls max_pool2d_with_indices")
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


@overridable
def adaptive_avg_pool2d(input: Tensor, output_size: BroadcastingList2[int]) -> Tensor:
    return _nn.adaptive_avg_pool2d(input, _two_sizes(output_size, input))


@overridable
def max_pool1d(
    input: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: Optional[BroadcastingList1[int]] = None,  # noqa: UP045
    padding: BroadcastingList1[int] = 0,
    dilation: BroadcastingList1[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    if return_indices:
        if not is_scripting():
            return max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)  # type: ignore[return-value]
        raise NotImplementedError("a script calls max_pool1d_with_indices")
    return _VF.max_pool1d(input, kernel_size, kernel_size if stride is None else stride, padding, dilation, ceil_mode)


@overridable
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: Optional[BroadcastingList1[int]] = None,  # noqa: UP045
    padding: BroadcastingList1[int] = 0,
    dilation: BroadcastingList1[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    return _VF.max_pool1d_with_indices(input, kernel_size, kernel_size if stride is None else stride, padding, dilation, ceil_mode)


@overridable
def max_pool3d(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]] = None,  # noqa: UP045
    padding: BroadcastingList3[int] = 0,
    dilation: BroadcastingList3[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Tensor:
    if return_indices:
        if not is_scripting():
            return max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)  # type: ignore[return-value]
        raise NotImplementedError("a script calls max_pool3d_with_indices")
    return _VF.max_pool3d(input, kernel_size, kernel_size if stride is None else stride, padding, dilation, ceil_mode)


@overridable
def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]] = None,  # noqa: UP045
    padding: BroadcastingList3[int] = 0,
    dilation: BroadcastingList3[int] = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> tuple[Tensor, Tensor]:
    return _nn.max_pool3d_with_indices(input, kernel_size, kernel_size if stride is None else stride, padding, dilation, ceil_mode)


@overridable
def adaptive_avg_pool3d(input: Tensor, output_size: BroadcastingList3[int]) -> Tensor:
    return _nn.adaptive_avg_pool3d(input, _sizes_of_dims(output_size, input, 3))


@overridable
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: BroadcastingList1[int], return_indices: bool = False) -> tuple[Tensor, Tensor]:
    return _VF.adaptive_max_pool1d(input, output_size)


@overridable
def adaptive_max_pool1d(input: Tensor, output_size: BroadcastingList1[int], return_indices: bool = False) -> Tensor:
    if return_indices:
        if not is_scripting():
            return adaptive_max_pool1d_with_indices(input, output_size)  # type: ignore[return-value]
        raise NotImplementedError("a script calls adaptive_max_pool1d_with_indices")
    return _VF.adaptive_max_pool1d(input, output_size)[0]


@overridable
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: BroadcastingList2[int], return_indices: bool = False) -> tuple[Tensor, Tensor]:
    return _nn.adaptive_max_pool2d(input, _two_sizes(output_size, input))


@overridable
def adaptive_max_pool2d(input: Tensor, output_size: BroadcastingList2[int], return_indices: bool = False) -> Tensor:
    if return_indices:
        if not is_scripting():
            return adaptive_max_pool2d_with_indices(input, output_size)  # type: ignore[return-value]
        raise NotImplementedError("a script calls adaptive_max_pool2d_with_indices")
    return _nn.adaptive_max_pool2d(input, _two_sizes(output_size, input))[0]


@overridable
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: BroadcastingList3[int], return_indices: bool = False) -> tuple[Tensor, Tensor]:
    return _nn.adaptive_max_pool3d(input, _sizes_of_dims(output_size, input, 3))


@overridable
def adaptive_max_pool3d(input: Tensor, output_size: BroadcastingList3[int], return_indices: bool = False) -> Tensor:
    if return_indices:
        if not is_scripting():
            return adaptive_max_pool3d_with_indices(input, output_size)  # type: ignore[return-value]
        raise NotImplementedError("a script calls adaptive_max_pool3d_with_indices")
    return _nn.adaptive_max_pool3d(input, _sizes_of_dims(output_size, input, 3))[0]


def _root(sums: Tensor, count: int, power: float) -> Tensor:
    """The root of means of powers, as one of their sums."""
    return (_VF.sign(sums) * relu(_VF.abs(sums)) * count).pow(1.0 / power)


@overridable
def lp_pool1d(input: Tensor, norm_type: float, kernel_size: int, stride: Optional[BroadcastingList1[int]] = None, ceil_mode: bool = False) -> Tensor:  # noqa: UP045
    means = _VF.avg_pool1d(input.pow(norm_type), [kernel_size], [kernel_size] if stride is None else stride, 0, ceil_mode)
    return _root(means, kernel_size, norm_type)


@overridable
def lp_pool2d(input: Tensor, norm_type: float, kernel_size: BroadcastingList2[int], stride: Optional[BroadcastingList2[int]] = None, ceil_mode: bool = False) -> Tensor:  # noqa: UP045
    sizes = _two_sizes(kernel_size, input)
    means = _nn.avg_pool2d(input.pow(norm_type), sizes, sizes if stride is None else stride, 0, ceil_mode)
    return _root(means, sizes[0] * sizes[1], norm_type)


@overridable
def lp_pool3d(input: Tensor, norm_type: float, kernel_size: BroadcastingList3[int], stride: Optional[BroadcastingList3[int]] = None, ceil_mode: bool = False) -> Tensor:  # noqa: UP045
    sizes = _sizes_of_dims(kernel_size, input, 3)
    means = _nn.avg_pool3d(input.pow(norm_type), sizes, sizes if stride is None else stride, 0, ceil_mode)
    return _root(means, sizes[0] * sizes[1] * sizes[2], norm_type)


@overridable
def unfold(
    input: Tensor, kernel_size: BroadcastingList2[int], dilation: BroadcastingList2[int] = 1, padding: BroadcastingList2[int] = 0, stride: BroadcastingList2[int] = 1
) -> Tensor:
    return _nn.im2col(input, kernel_size, dilation, padding, stride)


@overridable
def fold(
    input: Tensor,
    output_size: BroadcastingList2[int],
    kernel_size: BroadcastingList2[int],
    dilation: BroadcastingList2[int] = 1,
    padding: BroadcastingList2[int] = 0,
    stride: BroadcastingList2[int] = 1,
) -> Tensor:
    return _nn.col2im(input, output_size, kernel_size, dilation, padding, stride)


def _sizes_before_pool(
    input: Tensor, kernel_size: list[int], stride: list[int], padding: list[int], output_size: list[int] | None
) -> list[int]:
    """The sizes that a max pool of these numbers had: the usual ones, or `output_size` where it is possible."""
    dims = len(kernel_size)
    own = input.size()
    usual: list[int] = []
    for d in range(dims):
        usual.append((own[len(own) - dims + d] - 1) * stride[d] + kernel_size[d] - 2 * padding[d])
    if output_size is None:
        return usual
    if len(output_size) == dims + 2:
        output_size = output_size[2:]
    if len(output_size) != dims:
        raise ValueError(f"output_size should be a sequence containing {dims} or {dims + 2} elements, but it has a length of '{len(output_size)}'")
    for d in range(dims):
        least, most = usual[d] - stride[d], usual[d] + stride[d]
        if not (least < output_size[d] and output_size[d] < most):
            raise ValueError(f'invalid output_size "{output_size}" (dim {d} must be between {least} and {most})')
    return output_size


def _numbers(value: BroadcastingList3[int], dims: int) -> list[int]:
    """One number for each dim, where one may stand for all."""
    numbers: list[int] = []
    if isinstance(value, (list, tuple)):
        for number in value:
            numbers.append(number)
        if len(numbers) == 1:
            return [numbers[0] for _ in range(dims)]
        return numbers
    return [value for _ in range(dims)]  # type: ignore[misc]


@overridable
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: BroadcastingList1[int],
    stride: Optional[BroadcastingList1[int]] = None,  # noqa: UP045
    padding: BroadcastingList1[int] = 0,
    output_size: Optional[BroadcastingList1[int]] = None,  # noqa: UP045
) -> Tensor:
    kernel = _numbers(kernel_size, 1)
    steps = kernel if stride is None else _numbers(stride, 1)
    sizes = _sizes_before_pool(input, kernel, steps, _numbers(padding, 1), output_size)  # type: ignore[arg-type]
    return _nn.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [sizes[0], 1]).squeeze(-1)


@overridable
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: BroadcastingList2[int],
    stride: Optional[BroadcastingList2[int]] = None,  # noqa: UP045
    padding: BroadcastingList2[int] = 0,
    output_size: Optional[BroadcastingList2[int]] = None,  # noqa: UP045
) -> Tensor:
    kernel = _numbers(kernel_size, 2)
    steps = kernel if stride is None else _numbers(stride, 2)
    return _nn.max_unpool2d(input, indices, _sizes_before_pool(input, kernel, steps, _numbers(padding, 2), output_size))  # type: ignore[arg-type]


@overridable
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: BroadcastingList3[int],
    stride: Optional[BroadcastingList3[int]] = None,  # noqa: UP045
    padding: BroadcastingList3[int] = 0,
    output_size: Optional[BroadcastingList3[int]] = None,  # noqa: UP045
) -> Tensor:
    kernel = _numbers(kernel_size, 3)
    steps = kernel if stride is None else _numbers(stride, 3)
    pads = _numbers(padding, 3)
    return _nn.max_unpool3d(input, indices, _sizes_before_pool(input, kernel, steps, pads, output_size), steps, pads)  # type: ignore[arg-type]


def _shares(input: Tensor, ratio: BroadcastingList3[float], dims: int) -> list[int]:
    """Shares of the sizes of the last dims, rounded down."""
    sizes: list[int] = []
    if isinstance(ratio, (list, tuple)):
        for d in range(dims):
            sizes.append(int(input.size(d - dims) * ratio[d]))
        return sizes
    for d in range(dims):
        sizes.append(int(input.size(d - dims) * ratio))  # type: ignore[operator]
    return sizes


def _unit_samples(input: Tensor, dims: int) -> Tensor:
    batch = 1 if input.dim() == dims + 1 else input.size(0)
    return _VF.rand([batch, input.size(-dims - 1), dims], dtype=input.dtype, device=input.device)


@overridable
def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    output_size: Optional[BroadcastingList2[int]] = None,  # noqa: UP045
    output_ratio: Optional[BroadcastingList2[float]] = None,  # noqa: UP045
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    sizes: list[int] = []
    if output_size is not None:
        sizes = _numbers(output_size, 2)
    elif output_ratio is not None:
        if len(output_ratio) > 2:  # type: ignore[arg-type]
            raise ValueError("fractional_max_pool2d requires output_ratio to either be a single Int or tuple of Ints.")
        sizes = _shares(input, output_ratio, 2)
    else:
        raise ValueError("fractional_max_pool2d requires specifying either an output_size or an output_ratio")
    if _random_samples is None:
        _random_samples = _unit_samples(input, 2)
    return _nn.fractional_max_pool2d(input, kernel_size, sizes, _random_samples)


@overridable
def fractional_max_pool2d(
    input: Tensor,
    kernel_size: BroadcastingList2[int],
    output_size: Optional[BroadcastingList2[int]] = None,  # noqa: UP045
    output_ratio: Optional[BroadcastingList2[float]] = None,  # noqa: UP045
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor:
    if return_indices:
        if not is_scripting():
            return fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)  # type: ignore[return-value]
        raise NotImplementedError("a script calls fractional_max_pool2d_with_indices")
    return fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)[0]


@overridable
def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    output_size: Optional[BroadcastingList3[int]] = None,  # noqa: UP045
    output_ratio: Optional[BroadcastingList3[float]] = None,  # noqa: UP045
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    sizes: list[int] = []
    if output_size is not None:
        sizes = _numbers(output_size, 3)
    elif output_ratio is not None:
        sizes = _shares(input, output_ratio, 3)
    else:
        raise ValueError("fractional_max_pool3d requires specifying either an output_size or an output_ratio")
    if _random_samples is None:
        _random_samples = _unit_samples(input, 3)
    return _nn.fractional_max_pool3d(input, kernel_size, sizes, _random_samples)


@overridable
def fractional_max_pool3d(
    input: Tensor,
    kernel_size: BroadcastingList3[int],
    output_size: Optional[BroadcastingList3[int]] = None,  # noqa: UP045
    output_ratio: Optional[BroadcastingList3[float]] = None,  # noqa: UP045
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Tensor:
    if return_indices:
        if not is_scripting():
            return fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)  # type: ignore[return-value]
        raise NotImplementedError("a script calls fractional_max_pool3d_with_indices")
    return fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)[0]


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
@_resamples
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
            sizes = [size[k] for k in range(dims)]
        else:
            sizes = [size for _ in range(dims)]
    elif scale_factor is not None:
        if isinstance(scale_factor, (list, tuple)):
            if len(scale_factor) != dims:
                raise ValueError(f"Input and scale_factor must have the same number of spatial dimensions, but got input with {dims} of them and scale_factor of shape {scale_factor}.")
            factors = [float(factor) for factor in scale_factor]
        else:
            factors = [float(scale_factor) for _ in range(dims)]
    else:
        raise ValueError("either size or scale_factor should be defined")
    if factors is not None and (mode == "area" or (recompute_scale_factor is not None and recompute_scale_factor)):
        sizes = [int(math.floor(float(input.size(k + 2) * factors[k]))) for k in range(dims)]
        factors = None
    if antialias:
        if mode != "bilinear" and mode != "bicubic" or input.dim() != 4:
            raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input")
        return antialiased(input, sizes, factors, mode == "bicubic", align_corners is not None and align_corners)
    return _resampled(input, sizes, factors, mode, align_corners is not None and align_corners)


def upsample(input: Tensor, size: list[int] | None = None, scale_factor: list[float] | None = None, mode: str = "nearest", align_corners: bool | None = None) -> Tensor:
    """interpolate, in its old spelling."""
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: list[int] | None = None, scale_factor: list[float] | None = None) -> Tensor:
    """interpolate with mode="nearest", in its old spelling."""
    warnings.warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: list[int] | None = None, scale_factor: list[float] | None = None) -> Tensor:
    """interpolate with mode="bilinear" and align_corners=True, in its old spelling."""
    warnings.warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, "bilinear", True)


GRID_SAMPLE_INTERPOLATION_MODES, GRID_SAMPLE_PADDING_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}, {"zeros": 0, "border": 1, "reflection": 2}


@overridable
def grid_sample(input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None) -> Tensor:
    if mode != "bilinear" and mode != "nearest" and mode != "bicubic":
        raise ValueError(f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'")
    if padding_mode != "zeros" and padding_mode != "border" and padding_mode != "reflection":
        raise ValueError(f"nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '{padding_mode}'")
    if mode == "bilinear":
        mode_enum = 0
    elif mode == "nearest":
        mode_enum = 1
    else:
        mode_enum = 2
    if padding_mode == "zeros":
        padding_mode_enum = 0
    elif padding_mode == "border":
        padding_mode_enum = 1
    else:
        padding_mode_enum = 2
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify align_corners=True if the old behavior is desired. "
            "See the documentation of grid_sample for details.",
            stacklevel=3,
        )
        align_corners = False
    return _VF.grid_sampler(input, grid, mode_enum, padding_mode_enum, align_corners)


@overridable
@_symbolically(lambda theta, size, align_corners: _VF.affine_grid_generator(theta, size, bool(align_corners)))
def affine_grid(theta: Tensor, size: list[int], align_corners: bool | None = None) -> Tensor:
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify align_corners=True if the old behavior is desired. "
            "See the documentation of grid_sample for details.",
            stacklevel=3,
        )
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) == 4:
        if theta.dim() != 3 or theta.size(-2) != 2 or theta.size(-1) != 3:
            raise ValueError(f"Expected a batch of 2D affine matrices of shape Nx2x3 for size {size}. Got {theta.shape}.")
    elif len(size) == 5:
        if theta.dim() != 3 or theta.size(-2) != 3 or theta.size(-1) != 4:
            raise ValueError(f"Expected a batch of 3D affine matrices of shape Nx3x4 for size {size}. Got {theta.shape}.")
    else:
        raise NotImplementedError(f"affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size {size}.")
    for n in size:
        if n <= 0:
            raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return _VF.affine_grid_generator(theta, size, align_corners)


# Attention ------------------------------------------------------------------------------------------------------------------------------


def _additive(mask: Tensor, like: Tensor) -> Tensor:
    """A mask as what is added to scores: minus infinity where it is True, in the dtype of `like`."""
    if mask.is_floating_point():
        return mask
    return like.new_zeros(mask.size()).masked_fill(mask, float("-inf"))


def _projections(
    query: Tensor, key: Tensor, value: Tensor, weight: Tensor, bias: Tensor | None
) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value by the parts of one weight: by one product, where they are one tensor."""
    size = query.size(-1)
    if key is value and query is key:
        parts = _nn.linear(query, weight, bias).chunk(3, -1)
        return parts[0].contiguous(), parts[1].contiguous(), parts[2].contiguous()
    first, second, third = weight[:size], weight[size : 2 * size], weight[2 * size :]
    if bias is None:
        return _nn.linear(query, first), _nn.linear(key, second), _nn.linear(value, third)
    return _nn.linear(query, first, bias[:size]), _nn.linear(key, second, bias[size : 2 * size]), _nn.linear(value, third, bias[2 * size :])


@overridable
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    batched = query.dim() == 3
    if query.dim() != 3 and query.dim() != 2:
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor")
    if key.dim() != query.dim() or value.dim() != query.dim():
        raise AssertionError(f"For {query.dim()}-D query, expected key and value to be {query.dim()}-D but found {key.dim()}-D and {value.dim()}-D tensors respectively")
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    if key_padding_mask is not None:
        key_padding_mask = _additive(key_padding_mask, query)
    causal = is_causal and key_padding_mask is None and not need_weights
    if causal:
        attn_mask = None
    mask_dims = 0 if attn_mask is None else attn_mask.dim()  # asked first: in a symbolic trace only a mask from outside has them
    if attn_mask is not None:
        attn_mask = _additive(attn_mask, query)
    if query.size(-1) != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {query.size(-1)}")
    width = embed_dim_to_check // num_heads
    if width * num_heads != embed_dim_to_check:
        raise AssertionError(f"embed_dim {embed_dim_to_check} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        if key.size()[:-1] != value.size()[:-1]:
            raise AssertionError(f"key's sequence and batch dims {key.size()[:-1]} do not match value's {value.size()[:-1]}")
    elif key.size() != value.size():
        raise AssertionError(f"key shape {key.size()} does not match value shape {value.size()}")
    if not batched:  # is_batched is told by the projections from the tensors themselves
        same_keys, same_all = key is value, query is key and key is value
        query = query.unsqueeze(1)
        key = query if same_all else key.unsqueeze(1)
        value = key if same_keys else value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    target, batch = query.size(0), query.size(1)
    if use_separate_proj_weight:
        if q_proj_weight is None or k_proj_weight is None or v_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is True but q_proj_weight, k_proj_weight or v_proj_weight is None")
        size = query.size(-1)
        if in_proj_bias is None:
            q, k, v = _nn.linear(query, q_proj_weight), _nn.linear(key, k_proj_weight), _nn.linear(value, v_proj_weight)
        else:
            q = _nn.linear(query, q_proj_weight, in_proj_bias[:size])
            k = _nn.linear(key, k_proj_weight, in_proj_bias[size : 2 * size])
            v = _nn.linear(value, v_proj_weight, in_proj_bias[2 * size :])
    else:
        if in_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = _projections(query, key, value, in_proj_weight, in_proj_bias)
    one_mask = False  # for every batch and head
    if attn_mask is not None:
        if mask_dims == 2:
            one_mask = key_padding_mask is None
            if attn_mask.size(0) != target or attn_mask.size(1) != key.size(0):
                raise RuntimeError(f"The shape of the 2D attn_mask is {attn_mask.size()}, but should be {[target, key.size(0)]}.")
            attn_mask = attn_mask.unsqueeze(0)
        elif mask_dims == 3:
            if attn_mask.size(0) != batch * num_heads or attn_mask.size(1) != target or attn_mask.size(2) != key.size(0):
                raise RuntimeError(f"The shape of the 3D attn_mask is {attn_mask.size()}, but should be {[batch * num_heads, target, key.size(0)]}.")
        else:
            raise RuntimeError(f"attn_mask's dimension {mask_dims} is not supported")
    if bias_k is not None and bias_v is not None:
        k, v = _VF.cat([k, bias_k.repeat(1, batch, 1)]), _VF.cat([v, bias_v.repeat(1, batch, 1)])
        if attn_mask is not None:
            attn_mask = pad(attn_mask, [0, 1])
        if key_padding_mask is not None:
            key_padding_mask = pad(key_padding_mask, [0, 1])
    q = q.view(target, batch * num_heads, width).transpose(0, 1)
    k = k.view(k.size(0), batch * num_heads, width).transpose(0, 1) if static_k is None else static_k
    v = v.view(v.size(0), batch * num_heads, width).transpose(0, 1) if static_v is None else static_v
    if add_zero_attn:
        k = _VF.cat([k, k.new_zeros([batch * num_heads, 1, width])], 1)
        v = _VF.cat([v, v.new_zeros([batch * num_heads, 1, width])], 1)
        if attn_mask is not None:
            attn_mask = pad(attn_mask, [0, 1])
        if key_padding_mask is not None:
            key_padding_mask = pad(key_padding_mask, [0, 1])
    source = k.size(1)
    if key_padding_mask is not None:
        if key_padding_mask.size(0) != batch or key_padding_mask.size(1) != source:
            raise AssertionError(f"expecting key_padding_mask shape of {(batch, source)}, but got {key_padding_mask.size()}")
        hidden = key_padding_mask.view(batch, 1, 1, source).expand(-1, num_heads, -1, -1).reshape(batch * num_heads, 1, source)
        attn_mask = hidden if attn_mask is None else attn_mask + hidden
    if not training:
        dropout_p = 0.0
    if need_weights:
        scaled = q * math.sqrt(1.0 / float(width))
        if attn_mask is not None:
            weights = softmax(_VF.baddbmm(attn_mask, scaled, k.transpose(-2, -1)), -1)
        else:
            weights = softmax(_VF.bmm(scaled, k.transpose(-2, -1)), -1)
        if dropout_p > 0.0:
            weights = dropout(weights, dropout_p)
        mixed = _VF.bmm(weights, v).transpose(0, 1).contiguous().view(target * batch, embed_dim_to_check)
        output = _nn.linear(mixed, out_proj_weight, out_proj_bias)
        output = output.view(target, batch, output.size(1))
        weights = weights.view(batch, num_heads, target, source)
        if average_attn_weights:
            weights = weights.mean(dim=1)
        if not batched:
            return output.squeeze(1), weights.squeeze(0)
        return output, weights
    if attn_mask is not None:
        if one_mask:
            attn_mask = attn_mask.unsqueeze(0)
        else:
            attn_mask = attn_mask.view(batch, num_heads, -1, source)
    q, k, v = q.view(batch, num_heads, target, width), k.view(batch, num_heads, source, width), v.view(batch, num_heads, source, width)
    mixed = _nn.scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, causal)
    mixed = mixed.permute(2, 0, 1, 3).contiguous().view(batch * target, embed_dim_to_check)
    output = _nn.linear(mixed, out_proj_weight, out_proj_bias)
    output = output.view(target, batch, output.size(1))
    if not batched:
        return output.squeeze(1), None
    return output, None


@overridable
def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Each vector along `dim` divided by its norm of order `p`, or by `eps` where the norm is less.

    dim: a dim; outside of TorchScript also several.
    out: where the result is written; such a call is not differentiated.

        >>> F.normalize(torch.tensor([[3.0, 4.0], [0.0, 0.0]]))
        tensor([[0.6000, 0.8000],
                [0.0000, 0.0000]])
    """
    size = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    if out is None:
        return input / size
    return _VF.div(input, size, out=out)


logsigmoid = _nn.log_sigmoid

# What PyTorch has here without a function in Python: its records are there as they are.
_known, _here = {**vars(_VF), **vars(_nn)}, globals()
_here.update({n: _known[n] for n in NAMES[__name__.replace("monograph", "torch")].split() if n in _known and n not in _here})
