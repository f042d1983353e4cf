"""torch.nn.attention.bias: causal masks for scaled_dot_product_attention whose queries and keys differ in number."""

from __future__ import annotations

import enum
import warnings
from typing import Any

from ... import _VF, _dtypes
from ..._tensor import Tensor
from .. import functional

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(enum.IntEnum):
    """Which corner of the mask the diagonal goes through, where it is not square."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


def _mask(variant: CausalVariant, queries: int, keys: int) -> Tensor:
    diagonal = keys - queries if variant == CausalVariant.LOWER_RIGHT else 0
    return _VF.ones((queries, keys), dtype=_dtypes.bool).tril(diagonal)


class CausalBias(Tensor):
    """The mask itself, as a tensor of bools, for `attn_mask` of scaled_dot_product_attention.

    Args:
        variant: the corner through which the diagonal goes
        seq_len_q: how many queries there are
        seq_len_kv: how many keys there are
    """

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        return _mask(variant, seq_len_q, seq_len_kv).as_subclass(cls)

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> None:
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warnings.warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!", stacklevel=2)

    def _materialize(self, device: Any = None) -> Tensor:
        """The mask as a plain tensor."""
        return _mask(self.variant, self.seq_len_q, self.seq_len_kv).to(device or "cpu")

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is functional.scaled_dot_product_attention:
            return _attend(*args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs)

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return repr(self._materialize())


def _attend(query: Tensor, key: Tensor, value: Tensor, attn_mask: CausalBias, dropout_p: float = 0.0, is_causal: bool = False, **options: Any) -> Tensor:
    if is_causal:
        raise ValueError("CausalBias should not be used with causal=True")
    return functional.scaled_dot_product_attention(query, key, value, attn_mask._materialize(query.device), dropout_p, **options)


def causal_upper_left(*size: int) -> CausalBias:
    """A causal mask whose diagonal begins in the upper left corner: query k sees the keys up to k.

    >>> torch.nn.attention.bias.causal_upper_left(2, 3)
    tensor([[ True, False, False],
            [ True,  True, False]])
    """
    return _of_two(CausalVariant.UPPER_LEFT, size)


def causal_lower_right(*size: int) -> CausalBias:
    """A causal mask whose diagonal ends in the lower right corner: the last query sees all keys.

    >>> torch.nn.attention.bias.causal_lower_right(2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """
    return _of_two(CausalVariant.LOWER_RIGHT, size)


def _of_two(variant: CausalVariant, size: tuple[int, ...]) -> CausalBias:
    if len(size) != 2:
        raise AssertionError(f"causal bias only supports 2D tensors, got {len(size)}D")
    return CausalBias(variant, *size)
