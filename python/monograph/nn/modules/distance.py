"""PairwiseDistance and CosineSimilarity."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


class PairwiseDistance(Module):
    """How far the vectors of two batches lie from each other.

    Args:
        p: the order of the norm.
        eps: what is added to each difference.
        keepdim: whether the last dim stays, with size 1.

    >>> import monograph as torch
    >>> layer = torch.nn.PairwiseDistance()
    >>> layer(torch.tensor([[1.0, 0.0]]), torch.tensor([[4.0, 4.0]]))
    tensor([5.0000])
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm, self.eps, self.keepdim = p, eps, keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors.

    Args:
        dim: the dim along which the vectors lie.
        eps: lengths count as at least this.

    >>> import monograph as torch
    >>> layer = torch.nn.CosineSimilarity()
    >>> layer(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
