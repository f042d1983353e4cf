"""ChannelShuffle: exchanges channels between groups."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


class ChannelShuffle(Module):
    """The first channel of each group, then the second ones, and so on.

    Args:
        groups: into how many groups the channels are divided.

    >>> import monograph as torch
    >>> layer = torch.nn.ChannelShuffle(2)
    >>> layer(torch.arange(4.0).reshape(1, 4, 1, 1)).shape
    torch.Size([1, 4, 1, 1])
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"
