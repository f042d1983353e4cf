"""nn.Embedding: a table of rows, which F.embedding reads by index."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from .. import functional as F, init
from ..parameter import Parameter
from .linear import _empty
from .module import Module


class Embedding(Module):
    """Rows of a table by their numbers.

    Args:
        num_embeddings: how many rows there are.
        embedding_dim: how many numbers a row has.
        padding_idx: the row that is 0 at first and gets no gradient.
        max_norm: not there yet.
        norm_type: the order of the norm.
        scale_grad_by_freq: whether a row's gradient is divided by how often it occurs.
        sparse: False: there are no sparse gradients.
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.Embedding(5, 3)
    >>> layer(torch.tensor([4, 0])).shape
    torch.Size([2, 3])
    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if max_norm is not None:
            raise NotImplementedError("Embedding(max_norm=...) is not part of Monograph yet")
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise AssertionError(f"Padding_idx must be within num_embeddings, but got padding_idx {padding_idx} and {num_embeddings} embeddings")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx if padding_idx is None or padding_idx >= 0 else num_embeddings + padding_idx
        self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse = max_norm, norm_type, scale_grad_by_freq, sparse
        if _weight is None:
            self.weight = Parameter(_empty(num_embeddings, embedding_dim, dtype=dtype, device=device), not _freeze)
            self.reset_parameters()
        else:
            self.weight = Parameter(_weight, not _freeze)

    def reset_parameters(self) -> None:
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}" + ("" if self.padding_idx is None else f", padding_idx={self.padding_idx}")

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Embedding:
        rows, cols = embeddings.shape
        return cls(rows, cols, padding_idx, _weight=embeddings, _freeze=freeze)
