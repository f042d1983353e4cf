"""torch.nn.init: first values of parameters, drawn as PyTorch draws them.

Each function ending in _ writes into its tensor without a gradient, and returns the tensor. `generator` is the generator that is drawn from, the
default one where it is None. A tensor on the meta device stays as it is. The names without _ are old ones, which warn.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

from .. import _C, _VF
from .._tensor import Tensor
from ..autograd.grad_mode import no_grad

__all__ = [
    "calculate_gain", "uniform_", "normal_", "trunc_normal_", "constant_", "ones_", "zeros_", "eye_", "dirac_", "xavier_uniform_", "xavier_normal_",
    "kaiming_uniform_", "kaiming_normal_", "orthogonal_", "sparse_",
]  # fmt: skip


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: _C.Generator | None = None) -> Tensor:
    """Draws evenly from [a, b).

    Args:
        tensor: the tensor to fill
        a: the lower bound
        b: the upper bound
        generator: the generator that draws the numbers; None: the default one

        >>> nn.init.uniform_(torch.empty(2, 3), -1, 1).abs().max() <= 1
        tensor(True)
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: _C.Generator | None = None) -> Tensor:
    """Draws from the normal distribution of this mean and standard deviation.

    Args:
        tensor: the tensor to fill
        mean: the mean
        std: the standard deviation
        generator: the generator that draws the numbers; None: the default one

        >>> nn.init.normal_(torch.empty(2, 3)).shape
        torch.Size([2, 3])
    """
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: _C.Generator | None = None) -> Tensor:
    """Draws from the normal distribution, again where a value is not in [a, b].

    mean, std: of the distribution. It is right where a <= mean <= b; a warning says where the mean is far outside.

    Args:
        tensor: the tensor to fill
        mean: the mean of the normal distribution
        std: its standard deviation
        a: the smallest number that is taken
        b: the largest one
        generator: the generator that draws the numbers; None: the default one

        >>> nn.init.trunc_normal_(torch.empty(100), std=5.0).abs().max() <= 2
        tensor(True)
    """
    if tensor.is_meta:
        return tensor
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect.", stacklevel=2
        )
    with no_grad():
        if _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std) > 0.3:
            _draw_again(tensor, mean, std, a, b, generator)
        else:
            _draw_by_density(tensor, mean, std, a, b, generator)
    return tensor


def _normal_cdf(x: float) -> float:
    """How likely a standard normal value is less than x."""
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _draw_again(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: _C.Generator | None) -> None:
    """Normal values, drawn anew as a whole until none is outside: each keeps the first that fits."""
    low, high = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()  # as the dtype holds them
    result = tensor.normal_(mean, std, generator=generator)
    while True:
        outside = (result < low) | (result > high)
        if not bool(outside.any()):
            break
        result = _VF.where(outside, _VF.empty_like(result).normal_(mean, std, generator=generator), result)
    if result is not tensor:
        tensor.copy_(result)


def _draw_by_density(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: _C.Generator | None) -> None:
    """Even values, each kept as likely as the density there is below the greatest one: for a range where few normal values fall."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2

    def refused(values: Tensor) -> Tensor:
        density = values.sub(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        return _VF.empty_like(tensor).uniform_(generator=generator).log_().gt(density)

    result = tensor.uniform_(a, b, generator=generator)
    pending = refused(result)
    while bool(pending.any()):
        values = _VF.empty_like(tensor).uniform_(a, b, generator=generator)
        result = _VF.where(pending, values, result)
        pending = _VF.where(pending, refused(values), pending)
    if result is not tensor:
        tensor.copy_(result)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Writes one number everywhere.

    Args:
        tensor: the tensor to fill
        val: the number

        >>> nn.init.constant_(torch.empty(2), 0.5)
        tensor([0.5000, 0.5000])
    """
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Writes ones.

        >>> nn.init.ones_(torch.empty(2))
        tensor([1., 1.])
    """
    with no_grad():
        return tensor.fill_(1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Writes zeros.

        >>> nn.init.zeros_(torch.empty(2))
        tensor([0., 0.])
    """
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Writes ones along the diagonal of a matrix and zeros elsewhere. Raises ValueError for a tensor that is no matrix.

        >>> nn.init.eye_(torch.empty(2, 3))
        tensor([[1., 0., 0.],
                [0., 1., 0.]])
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    zeros_(tensor)
    with no_grad():
        tensor.diagonal().fill_(1)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Writes the weight of a convolution that gives its input channels as they are, as many as there are outputs for.

    groups: of the convolution. Raises ValueError for a tensor without 3, 4 or 5 dims, or whose first dim the groups do not divide.

    Args:
        tensor: a tensor of 3, 4 or 5 dims
        groups: how many groups the convolution has

        >>> nn.init.dirac_(torch.empty(2, 2, 3))
        tensor([[[0., 1., 0.],
                 [0., 0., 0.]],
        <BLANKLINE>
                [[0., 0., 0.],
                 [0., 1., 0.]]])
    """
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    if tensor.is_meta:
        return tensor
    outputs = tensor.size(0) // groups
    middle = tuple(n // 2 for n in tensor.shape[2:])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(outputs, tensor.size(1))):
                tensor[(group * outputs + channel, channel, *middle)] = 1
    return tensor


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps variances through a layer with this activation.

    param: the slope of "leaky_relu", 0.01 where it is None. Raises ValueError for another activation.

    Args:
        nonlinearity: the name of the function behind the layer, for example "relu"
        param: the slope of leaky_relu; None: 0.01

        >>> nn.init.calculate_gain("leaky_relu", 0.2)
        1.3867504905630728
    """
    if nonlinearity in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid"):
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    receptive = 1
    for n in tensor.shape[2:]:
        receptive *= n
    return tensor.size(1) * receptive, tensor.size(0) * receptive


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: _C.Generator | None = None) -> Tensor:
    """Draws evenly, in a range by the numbers of inputs and outputs (Glorot). Raises ValueError for a tensor with fewer than two dims.

    Args:
        tensor: a tensor of 2 or more dims
        gain: a factor
        generator: the generator that draws the numbers; None: the default one

        >>> nn.init.xavier_uniform_(torch.empty(3, 3)).abs().max() <= 1
        tensor(True)
    """
    inputs, outputs = _calculate_fan_in_and_fan_out(tensor)
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / (inputs + outputs))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: _C.Generator | None = None) -> Tensor:
    """Draws from a normal distribution by the numbers of inputs and outputs (Glorot). Raises ValueError for a tensor with fewer than two dims.

    Args:
        tensor: a tensor of 2 or more dims
        gain: a factor
        generator: the generator that draws the numbers; None: the default one

        >>> nn.init.xavier_normal_(torch.empty(3, 3)).shape
        torch.Size([3, 3])
    """
    inputs, outputs = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / (inputs + outputs)), generator)


def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: _C.Generator | None = None) -> Tensor:
    """Draws evenly, in a range by the number of inputs or outputs (He).

    a: the slope of the leaky_relu that follows. mode: "fan_in" keeps variances forward, "fan_out" backward. nonlinearity: as in calculate_gain.

    Args:
        tensor: the tensor to fill
        a: the negative slope of leaky_relu
        mode: "fan_in" keeps the variance in the forward pass, "fan_out" in the backward pass
        nonlinearity: the name of the function behind the layer
        generator: the generator that draws the numbers; None: the default one

        >>> nn.init.kaiming_uniform_(torch.empty(3, 6), nonlinearity="relu").abs().max() <= 1
        tensor(True)
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    bound = math.sqrt(3.0) * (calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode)))
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: _C.Generator | None = None) -> Tensor:
    """Draws from a normal distribution by the number of inputs or outputs (He). The arguments are those of kaiming_uniform_.

    Args:
        tensor: the tensor to fill
        a: the negative slope of leaky_relu
        mode: "fan_in" keeps the variance in the forward pass, "fan_out" in the backward pass
        nonlinearity: the name of the function behind the layer
        generator: the generator that draws the numbers; None: the default one

        >>> nn.init.kaiming_normal_(torch.empty(3, 6), mode="fan_out").shape
        torch.Size([3, 6])
    """
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    return normal_(tensor, 0, calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode)), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: _C.Generator | None = None) -> Tensor:
    """Writes a matrix with orthogonal rows or columns, `gain` times: the Q of a random matrix. Dims after the first count as one.

    Raises ValueError for a tensor with fewer than two dims. LAPACK computes PyTorch's Q, so last digits differ.

    Args:
        tensor: a tensor of 2 or more dims
        gain: a factor
        generator: the generator that draws the numbers; None: the default one

        >>> w = nn.init.orthogonal_(torch.empty(3, 5))
        >>> torch.allclose(w @ w.T, torch.eye(3), atol=1e-6)
        True
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0 or tensor.is_meta:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with no_grad():
        drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        q, r = _C._linalg.linalg_qr(drawn.t() if rows < columns else drawn)
        q = q * r.diagonal().sign()  # which makes it even among all orthogonal matrices
        tensor.copy_((q.t() if rows < columns else q).reshape(tensor.shape))
        tensor.mul_(gain)
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: _C.Generator | None = None) -> Tensor:
    """Draws a matrix from a normal distribution, and zeroes this fraction of each column at random places, which the default generator chooses.

    Raises ValueError for a tensor that is no matrix.

    Args:
        tensor: a matrix
        sparsity: which share of each column becomes 0
        std: the standard deviation of the others
        generator: the generator that draws the numbers; None: the default one

        >>> (nn.init.sparse_(torch.empty(4, 2), 0.5) == 0).sum(0)
        tensor([2, 2])
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    if tensor.is_meta:
        return tensor
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[_VF.randperm(rows)[:zeros], column] = 0
    return tensor


def _old_name(new: Callable[..., Any]) -> Callable[..., Any]:
    name = new.__name__.removesuffix("_")

    @functools.wraps(new)
    def call(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{new.__name__}`.", FutureWarning, stacklevel=2)
        return new(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The old name of {new.__name__}."
    return call


uniform, normal, constant, eye, dirac = _old_name(uniform_), _old_name(normal_), _old_name(constant_), _old_name(eye_), _old_name(dirac_)
xavier_uniform, xavier_normal = _old_name(xavier_uniform_), _old_name(xavier_normal_)
kaiming_uniform, kaiming_normal = _old_name(kaiming_uniform_), _old_name(kaiming_normal_)
orthogonal, sparse = _old_name(orthogonal_), _old_name(sparse_)
__all__ += [f.__name__ for f in (uniform, normal, constant, eye, dirac, xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal, orthogonal, sparse)]
