"""nn.Transformer with its encoder, decoder and layers.

They are written with MultiheadAttention, Linear, LayerNorm and Dropout, as in PyTorch, but without PyTorch's fast path for inference.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ... import _VF
from ..._C import device as Device, dtype as DType
from ..._jit_internal import is_scripting
from ..._tensor import Tensor
from .. import functional as F, init
from .activation import MultiheadAttention, _assume_batched
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm


def _get_clones(module: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


def _get_activation_fn(activation: str | Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    if not isinstance(activation, str):
        return activation
    if activation == "relu":
        return F.relu
    if activation == "gelu":
        return F.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {activation}")


def _causal_mask(size: int, device: Device | None = None, dtype: DType | None = None) -> Tensor:
    """Minus infinity where a query comes before a key."""
    places = _VF.arange(size, device=device)
    later = places.unsqueeze(0) > places.unsqueeze(1)
    return _VF.zeros(size, size, device=device, dtype=dtype).masked_fill(later, float("-inf"))


def _is_causal(mask: Tensor, is_causal: bool | None, size: int) -> bool:
    """What the caller says, or whether the mask is the causal one."""
    if is_causal is not None:
        return is_causal
    if not mask.is_floating_point() or mask.dim() != 2 or mask.size(0) != size or mask.size(1) != size:
        return False
    return bool((mask == _causal_mask(size, mask.device, mask.dtype)).all())


class _TransformerLayer(Module):
    """What layers of an encoder and of a decoder share: the two linear layers and what lies around each part."""

    def _make(self, d_model: int, dim_feedforward: int, dropout: float, eps: float, bias: bool, parts: int, options: dict[str, Any]) -> None:
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **options)
        for k in range(1, parts + 1):
            setattr(self, f"norm{k}", LayerNorm(d_model, eps=eps, bias=bias, **options))
        for k in range(1, parts + 1):
            setattr(self, f"dropout{k}", Dropout(dropout))

    # The parts of a layer have PyTorch's names and arguments: layers of other packages call them, and put their own in their place.
    def _sa_block(self, x: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False) -> Tensor:
        return self.dropout1(self.self_attn(x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal, need_weights=False)[0])


class TransformerEncoderLayer(_TransformerLayer):
    """Self-attention and two linear layers, each with a residual and a norm.

    Args:
        d_model: how many features there are.
        nhead: how many heads there are.
        dim_feedforward: how many features the linear layers have between them.
        dropout: the probability that an element becomes 0 in training.
        activation: "relu", "gelu" or a function.
        layer_norm_eps: eps of the norms.
        batch_first: whether the batch is the first dim instead of the second.
        norm_first: whether a norm comes before each part instead of behind it.
        bias: whether a learned number is added.
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.TransformerEncoderLayer(4, 2, 8)
    >>> layer(torch.zeros(5, 1, 4)).shape
    torch.Size([5, 1, 4])
    """

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = F.relu, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **options)
        self.norm_first = norm_first
        self._make(d_model, dim_feedforward, dropout, layer_norm_eps, bias, 2, options)
        self.activation = _get_activation_fn(activation)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))

    def forward(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, is_causal: bool = False) -> Tensor:
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), src_mask, src_key_padding_mask, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(x + self._ff_block(x))


class TransformerDecoderLayer(_TransformerLayer):
    """Self-attention, attention to the encoder's memory, and two linear layers, each with a residual and a norm.

    Args:
        d_model: how many features there are.
        nhead: how many heads there are.
        dim_feedforward: how many features the linear layers have between them.
        dropout: the probability that an element becomes 0 in training.
        activation: "relu", "gelu" or a function.
        layer_norm_eps: eps of the norms.
        batch_first: whether the batch is the first dim instead of the second.
        norm_first: whether a norm comes before each part instead of behind it.
        bias: whether a learned number is added.
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.TransformerDecoderLayer(4, 2, 8)
    >>> layer(torch.zeros(5, 1, 4), torch.zeros(3, 1, 4)).shape
    torch.Size([5, 1, 4])
    """

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1, activation: Any = F.relu, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, bias=bias, **options)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, bias=bias, **options)
        self.norm_first = norm_first
        self._make(d_model, dim_feedforward, dropout, layer_norm_eps, bias, 3, options)
        self.activation = _get_activation_fn(activation)

    def _mha_block(self, x: Tensor, mem: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None, is_causal: bool = False) -> Tensor:
        attended = self.multihead_attn(x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal, need_weights=False)
        return self.dropout2(attended[0])

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), tgt_mask, tgt_key_padding_mask, tgt_is_causal)
            x = x + self._mha_block(self.norm2(x), memory, memory_mask, memory_key_padding_mask, memory_is_causal)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal))
        x = self.norm2(x + self._mha_block(x, memory, memory_mask, memory_key_padding_mask, memory_is_causal))
        return self.norm3(x + self._ff_block(x))


def _is_batch_first(layer: Any) -> bool:
    return bool(getattr(getattr(layer, "self_attn", None), "batch_first", False))


class TransformerEncoder(Module):
    """Copies of one layer, one after another.

    Args:
        encoder_layer: one layer, which is copied
        num_layers: how many layers there are
        norm: a layer behind the last one, or None
        enable_nested_tensor: accepted for PyTorch's sake: padding is computed here
        mask_check: accepted for PyTorch's sake; it changes nothing
    """

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True, mask_check: bool = True) -> None:
        super().__init__()
        self.layers, self.num_layers, self.norm = _get_clones(encoder_layer, num_layers), num_layers, norm
        self.batch_first = _is_batch_first(encoder_layer)
        self.enable_nested_tensor, self.use_nested_tensor, self.mask_check = enable_nested_tensor, False, mask_check

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "batch_first" not in state:  # in files of PyTorch
            self.batch_first = _is_batch_first(self.layers[0])

    def forward(self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None, is_causal: bool | None = None) -> Tensor:
        if src_key_padding_mask is not None:
            src_key_padding_mask = F._additive(src_key_padding_mask, src)
        if mask is not None:
            mask = F._additive(mask, src)
        causal = mask is not None and _is_causal(mask, is_causal, src.size(1 if self.batch_first and src.dim() == 3 else 0))
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=src_key_padding_mask)
        return output if self.norm is None else self.norm(output)


class TransformerDecoder(Module):
    """Copies of one layer, one after another.

    Args:
        decoder_layer: one layer, which is copied
        num_layers: how many layers there are
        norm: a layer behind the last one, or None
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers, self.num_layers, self.norm = _get_clones(decoder_layer, num_layers), num_layers, norm
        self.batch_first = _is_batch_first(decoder_layer)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "batch_first" not in state:
            self.batch_first = _is_batch_first(self.layers[0])

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        causal = tgt_mask is not None and _is_causal(tgt_mask, tgt_is_causal, tgt.size(1 if self.batch_first and tgt.dim() == 3 else 0))
        output = tgt
        for layer in self.layers:
            output = layer(
                output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=causal, memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder and a decoder.

    Args:
        d_model: how many features there are.
        nhead: how many heads there are.
        num_encoder_layers: how many layers the encoder has.
        num_decoder_layers: how many layers the decoder has.
        dim_feedforward: how many features the linear layers have between them.
        dropout: the probability that an element becomes 0 in training.
        activation: "relu", "gelu" or a function.
        custom_encoder: a module to use as the encoder.
        custom_decoder: a module to use as the decoder.
        layer_norm_eps: eps of the norms.
        batch_first: whether the batch is the first dim instead of the second.
        norm_first: whether a norm comes before each part instead of behind it.
        bias: whether a learned number is added.
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.Transformer(4, 2, 1, 1, 8)
    >>> layer(torch.zeros(5, 1, 4), torch.zeros(3, 1, 4)).shape
    torch.Size([3, 1, 4])
    """

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Any = F.relu, custom_encoder: Any = None, custom_decoder: Any = None, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        options = {"device": device, "dtype": dtype}
        layer = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias)
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            one: Module = TransformerEncoderLayer(*layer, **options)
            self.encoder = TransformerEncoder(one, num_encoder_layers, LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **options))
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            one = TransformerDecoderLayer(*layer, **options)
            self.decoder = TransformerDecoder(one, num_decoder_layers, LayerNorm(d_model, eps=layer_norm_eps, bias=bias, **options))
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None, tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Tensor:  # fmt: skip
        if not is_scripting():
            _assume_batched(src, tgt)
        batched = src.dim() == 3
        if not self.batch_first and batched and src.size(1) != tgt.size(1) or self.batch_first and batched and src.size(0) != tgt.size(0):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal,
        )  # fmt: skip

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Minus infinity where a query comes before a key, else 0."""
        return _causal_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for weight in self.parameters():
            if weight.dim() > 1:
                init.xavier_uniform_(weight)
