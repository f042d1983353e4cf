"""Activations as layers, and MultiheadAttention. A layer keeps its settings and calls the function of nn.functional."""

from __future__ import annotations

import warnings
from typing import Any

from ... import _C, _VF
from ..._jit_internal import is_scripting
from ..._tensor import Tensor
from .. import functional as F, init
from ..parameter import Parameter
from .linear import NonDynamicallyQuantizableLinear, _empty
from .module import Module


class _Inplace(Module):
    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(_Inplace):
    """x where it is positive, else 0.

    Args:
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.ReLU()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([0.0000, 0.5000, 2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, inplace=self.inplace)


class ReLU6(_Inplace):
    """x, kept between 0 and 6.

    Args:
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.ReLU6()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([0.0000, 0.5000, 2.0000])
    """

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "min_val": 0.0, "max_val": 6.0}  # which PyTorch's forward reads

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, min_val=0.0, max_val=6.0, inplace=self.inplace)


class SELU(_Inplace):
    """ELU with the alpha and scale that keep a network's mean at 0 and variance at 1.

    Args:
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.SELU()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-1.3658,  0.5254,  2.1014])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, inplace=self.inplace)


class SiLU(_Inplace):
    """x * sigmoid(x).

    Args:
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.SiLU()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-0.2736,  0.3112,  1.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)


class Mish(_Inplace):
    """x * tanh(softplus(x)).

    Args:
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.Mish()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-0.2981,  0.3752,  1.9440])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, inplace=self.inplace)


class Hardsigmoid(_Inplace):
    """relu6(x + 3) / 6, a sigmoid of straight lines.

    Args:
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.Hardsigmoid()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([0.2500, 0.5833, 0.8333])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


class Hardswish(_Inplace):
    """x * relu6(x + 3) / 6.

    Args:
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.Hardswish()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-0.3750,  0.2917,  1.6667])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)


class Hardtanh(Module):
    """x, kept between min_val and max_val.

    Args:
        min_val: the smallest value.
        max_val: the largest value.
        inplace: True writes the result into the input.
        min_value, max_value: old names of min_val and max_val, with a FutureWarning.

    >>> import monograph as torch
    >>> layer = torch.nn.Hardtanh()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """

    def __init__(
        self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False, min_value: float | None = None, max_value: float | None = None
    ) -> None:
        super().__init__()
        if min_value is not None:
            warnings.warn("keyword argument `min_value` is deprecated and renamed to `min_val`", FutureWarning, stacklevel=2)
            min_val = min_value
        if max_value is not None:
            warnings.warn("keyword argument `max_value` is deprecated and renamed to `max_val`", FutureWarning, stacklevel=2)
            max_val = max_value
        assert max_val > min_val, f"max_val ({max_val}) must be greater than min_val ({min_val})"
        self.min_val, self.max_val, self.inplace = min_val, max_val, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")


class LeakyReLU(Module):
    """x where it is positive, else negative_slope * x.

    Args:
        negative_slope: the factor of negative elements.
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.LeakyReLU()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-0.0150,  0.5000,  2.0000])
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class ELU(Module):
    """x where it is positive, else alpha * (exp(x) - 1).

    Args:
        alpha: the scale of negative elements.
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.ELU()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-0.7769,  0.5000,  2.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class GELU(Module):
    """x times the normal distribution's cumulative function at x.

    Args:
        approximate: "none", or "tanh" for an approximation.

    >>> import monograph as torch
    >>> layer = torch.nn.GELU()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-0.1002,  0.3457,  1.9545])
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Tanh(Module):
    """The hyperbolic tangent.

    >>> import monograph as torch
    >>> layer = torch.nn.Tanh()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-0.9051,  0.4621,  0.9640])
    """

    def forward(self, input: Tensor) -> Tensor:
        return _VF.tanh(input)


class Sigmoid(Module):
    """1 / (1 + exp(-x)).

    >>> import monograph as torch
    >>> layer = torch.nn.Sigmoid()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([0.1824, 0.6225, 0.8808])
    """

    def forward(self, input: Tensor) -> Tensor:
        return _VF.sigmoid(input)


class LogSigmoid(Module):
    """log(sigmoid(x)), without overflow.

    >>> import monograph as torch
    >>> layer = torch.nn.LogSigmoid()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-1.7014, -0.4741, -0.1269])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta, a smooth ReLU.

    Args:
        beta: how steep it is at 0.
        threshold: where beta * x is above it, x itself is taken.

    >>> import monograph as torch
    >>> layer = torch.nn.Softplus()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([0.2014, 0.9741, 2.1269])
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Softmax(Module):
    """exp(x), scaled so that it sums to 1 along a dim.

    Args:
        dim: the dim along which the result sums to 1.

    >>> import monograph as torch
    >>> layer = torch.nn.Softmax(dim=0)
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([0.0241, 0.1780, 0.7979])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    """The logarithm of softmax, computed as one.

    Args:
        dim: the dim along which the probabilities sum to 1.

    >>> import monograph as torch
    >>> layer = torch.nn.LogSoftmax(dim=0)
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-3.7258, -1.7258, -0.2258])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)


class CELU(Module):
    """x where it is positive, else alpha * (exp(x / alpha) - 1).

    Args:
        alpha: the scale of negative elements.
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.CELU()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-0.7769,  0.5000,  2.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class GLU(Module):
    """The first half of a dim times the sigmoid of the second half.

    Args:
        dim: the dim that is halved.

    >>> import monograph as torch
    >>> layer = torch.nn.GLU()
    >>> layer(torch.tensor([1.0, 2.0, 0.0, 1.0]))
    tensor([0.5000, 1.4621])
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class _Shrink(Module):
    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(_Shrink):
    """x where it is farther from 0 than lambd, else 0.

    Args:
        lambd: where the function changes.

    >>> import monograph as torch
    >>> layer = torch.nn.Hardshrink()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-1.5000,  0.0000,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """x moved towards 0 by lambd, and 0 where it is nearer.

    Args:
        lambd: where the function changes.

    >>> import monograph as torch
    >>> layer = torch.nn.Softshrink()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-1.0000,  0.0000,  1.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class Threshold(Module):
    """x where it is above the threshold, else a value.

    Args:
        threshold: where the function changes.
        value: what the other elements become.
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.Threshold(1.0, 20.0)
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([20., 20.,  2.])
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")


class RReLU(Module):
    """x where it is positive, else a random slope times x; in eval(), the mean of the slopes.

    Args:
        lower: the smallest slope that is drawn.
        upper: the largest slope that is drawn.
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.RReLU().eval()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-0.3438,  0.5000,  2.0000])
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")


class PReLU(Module):
    """Negative elements times a slope that is learned: one, or one for each channel.

    Args:
        num_parameters: 1, or the number of channels.
        init: the first value of the slopes.
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.PReLU()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-0.3750,  0.5000,  2.0000], grad_fn=<PreluKernelBackward0>)
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(_empty(num_parameters, dtype=dtype, device=device))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Softsign(Module):
    """x / (1 + |x|).

    >>> import monograph as torch
    >>> layer = torch.nn.Softsign()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-0.6000,  0.3333,  0.6667])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x).

    >>> import monograph as torch
    >>> layer = torch.nn.Tanhshrink()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-0.5949,  0.0379,  1.0360])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class Softmin(Softmax):
    """Softmax of -x.

    Args:
        dim: the dim along which the result sums to 1.

    >>> import monograph as torch
    >>> layer = torch.nn.Softmin(dim=0)
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([0.8580, 0.1161, 0.0259])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Softmax over the channels of each pixel.

    >>> import monograph as torch
    >>> layer = torch.nn.Softmax2d()
    >>> layer(torch.zeros(1, 2, 1, 2)).shape
    torch.Size([1, 2, 1, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        if not is_scripting():
            _C._assume_dims(input, 4)  # the graph of a symbolic trace is made for a batch, and checks it
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)


def _assume_batched(*tensors: Tensor) -> None:
    """A symbolic trace does not know whether there is a batch: its graph is made for one, and checks that it is there."""
    for tensor in tensors:
        _C._assume_dims(tensor, 3)


class MultiheadAttention(Module):
    """Attention of several heads, each over a part of the features.

    Args:
        embed_dim: how many features the queries have.
        num_heads: how many heads there are.
        dropout: the probability that an element becomes 0 in training.
        bias: whether a learned number is added.
        add_bias_kv: whether a learned key and value are added.
        add_zero_attn: whether a key and value of zeros are added.
        kdim: how many features the keys have; None: embed_dim.
        vdim: how many features the values have; None: embed_dim.
        batch_first: whether the batch is the first dim instead of the second.
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.MultiheadAttention(4, 2)
    >>> layer(torch.zeros(5, 1, 4), torch.zeros(5, 1, 4), torch.zeros(5, 1, 4))[0].shape
    torch.Size([5, 1, 4])
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False, add_zero_attn: bool = False,
        kdim: int | None = None, vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} instead")
        self.embed_dim, self.num_heads, self.dropout, self.batch_first, self.add_zero_attn = embed_dim, num_heads, dropout, batch_first, add_zero_attn
        self.kdim, self.vdim = embed_dim if kdim is None else kdim, embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError(f"embed_dim must be divisible by num_heads, but got embed_dim={embed_dim} and num_heads={num_heads}")
        options = {"dtype": dtype, "device": device}

        def parameter(wanted: bool, *size: int) -> Parameter | None:
            return Parameter(_empty(*size, **options)) if wanted else None

        same = self._qkv_same_embed_dim
        self.register_parameter("q_proj_weight", parameter(not same, embed_dim, embed_dim))
        self.register_parameter("k_proj_weight", parameter(not same, embed_dim, self.kdim))
        self.register_parameter("v_proj_weight", parameter(not same, embed_dim, self.vdim))
        self.register_parameter("in_proj_weight", parameter(same, 3 * embed_dim, embed_dim))
        self.register_parameter("in_proj_bias", parameter(bias, 3 * embed_dim))
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **options)
        self.bias_k = parameter(add_bias_kv, 1, 1, embed_dim)
        self.bias_v = parameter(add_bias_kv, 1, 1, embed_dim)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        if self.in_proj_weight is not None:
            init.xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        if self.bias_k is not None:
            init.xavier_normal_(self.bias_k)
        if self.bias_v is not None:
            init.xavier_normal_(self.bias_v)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None, need_weights: bool = True, attn_mask: Tensor | None = None,
        average_attn_weights: bool = True, is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:  # fmt: skip
        if not is_scripting():
            _assume_batched(query, key, value)
        swap = self.batch_first and query.dim() == 3
        if swap:  # what is one tensor stays one
            same_keys, same_all = key is value, query is key and key is value
            query = query.transpose(1, 0)
            key = query if same_all else key.transpose(1, 0)
            value = key if same_keys else value.transpose(1, 0)
            if not is_scripting():
                _assume_batched(query, key, value)
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn, self.dropout,
            self.out_proj.weight, self.out_proj.bias, training=self.training, key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim, q_proj_weight=self.q_proj_weight, k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight, average_attn_weights=average_attn_weights, is_causal=is_causal,
        )  # fmt: skip
        return (output.transpose(1, 0) if swap else output), weights

    def merge_masks(self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor) -> tuple[Tensor | None, int | None]:
        """One mask of both, and its kind: None where there is none, 1 for a padding mask alone, 2 for a mask of shape (batch, heads, queries, keys).

        Args:
            attn_mask: numbers to add to the scores, of shape (queries, keys) or (batch * heads, queries, keys).
            key_padding_mask: numbers to add to the scores of each key, of shape (batch, keys).
            query: the queries, of shape (batch, queries, features).
        """
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return merged, 2
