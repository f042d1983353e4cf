"""Pooling layers: the largest, the mean or a norm of each window, adaptive windows, random windows, and the reverse of max pooling."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .module import Module


class _MaxPool(Module):
    """The largest element of each window; with its place, where that is asked."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: bool = False, ceil_mode: bool = False) -> None:
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.dilation, self.return_indices, self.ceil_mode = padding, dilation, return_indices, ceil_mode

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, dilation={self.dilation}, ceil_mode={self.ceil_mode}"


class MaxPool1d(_MaxPool):
    """The largest element of each window of a line.

    Args:
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows; None: the window's size.
        padding: how many places are added at each end.
        dilation: the step between the elements of a window.
        return_indices: True returns the places of the elements, too.
        ceil_mode: True counts windows that are not full at the end.

    >>> import monograph as torch
    >>> layer = torch.nn.MaxPool1d(2)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[1., 3.],
             [5., 7.]]])
    """

    def forward(self, input: Tensor) -> Any:
        if self.return_indices:
            return F.max_pool1d_with_indices(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)
        return F.max_pool1d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)


class MaxPool2d(_MaxPool):
    """The largest element of each window of an image.

    Args:
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows; None: the window's size.
        padding: how many places are added at each end.
        dilation: the step between the elements of a window.
        return_indices: True returns the places of the elements, too.
        ceil_mode: True counts windows that are not full at the end.

    >>> import monograph as torch
    >>> layer = torch.nn.MaxPool2d(2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 1, 2])
    """

    def forward(self, input: Tensor) -> Any:
        if self.return_indices:
            return F.max_pool2d_with_indices(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)
        return F.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)


class MaxPool3d(_MaxPool):
    """The largest element of each window of a volume.

    Args:
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows; None: the window's size.
        padding: how many places are added at each end.
        dilation: the step between the elements of a window.
        return_indices: True returns the places of the elements, too.
        ceil_mode: True counts windows that are not full at the end.

    >>> import monograph as torch
    >>> layer = torch.nn.MaxPool3d(2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 1, 1, 1])
    """

    def forward(self, input: Tensor) -> Any:
        if self.return_indices:
            return F.max_pool3d_with_indices(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)
        return F.max_pool3d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode)


class AvgPool1d(Module):
    """The mean of each window.

    Args:
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows; None: the window's size.
        padding: how many places are added at each end.
        ceil_mode: True counts windows that are not full at the end.
        count_include_pad: whether added places count in the mean.

    >>> import monograph as torch
    >>> layer = torch.nn.AvgPool1d(2)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[0.5000, 2.5000],
             [4.5000, 6.5000]]])
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> None:
        super().__init__()

        def single(n: Any) -> tuple[int, ...]:
            return tuple(n) if isinstance(n, (tuple, list)) else (n,)

        self.kernel_size, self.stride, self.padding = single(kernel_size), single(kernel_size if stride is None else stride), single(padding)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class _AvgPool(Module):
    """The mean of each window."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: Any = None) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, kernel_size if stride is None else stride, padding
        self.ceil_mode, self.count_include_pad, self.divisor_override = ceil_mode, count_include_pad, divisor_override

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(_AvgPool):
    """The mean of each window of an image.

    Args:
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows; None: the window's size.
        padding: how many places are added at each end.
        ceil_mode: True counts windows that are not full at the end.
        count_include_pad: whether added places count in the mean.
        divisor_override: what a window's sum is divided by, instead of its number of elements.

    >>> import monograph as torch
    >>> layer = torch.nn.AvgPool2d(2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 1, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool2d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override)


class AvgPool3d(_AvgPool):
    """The mean of each window of a volume.

    Args:
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows; None: the window's size.
        padding: how many places are added at each end.
        ceil_mode: True counts windows that are not full at the end.
        count_include_pad: whether added places count in the mean.
        divisor_override: what a window's sum is divided by, instead of its number of elements.

    >>> import monograph as torch
    >>> layer = torch.nn.AvgPool3d(2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 1, 1, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool3d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad, self.divisor_override)


class _AdaptivePool(Module):
    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptivePool):
    """The mean of as many windows as the output has elements.

    Args:
        output_size: the size of the output: a number, or one for each dim.

    >>> import monograph as torch
    >>> layer = torch.nn.AdaptiveAvgPool1d(2)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[0.5000, 2.5000],
             [4.5000, 6.5000]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_AdaptivePool):
    """The mean of as many windows as the output has elements.

    Args:
        output_size: the size of the output: a number, or one for each dim.

    >>> import monograph as torch
    >>> layer = torch.nn.AdaptiveAvgPool2d(2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_AdaptivePool):
    """The mean of as many windows as the output has elements.

    Args:
        output_size: the size of the output: a number, or one for each dim.

    >>> import monograph as torch
    >>> layer = torch.nn.AdaptiveAvgPool3d(2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMaxPool(_AdaptivePool):
    """The largest elements of as many windows as the output has elements; with their places, where that is asked."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """The largest elements of as many windows as the output has elements.

    Args:
        output_size: the size of the output: a number, or one for each dim.
        return_indices: True returns the places of the elements, too.

    >>> import monograph as torch
    >>> layer = torch.nn.AdaptiveMaxPool1d(2)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[1., 3.],
             [5., 7.]]])
    """

    def forward(self, input: Tensor) -> Any:
        if self.return_indices:
            return F.adaptive_max_pool1d_with_indices(input, self.output_size)
        return F.adaptive_max_pool1d(input, self.output_size)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """The largest elements of as many windows as the output has elements.

    Args:
        output_size: the size of the output: a number, or one for each dim.
        return_indices: True returns the places of the elements, too.

    >>> import monograph as torch
    >>> layer = torch.nn.AdaptiveMaxPool2d(2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Any:
        if self.return_indices:
            return F.adaptive_max_pool2d_with_indices(input, self.output_size)
        return F.adaptive_max_pool2d(input, self.output_size)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """The largest elements of as many windows as the output has elements.

    Args:
        output_size: the size of the output: a number, or one for each dim.
        return_indices: True returns the places of the elements, too.

    >>> import monograph as torch
    >>> layer = torch.nn.AdaptiveMaxPool3d(2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    def forward(self, input: Tensor) -> Any:
        if self.return_indices:
            return F.adaptive_max_pool3d_with_indices(input, self.output_size)
        return F.adaptive_max_pool3d(input, self.output_size)


class _LPPool(Module):
    """The root of the sum of the powers of each window."""

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def extra_repr(self) -> str:
        return f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, ceil_mode={self.ceil_mode}"


class LPPool1d(_LPPool):
    """The norm of each window of a line.

    Args:
        norm_type: the order of the norm.
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows; None: the window's size.
        ceil_mode: True counts windows that are not full at the end.

    >>> import monograph as torch
    >>> layer = torch.nn.LPPool1d(2, 2)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4))
    tensor([[[1.0000, 3.6056],
             [6.4031, 9.2195]]])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool1d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_LPPool):
    """The norm of each window of an image.

    Args:
        norm_type: the order of the norm.
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows; None: the window's size.
        ceil_mode: True counts windows that are not full at the end.

    >>> import monograph as torch
    >>> layer = torch.nn.LPPool2d(2, 2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 2, 1, 2])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool2d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool3d(_LPPool):
    """The norm of each window of a volume.

    Args:
        norm_type: the order of the norm.
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows; None: the window's size.
        ceil_mode: True counts windows that are not full at the end.

    >>> import monograph as torch
    >>> layer = torch.nn.LPPool3d(2, 2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 1, 1, 1])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.lp_pool3d(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


def _per_dim(n: Any, dims: int) -> tuple[Any, ...]:
    """A number for each dim, where one may stand for all."""
    return tuple(n) if isinstance(n, (tuple, list)) else (n,) * dims


class _MaxUnpool(Module):
    """Zeros, with each element at the place that a max pool took it from."""

    def __init__(self, dims: int, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__()
        self.kernel_size, self.stride = _per_dim(kernel_size, dims), _per_dim(kernel_size if stride is None else stride, dims)
        self.padding = _per_dim(padding, dims)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """Zeros, with each element at the place that a max pool of a sequence took it from. It takes the pool's two results.

    Args:
        kernel_size: the size of the pool's windows.
        stride: the step between the pool's windows; None: the window's size.
        padding: how many places the pool added at each end.

    A pool may give the same size for several sizes of its input. `output_size=` of the call says which one the result has.

    >>> import monograph as torch
    >>> x = torch.tensor([[[1.0, 4.0, 3.0, 2.0]]])
    >>> largest, places = torch.nn.MaxPool1d(2, return_indices=True)(x)
    >>> torch.nn.MaxUnpool1d(2)(largest, places)
    tensor([[[0., 4., 3., 0.]]])
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__(1, kernel_size, stride, padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        return F.max_unpool1d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool2d(_MaxUnpool):
    """Zeros, with each element at the place that a max pool of a image took it from. It takes the pool's two results.

    Args:
        kernel_size: the size of the pool's windows, one number or one for each dim.
        stride: the step between the pool's windows; None: the window's size.
        padding: how many places the pool added at each end.

    A pool may give the same size for several sizes of its input. `output_size=` of the call says which one the result has.

    >>> import monograph as torch
    >>> x = torch.tensor([[[1.0, 4.0], [3.0, 2.0]]])
    >>> largest, places = torch.nn.MaxPool2d(2, return_indices=True)(x)
    >>> torch.nn.MaxUnpool2d(2)(largest, places)
    tensor([[[0., 4.],
             [0., 0.]]])
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__(2, kernel_size, stride, padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool3d(_MaxUnpool):
    """Zeros, with each element at the place that a max pool of a volume took it from. It takes the pool's two results.

    Args:
        kernel_size: the size of the pool's windows, one number or one for each dim.
        stride: the step between the pool's windows; None: the window's size.
        padding: how many places the pool added at each end.

    A pool may give the same size for several sizes of its input. `output_size=` of the call says which one the result has.

    >>> import monograph as torch
    >>> x = torch.arange(8.0).reshape(1, 2, 2, 2)
    >>> largest, places = torch.nn.MaxPool3d(2, return_indices=True)(x)
    >>> torch.nn.MaxUnpool3d(2)(largest, places).flatten()
    tensor([0., 0., 0., 0., 0., 0., 0., 7.])
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__(3, kernel_size, stride, padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        return F.max_unpool3d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class _FractionalMaxPool(Module):
    """The largest element of each window, where the windows begin at random, about evenly."""

    def __init__(self, dims: int, kernel_size: Any, output_size: Any, output_ratio: Any, return_indices: bool, _random_samples: Tensor | None) -> None:
        super().__init__()
        name = type(self).__name__
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        self.kernel_size, self.return_indices = _per_dim(kernel_size, dims), return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else _per_dim(output_size, dims)
        self.output_ratio = None if output_ratio is None else _per_dim(output_ratio, dims)
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")


class FractionalMaxPool2d(_FractionalMaxPool):
    """The largest element of each window of an image. The windows begin at random, about evenly, so that there are as many as asked for.

    Args:
        kernel_size: the size of the window, one number or one for each dim.
        output_size: how many windows there are, one number or one for each dim.
        output_ratio: the same as a part of the input's size, between 0 and 1. Either this or output_size is given.
        return_indices: True returns the places of the elements, too.

    >>> import monograph as torch
    >>> layer = torch.nn.FractionalMaxPool2d(2, output_ratio=0.5)
    >>> layer(torch.arange(16.0).reshape(1, 1, 4, 4))
    tensor([[[[ 5.,  7.],
              [13., 15.]]]])
    """

    def __init__(self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> None:
        super().__init__(2, kernel_size, output_size, output_ratio, return_indices, _random_samples)

    def forward(self, input: Tensor) -> Any:
        if self.return_indices:
            return F.fractional_max_pool2d_with_indices(input, self.kernel_size, self.output_size, self.output_ratio, True, self._random_samples)
        return F.fractional_max_pool2d(input, self.kernel_size, self.output_size, self.output_ratio, False, self._random_samples)


class FractionalMaxPool3d(_FractionalMaxPool):
    """The largest element of each window of a volume. The windows begin at random, about evenly, so that there are as many as asked for.

    Args:
        kernel_size: the size of the window, one number or one for each dim.
        output_size: how many windows there are, one number or one for each dim.
        output_ratio: the same as a part of the input's size, between 0 and 1. Either this or output_size is given.
        return_indices: True returns the places of the elements, too.

    >>> import monograph as torch
    >>> layer = torch.nn.FractionalMaxPool3d(2, output_size=3)
    >>> layer(torch.rand(1, 2, 6, 6, 6)).shape
    torch.Size([1, 2, 3, 3, 3])
    """

    def __init__(self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False, _random_samples: Tensor | None = None) -> None:
        super().__init__(3, kernel_size, output_size, output_ratio, return_indices, _random_samples)

    def forward(self, input: Tensor) -> Any:
        if self.return_indices:
            return F.fractional_max_pool3d_with_indices(input, self.kernel_size, self.output_size, self.output_ratio, True, self._random_samples)
        return F.fractional_max_pool3d(input, self.kernel_size, self.output_size, self.output_ratio, False, self._random_samples)
