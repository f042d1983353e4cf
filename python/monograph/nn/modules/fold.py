"""Unfold takes the windows of an image apart; Fold adds them up again."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


class Fold(Module):
    """Columns added up into the images whose windows they are.

    Args:
        output_size: the size of the images.
        kernel_size: the size of the window, one number or one for each dim.
        dilation: the step between the elements of a window.
        padding: how many places are added at each end.
        stride: the step between windows.

    >>> import monograph as torch
    >>> layer = torch.nn.Fold((2, 2), 2)
    >>> layer(torch.arange(4.0).reshape(1, 4, 1))
    tensor([[[[0., 1.],
              [2., 3.]]]])
    """

    def __init__(self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.output_size, self.kernel_size, self.dilation, self.padding, self.stride = output_size, kernel_size, dilation, padding, stride

    def forward(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}, kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Unfold(Module):
    """Each window of the images as a column.

    Args:
        kernel_size: the size of the window, one number or one for each dim.
        dilation: the step between the elements of a window.
        padding: how many places are added at each end.
        stride: the step between windows.

    >>> import monograph as torch
    >>> layer = torch.nn.Unfold(2)
    >>> layer(torch.arange(4.0).reshape(1, 1, 2, 2))
    tensor([[[0.],
             [1.],
             [2.],
             [3.]]])
    """

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
