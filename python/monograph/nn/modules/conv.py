"""Convolutions and transposed convolutions. _ConvNd checks the arguments and holds weight and bias; the classes for 1, 2 and 3 dims set `dims` and name the function."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .linear import _Weighted


def _times(n: int, x: Any) -> tuple[int, ...]:
    return tuple(x) if isinstance(x, (tuple, list)) else (x,) * n


class _ConvNd(_Weighted):
    dims: int
    transposed = False

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if in_channels % groups != 0 or out_channels % groups != 0:
            raise ValueError(f"{'in' if in_channels % groups else 'out'}_channels must be divisible by groups, but got {in_channels if in_channels % groups else out_channels} channels and {groups} groups")
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise ValueError(f"padding_mode must be one of {{'zeros', 'reflect', 'replicate', 'circular'}}, but got padding_mode='{padding_mode}'")
        if isinstance(padding, str) and padding not in ("valid", "same"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
        n = self.dims
        if padding == "same" and any(step != 1 for step in _times(n, stride)):
            raise ValueError("padding='same' is not supported for strided convolutions")
        self.in_channels, self.out_channels, self.groups, self.padding_mode = in_channels, out_channels, groups, padding_mode
        self.kernel_size, self.stride, self.dilation = _times(n, kernel_size), _times(n, stride), _times(n, dilation)
        self.padding = padding if isinstance(padding, str) else _times(n, padding)
        self.output_padding = (0,) * n
        self._reversed_padding_repeated_twice = self._ends()
        self._make_parameters(self._weight_size(), out_channels, bias, dtype, device)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "transposed": self.transposed}  # which PyTorch's lazy layers read

    def _weight_size(self) -> tuple[int, ...]:
        return (self.out_channels, self.in_channels // self.groups, *self.kernel_size)

    def _ends(self) -> Any:
        """The padding as F.pad takes it: both ends of each dim, the last dim first."""
        if not isinstance(self.padding, str):
            return tuple(p for p in reversed(self.padding) for _ in range(2))  # a tuple here and a list below, as in PyTorch, whose graphs show it
        totals = [0] * len(self.kernel_size)
        if self.padding == "same":  # one number in a list is that of the first dim, as in PyTorch
            for i in range(min(len(self.dilation), len(self.kernel_size))):
                totals[i] = self.dilation[i] * (self.kernel_size[i] - 1)
        return [end for total in reversed(totals) for end in (total // 2, total - total // 2)]

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * len(self.padding):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.output_padding):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        text += "" if self.bias is not None else ", bias=False"
        return text if self.padding_mode == "zeros" else text + f", padding_mode={self.padding_mode}"


class Conv1d(_ConvNd):
    """Slides windows over lines: each output channel is the sum of the input channels' windows times its weight, plus a bias.

    Args:
        in_channels: how many channels the input has.
        out_channels: how many channels the output has.
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows.
        padding: how many places are added at each end, or "same" or "valid".
        dilation: the step between the elements of a window.
        groups: into how many groups the channels are divided.
        bias: whether a learned number is added.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.Conv1d(2, 4, 2)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4)).shape
    torch.Size([1, 4, 3])
    """

    dims = 1

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, self.padding_mode)
            return F.conv1d(padded, weight, bias, self.stride, (0,), self.dilation, self.groups)
        return F.conv1d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class Conv2d(_ConvNd):
    """Slides windows over images: each output channel is the sum of the input channels' windows times its weight, plus a bias.

    Args:
        in_channels: how many channels the input has.
        out_channels: how many channels the output has.
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows.
        padding: how many places are added at each end, or "same" or "valid".
        dilation: the step between the elements of a window.
        groups: into how many groups the channels are divided.
        bias: whether a learned number is added.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.Conv2d(2, 4, 2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 4, 1, 3])
    """

    dims = 2

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, self.padding_mode)
            return F.conv2d(padded, weight, bias, self.stride, (0, 0), self.dilation, self.groups)
        return F.conv2d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class Conv3d(_ConvNd):
    """Slides windows over volumes: each output channel is the sum of the input channels' windows times its weight, plus a bias.

    Args:
        in_channels: how many channels the input has.
        out_channels: how many channels the output has.
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows.
        padding: how many places are added at each end, or "same" or "valid".
        dilation: the step between the elements of a window.
        groups: into how many groups the channels are divided.
        bias: whether a learned number is added.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.Conv3d(2, 4, 2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 4, 1, 1, 1])
    """

    dims = 3

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, self.padding_mode)
            return F.conv3d(padded, weight, bias, self.stride, (0, 0, 0), self.dilation, self.groups)
        return F.conv3d(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)


class _ConvTransposeNd(_ConvNd):
    """The transpose of a convolution: each pixel adds its window of the weight, of size (in_channels, out_channels / groups, *kernel_size), into the
    result."""

    transposed = True

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1,
        bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}, but got {padding_mode!r}')
        if isinstance(padding, str):
            raise TypeError(f"{type(self).__name__}: padding must be a number or {self.dims} of them, but got {padding!r}")
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode, device, dtype)
        self.output_padding = _times(self.dims, output_padding)

    def _weight_size(self) -> tuple[int, ...]:
        return (self.in_channels, self.out_channels // self.groups, *self.kernel_size)

    def _output_padding(
        self, input: Tensor, output_size: list[int] | None, stride: list[int], padding: list[int], kernel_size: list[int], num_spatial_dims: int,
        dilation: list[int] | None = None,
    ) -> list[int]:  # fmt: skip
        """The output padding that gives this size. PyTorch's name and arguments: layers of other packages call it."""
        if output_size is None:
            return list(self.output_padding)
        lead = 2 if input.dim() == num_spatial_dims + 2 else 1
        if len(output_size) != num_spatial_dims and len(output_size) != num_spatial_dims + lead:
            raise ValueError(f"ConvTranspose{num_spatial_dims}D: for {input.dim()}D input, output_size must have {num_spatial_dims} or {num_spatial_dims + lead} elements (got {len(output_size)})")
        asked = output_size[-num_spatial_dims:]
        inputs = input.shape[lead:]
        least: list[int] = []
        most: list[int] = []
        extra: list[int] = []
        for k in range(num_spatial_dims):
            step = 1 if dilation is None else dilation[k]
            low = (inputs[k] - 1) * stride[k] + step * (kernel_size[k] - 1) + 1 - 2 * padding[k]
            least.append(low)
            most.append(low + stride[k] - 1)
            extra.append(asked[k] - low)
        for k in range(num_spatial_dims):
            if asked[k] < least[k] or asked[k] > most[k]:
                raise ValueError(f"requested an output size of {asked}, but valid sizes range from {least} to {most} (for an input of {inputs})")
        return extra


class ConvTranspose1d(_ConvTransposeNd):
    """The transpose of a convolution over lines: each element adds its window of the weight into the result.

    Args:
        in_channels: how many channels the input has.
        out_channels: how many channels the output has.
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows.
        padding: how many places are added at each end.
        output_padding: how many places the output gets at one end.
        groups: into how many groups the channels are divided.
        bias: whether a learned number is added.
        dilation: the step between the elements of a window.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.ConvTranspose1d(2, 4, 2)
    >>> layer(torch.arange(8.0).reshape(1, 2, 4)).shape
    torch.Size([1, 4, 5])
    """

    dims = 1

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """output_size: the result's last sizes (or all), which one of `stride` sizes may be; else output_padding says it."""
        assert isinstance(self.padding, tuple)
        if output_size is None:
            return F.conv_transpose1d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)
        extra = self._output_padding(input, output_size, list(self.stride), list(self.padding), list(self.kernel_size), 1, list(self.dilation))
        return F.conv_transpose1d(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)


class ConvTranspose2d(_ConvTransposeNd):
    """The transpose of a convolution over images: each pixel adds its window of the weight into the result.

    Args:
        in_channels: how many channels the input has.
        out_channels: how many channels the output has.
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows.
        padding: how many places are added at each end.
        output_padding: how many places the output gets at one end.
        groups: into how many groups the channels are divided.
        bias: whether a learned number is added.
        dilation: the step between the elements of a window.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.ConvTranspose2d(2, 4, 2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 4)).shape
    torch.Size([1, 4, 3, 5])
    """

    dims = 2

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """output_size: the result's last sizes (or all), which one of `stride` sizes may be; else output_padding says it."""
        assert isinstance(self.padding, tuple)
        if output_size is None:
            return F.conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)
        extra = self._output_padding(input, output_size, list(self.stride), list(self.padding), list(self.kernel_size), 2, list(self.dilation))
        return F.conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)


class ConvTranspose3d(_ConvTransposeNd):
    """The transpose of a convolution over volumes: each element adds its window of the weight into the result.

    Args:
        in_channels: how many channels the input has.
        out_channels: how many channels the output has.
        kernel_size: the size of the window, one number or one for each dim.
        stride: the step between windows.
        padding: how many places are added at each end.
        output_padding: how many places the output gets at one end.
        groups: into how many groups the channels are divided.
        bias: whether a learned number is added.
        dilation: the step between the elements of a window.
        padding_mode: "zeros", "reflect", "replicate" or "circular".
        device: where the parameters lie.
        dtype: the dtype of the parameters.

    >>> import monograph as torch
    >>> layer = torch.nn.ConvTranspose3d(2, 4, 2)
    >>> layer(torch.arange(16.0).reshape(1, 2, 2, 2, 2)).shape
    torch.Size([1, 4, 3, 3, 3])
    """

    dims = 3

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """output_size: the result's last sizes (or all), which one of `stride` sizes may be; else output_padding says it."""
        assert isinstance(self.padding, tuple)
        if output_size is None:
            return F.conv_transpose3d(input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation)
        extra = self._output_padding(input, output_size, list(self.stride), list(self.padding), list(self.kernel_size), 3, list(self.dilation))
        return F.conv_transpose3d(input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation)
