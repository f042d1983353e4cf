from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .linear import _Weighted


def _times(n: int, x: Any) -> tuple[int, ...]:
    return tuple(x) if isinstance(x, (tuple, list)) else (x,) * n


class _Conv(_Weighted):
    dims: int

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1, bias: bool = True,
        padding_mode: str = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if in_channels % groups != 0 or out_channels % groups != 0:
            raise ValueError(f"{'in' if in_channels % groups else 'out'}_channels must be divisible by groups")
        if padding_mode != "zeros":
            raise NotImplementedError(f"padding_mode={padding_mode!r} is not part of Monograph yet; pad the input before the convolution")
        if isinstance(padding, str) and padding not in ("valid", "same"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}")
        n = self.dims
        if padding == "same" and _times(n, stride) != (1,) * n:
            raise ValueError("padding='same' is not supported for strided convolutions")
        self.in_channels, self.out_channels, self.groups, self.padding_mode = in_channels, out_channels, groups, padding_mode
        self.kernel_size, self.stride, self.dilation = _times(n, kernel_size), _times(n, stride), _times(n, dilation)
        self.padding = padding if isinstance(padding, str) else _times(n, padding)
        self._make_parameters((out_channels, in_channels // groups, *self.kernel_size), bias, dtype, device)

    def _padding(self) -> Any:
        """What the function is given: numbers, where they say the same."""
        total = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
        return tuple(t // 2 for t in total) if self.padding == "same" and not any(t % 2 for t in total) else self.padding

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * self.dims:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * self.dims:
            text += f", dilation={self.dilation}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        return text + ("" if self.bias is not None else ", bias=False")


class Conv1d(_Conv):
    dims = 1

    def forward(self, input: Tensor) -> Tensor:
        return F.conv1d(input, self.weight, self.bias, self.stride, self._padding(), self.dilation, self.groups)


class Conv2d(_Conv):
    dims = 2

    def forward(self, input: Tensor) -> Tensor:
        return F.conv2d(input, self.weight, self.bias, self.stride, self._padding(), self.dilation, self.groups)
