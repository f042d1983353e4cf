"""Dropout layers. Each calls its function of nn.functional with the mode of the module."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


class Dropout(Module):
    """In training: elements to zero with probability p, the others scaled by 1/(1-p).

    Args:
        p: the probability that an element becomes 0.
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.Dropout(0.5).eval()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-1.5000,  0.5000,  2.0000])
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    """In training: whole channels of lines to zero with probability p, the others scaled by 1/(1-p).

    Args:
        p: the probability that an element becomes 0.
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.Dropout1d(0.5).eval()
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[0., 1., 2., 3.],
             [4., 5., 6., 7.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    """In training: whole channels of images to zero with probability p, the others scaled by 1/(1-p).

    Args:
        p: the probability that an element becomes 0.
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.Dropout2d(0.5).eval()
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 2, 4])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(Dropout):
    """In training: whole channels of volumes to zero with probability p, the others scaled by 1/(1-p).

    Args:
        p: the probability that an element becomes 0.
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.Dropout3d(0.5).eval()
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(Dropout):
    """Dropout that keeps mean and variance: elements become what selu gives far below 0, and all are scaled and shifted.

    Args:
        p: the probability that an element becomes 0.
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.AlphaDropout(0.5).eval()
    >>> layer(torch.tensor([-1.5, 0.5, 2.0]))
    tensor([-1.5000,  0.5000,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(Dropout):
    """The same of whole channels.

    Args:
        p: the probability that an element becomes 0.
        inplace: True writes the result into the input.

    >>> import monograph as torch
    >>> layer = torch.nn.FeatureAlphaDropout(0.5).eval()
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[0., 1., 2., 3.],
             [4., 5., 6., 7.]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.feature_alpha_dropout(input, self.p, self.training)
