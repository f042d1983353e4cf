"""Padding layers. Each keeps how much to add at each end, and calls F.pad with its mode."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


class _Pad(Module):
    """Grows the last dims of its input: `padding` has how many places come before and after, the last dim first, or one number for all."""

    __constants__ = ("dims", "mode")
    dims: int
    mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * (2 * self.dims)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)  # type: ignore[arg-type]

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode, self.value)  # type: ignore[arg-type]

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Adds places at both ends of lines, with one number.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.
        value: the number that is used.

    >>> import monograph as torch
    >>> layer = torch.nn.ConstantPad1d(1, 9.0)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[9., 0., 1., 2., 3., 9.],
             [9., 4., 5., 6., 7., 9.]]])
    """

    dims = 1


class ConstantPad2d(_ConstantPad):
    """Adds places around images, with one number.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.
        value: the number that is used.

    >>> import monograph as torch
    >>> layer = torch.nn.ConstantPad2d(1, 9.0)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 4, 6])
    """

    dims = 2


class ConstantPad3d(_ConstantPad):
    """Adds places around volumes, with one number.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.
        value: the number that is used.

    >>> import monograph as torch
    >>> layer = torch.nn.ConstantPad3d(1, 9.0)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 4, 4, 4])
    """

    dims = 3


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad):
    """Adds zeros at both ends of lines.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.

    >>> import monograph as torch
    >>> layer = torch.nn.ZeroPad1d(1)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[0., 0., 1., 2., 3., 0.],
             [0., 4., 5., 6., 7., 0.]]])
    """

    dims = 1


class ZeroPad2d(_ZeroPad):
    """Adds zeros around images.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.

    >>> import monograph as torch
    >>> layer = torch.nn.ZeroPad2d(1)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 4, 6])
    """

    dims = 2


class ZeroPad3d(_ZeroPad):
    """Adds zeros around volumes.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.

    >>> import monograph as torch
    >>> layer = torch.nn.ZeroPad3d(1)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 4, 4, 4])
    """

    dims = 3


class _ReflectionPad(_Pad):
    mode = "reflect"


class ReflectionPad1d(_ReflectionPad):
    """Adds places at both ends of lines, with the elements mirrored at the end.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.

    >>> import monograph as torch
    >>> layer = torch.nn.ReflectionPad1d(1)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[1., 0., 1., 2., 3., 2.],
             [5., 4., 5., 6., 7., 6.]]])
    """

    dims = 1


class ReflectionPad2d(_ReflectionPad):
    """Adds places around images, with the pixels mirrored at the edge.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.

    >>> import monograph as torch
    >>> layer = torch.nn.ReflectionPad2d(1)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 4, 6])
    """

    dims = 2


class ReflectionPad3d(_ReflectionPad):
    """Adds places around volumes, with the elements mirrored at the edge.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.

    >>> import monograph as torch
    >>> layer = torch.nn.ReflectionPad3d(1)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 4, 4, 4])
    """

    dims = 3


class _ReplicationPad(_Pad):
    mode = "replicate"


class ReplicationPad1d(_ReplicationPad):
    """Adds places at both ends of lines, with the last element.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.

    >>> import monograph as torch
    >>> layer = torch.nn.ReplicationPad1d(1)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[0., 0., 1., 2., 3., 3.],
             [4., 4., 5., 6., 7., 7.]]])
    """

    dims = 1


class ReplicationPad2d(_ReplicationPad):
    """Adds places around images, with the pixels of the edge.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.

    >>> import monograph as torch
    >>> layer = torch.nn.ReplicationPad2d(1)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 4, 6])
    """

    dims = 2


class ReplicationPad3d(_ReplicationPad):
    """Adds places around volumes, with the elements of the edge.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.

    >>> import monograph as torch
    >>> layer = torch.nn.ReplicationPad3d(1)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 4, 4, 4])
    """

    dims = 3


class _CircularPad(_Pad):
    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() != self.dims + 1 and input.dim() != self.dims + 2:
            raise ValueError(f"expected {self.dims + 1}D or {self.dims + 2}D input (got {input.dim()}D input)")
        return F.pad(input, self.padding, self.mode)  # type: ignore[arg-type]


class CircularPad1d(_CircularPad):
    """Adds places at both ends of lines, with the elements of the other end.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.

    >>> import monograph as torch
    >>> layer = torch.nn.CircularPad1d(1)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[3., 0., 1., 2., 3., 0.],
             [7., 4., 5., 6., 7., 4.]]])
    """

    dims = 1


class CircularPad2d(_CircularPad):
    """Adds places around images, with the elements of the other side.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.

    >>> import monograph as torch
    >>> layer = torch.nn.CircularPad2d(1)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 4, 6])
    """

    dims = 2


class CircularPad3d(_CircularPad):
    """Adds places around volumes, with the elements of the other side.

    Args:
        padding: how many places are added: one number, or two for each dim, the last dim first.

    >>> import monograph as torch
    >>> layer = torch.nn.CircularPad3d(1)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 4, 4, 4])
    """

    dims = 3
