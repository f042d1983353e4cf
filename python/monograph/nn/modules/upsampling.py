"""Upsample and its two fixed modes: layers that call F.interpolate."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


class Upsample(Module):
    """Another size of its input, by interpolation: of these sizes, or larger by these factors.

    Args:
        size: the size of the output.
        scale_factor: what each size is multiplied by, instead of size.
        mode: "nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear" or "area".
        align_corners: whether the first and last elements stay at the ends.
        recompute_scale_factor: whether the factor follows from the rounded size.

    >>> import monograph as torch
    >>> layer = torch.nn.Upsample(scale_factor=2)
    >>> layer(torch.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None, recompute_scale_factor: bool | None = None) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode, self.align_corners, self.recompute_scale_factor = mode, align_corners, recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)

    def extra_repr(self) -> str:
        chosen = f"scale_factor={self.scale_factor!r}" if self.scale_factor is not None else f"size={self.size!r}"
        return f"{chosen}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Another size of images, by the nearest pixel.

    Args:
        size: the size of the output.
        scale_factor: what each size is multiplied by, instead of size.

    >>> import monograph as torch
    >>> layer = torch.nn.UpsamplingNearest2d(scale_factor=2)
    >>> layer(torch.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1., 1., 2., 2.],
              [1., 1., 2., 2.]]]])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Another size of images, by lines between pixels.

    Args:
        size: the size of the output.
        scale_factor: what each size is multiplied by, instead of size.

    >>> import monograph as torch
    >>> layer = torch.nn.UpsamplingBilinear2d(scale_factor=2)
    >>> layer(torch.tensor([[[[1.0, 2.0]]]]))
    tensor([[[[1.0000, 1.3333, 1.6667, 2.0000],
              [1.0000, 1.3333, 1.6667, 2.0000]]]])
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
