"""torch.histogramdd: a histogram over a grid of several dims, made of other operators. A point's place in the grid is the number of its cell along each dim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

from . import _C, _VF, return_types
from ._overridable import overridable
from ._tensor import Tensor

__all__ = ["histogramdd"]


def _edges_of(x: Tensor, bins: Sequence[int], range: Sequence[float] | None) -> list[Tensor]:
    """The edges of bins of one width, for each column of `x`."""
    if range is not None and len(range) != 2 * len(bins):
        raise RuntimeError(
            f"torch.histogramdd: for a {len(bins)}-dimensional histogram range should have {2 * len(bins)} elements, but got {len(range)}"
        )
    edges = []
    for d, count in enumerate(bins):
        if count <= 0:
            raise RuntimeError(f"torch.histogramdd(): bins must be > 0, but got {count} for dimension {d}")
        low, high = (0.0, 1.0) if not len(x) else (x[:, d].min().item(), x[:, d].max().item())
        if range is not None:
            low, high = range[2 * d], range[2 * d + 1]
        if not (math.isfinite(low) and math.isfinite(high)) or low > high:
            raise RuntimeError(f"torch.histogramdd: dimension {d}'s range [{low}, {high}] is not finite, or max is less than min")
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges.append(_VF.linspace(low, high, count + 1, dtype=x.dtype))
    return edges


@overridable
def histogramdd(
    input: Tensor,
    bins: int | Sequence[int] | Sequence[Tensor],
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """How many points lie in each cell of a grid, and the edges of the cells along each dim.

    input: the points. The last dim holds the coordinates, in float32 or float64.
    bins: the number of cells along each coordinate, one for all, or a tensor of edges for each.
    range: the two ends of the cells along each coordinate, one after another. None: the least and the largest coordinate.
    weight: how much each point counts. It has the sizes of `input` without the last.
    density: whether the sum of all cells times their sizes is 1.

        >>> torch.histogramdd(torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), bins=[2, 2])
        torch.return_types.histogramdd(
        hist=tensor([[0., 1.],
                [1., 1.]]),
        bin_edges=(tensor([0., 1., 2.]), tensor([0., 1., 2.])))
    """
    if input.dtype not in (_C._dtypes["float32"], _C._dtypes["float64"]):
        raise NotImplementedError(f"histogramdd is not implemented for {input.dtype}; convert the tensor first, for example x.to(torch.float32)")
    if input.dim() < 2:
        raise (RuntimeError if input.dim() else IndexError)(f"torch.histogramdd: input tensor should have at least 2 dimensions, but got {input.dim()}")
    n = input.shape[-1]
    counts: list[Any] = [bins] * n if isinstance(bins, int) else list(bins)
    if len(counts) != n:
        raise RuntimeError(f"torch.histogramdd: expected {n} sequences of bin edges or numbers of bins, one for each coordinate, but got {len(counts)}")
    x = input.reshape(-1, n)
    of_counts = all(isinstance(count, int) for count in counts)
    edges: list[Any] = _edges_of(x, counts, range) if of_counts else [edge.clone() for edge in counts]
    if any(edge.dtype != input.dtype for edge in edges):
        raise RuntimeError(f"torch.histogramdd: the edges must have the dtype of the input, {input.dtype}")
    if weight is not None and (weight.dtype != input.dtype or weight.shape != input.shape[:-1]):
        raise RuntimeError(
            f"torch.histogramdd: expected a weight of {input.dtype} and size {tuple(input.shape[:-1])}, but got {weight.dtype} and {tuple(weight.shape)}"
        )
    place: Any = 0
    inside: Any = True
    for d, edge in enumerate(edges):
        column, cells = x[:, d].contiguous(), len(edge) - 1
        inside = inside & (column >= edge[0]) & (column <= edge[-1])
        place = place * cells + (_VF.searchsorted(edge, column, right=True) - 1).clamp(0, cells - 1)
    weights = _VF.ones_like(x[:, 0]) if weight is None else weight.reshape(-1)
    sizes = [len(edge) - 1 for edge in edges]
    hist = x.new_zeros(math.prod(sizes)).index_add(0, place, weights * inside).reshape(sizes)
    if density:
        hist = hist / hist.sum()
        for d, edge in enumerate(edges):
            hist = hist / edge.diff().reshape([-1] + [1] * (n - 1 - d))
    return cast("tuple[Tensor, tuple[Tensor, ...]]", return_types.histogramdd((hist, tuple(edges))))


histogramdd.__module__ = "monograph"
