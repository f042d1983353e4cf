from __future__ import annotations

from typing import Any

from ... import _C
from ..._jit_internal import is_scripting
from ..._tensor import Tensor
from .. import functional as F, init
from ..parameter import Parameter
from .linear import NonDynamicallyQuantizableLinear, _empty
from .module import Module


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
