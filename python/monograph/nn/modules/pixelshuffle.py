"""PixelShuffle turns channels into pixels; PixelUnshuffle does the reverse."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


class PixelShuffle(Module):
    """Channels to pixels.

    Args:
        upscale_factor: how many times larger each side becomes.

    >>> import monograph as torch
    >>> layer = torch.nn.PixelShuffle(2)
    >>> layer(torch.arange(4.0).reshape(1, 4, 1, 1))
    tensor([[[[0., 1.],
              [2., 3.]]]])
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixels to channels.

    Args:
        downscale_factor: how many times smaller each side becomes.

    >>> import monograph as torch
    >>> layer = torch.nn.PixelUnshuffle(2)
    >>> layer(torch.arange(4.0).reshape(1, 1, 2, 2)).shape
    torch.Size([1, 4, 1, 1])
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"
