"""torch.signal.windows: vectors that weigh a piece of a signal, from small weights at its ends to 1 in its middle.

Each function evaluates a formula on evenly spaced points. A symmetric window (`sym=True`) has these points from its first element to its last. A periodic
one (`sym=False`) is the symmetric window with one element more, without the last. The points and the order of operations are PyTorch's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .. import _C, _VF as torch, tensor
from .._tensor import Tensor

_dtypes = _C._dtypes
__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _checked_dtype(name: str, M: int, dtype: _C.dtype | None, layout: _C.layout) -> _C.dtype:
    """The dtype of a window. ValueError if there is no window of this length, dtype and layout."""
    dtype = _C._get_default_dtype() if dtype is None else dtype
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not _C.strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype not in (_dtypes["float32"], _dtypes["float64"]):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}; convert the window afterwards, for example .to({dtype})")
    return dtype


def _options(dtype: _C.dtype, layout: _C.layout, device: _C.device | str | None, requires_grad: bool) -> dict[str, Any]:
    return dict(dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)  # noqa: C408 - keywords of a call


def _points(M: int, start: float, step: float, options: dict[str, Any]) -> Tensor:
    """start, start + step, ...: M points."""
    return torch.linspace(start, start + (M - 1) * step, M, **options)


def _steps(M: int, sym: bool) -> int:
    """How many steps lie between the two ends of the window."""
    return M - 1 if sym or M <= 1 else M


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: _C.dtype | None = None, layout: _C.layout = _C.strided,
    device: _C.device | str | None = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """exp(-|n - center| / tau), for n from 0 to M - 1.

    center: The place of the largest element, the middle by default. A symmetric window takes none.
    tau: How many elements it takes to decay by the factor e. It must be positive.

    >>> torch.signal.windows.exponential(3)
    tensor([0.3679, 1.0000, 0.3679])
    """
    dtype = _checked_dtype("exponential", M, dtype, layout)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    options = _options(dtype, layout, device, requires_grad)
    if M == 0:
        return torch.empty((0,), **options)
    center = _steps(M, sym) / 2.0 if center is None else center
    return torch.exp(-torch.abs(_points(M, -center / tau, 1 / tau, options)))


def cosine(
    M: int, *, sym: bool = True, dtype: _C.dtype | None = None, layout: _C.layout = _C.strided, device: _C.device | str | None = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Half a period of a sine: sin(pi (n + 0.5) / M).

    >>> torch.signal.windows.cosine(3)
    tensor([0.5000, 1.0000, 0.5000])
    """
    options = _options(_checked_dtype("cosine", M, dtype, layout), layout, device, requires_grad)
    if M == 0:
        return torch.empty((0,), **options)
    step = math.pi / (_steps(M, sym) + 1)
    return torch.sin(_points(M, 0.5 * step, step, options))


def gaussian(
    M: int, *, std: float = 1.0, sym: bool = True, dtype: _C.dtype | None = None, layout: _C.layout = _C.strided,
    device: _C.device | str | None = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A bell curve: exp(-(n / std)**2 / 2), with n counted from the middle.

    std: The standard deviation, in elements. It must be positive.

    >>> torch.signal.windows.gaussian(3)
    tensor([0.6065, 1.0000, 0.6065])
    """
    dtype = _checked_dtype("gaussian", M, dtype, layout)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    options = _options(dtype, layout, device, requires_grad)
    if M == 0:
        return torch.empty((0,), **options)
    step = 1 / (std * math.sqrt(2))
    return torch.exp(-(_points(M, -_steps(M, sym) / 2.0 * step, step, options) ** 2))


def kaiser(
    M: int, *, beta: float = 12.0, sym: bool = True, dtype: _C.dtype | None = None, layout: _C.layout = _C.strided,
    device: _C.device | str | None = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The Kaiser window: i0(beta sqrt(1 - x**2)) / i0(beta), with x from -1 to 1.

    beta: How narrow the window is. It must not be negative.

    >>> torch.signal.windows.kaiser(3, beta=1.0)
    tensor([0.7898, 1.0000, 0.7898])
    """
    dtype = _checked_dtype("kaiser", M, dtype, layout)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    options = _options(dtype, layout, device, requires_grad)
    if M <= 1:
        return torch.ones((M,), **options)
    # As in PyTorch, beta and the ends are rounded to the dtype, so that no rounding error makes the number under the root negative.
    width = torch.scalar_tensor(beta, dtype=dtype, device=device)
    step = 2.0 * width / _steps(M, sym)
    end = torch.minimum(width, -width + (M - 1) * step)
    points = torch.linspace(-float(width), float(end), M, **options)
    return torch.i0(torch.sqrt(width * width - points**2)) / torch.i0(width)


def general_cosine(
    M: int, *, a: Iterable[float], sym: bool = True, dtype: _C.dtype | None = None, layout: _C.layout = _C.strided,
    device: _C.device | str | None = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A sum of cosines: a[0] - a[1] cos(x) + a[2] cos(2 x) - ..., with x from 0 to 2 pi.

    a: The weights of the cosines.

    >>> torch.signal.windows.general_cosine(3, a=[0.5, 0.5])
    tensor([0., 1., 0.])
    """
    options = _options(_checked_dtype("general_cosine", M, dtype, layout), layout, device, requires_grad)
    if M <= 1:
        return torch.ones((M,), **options)
    if not isinstance(a, Iterable):
        raise TypeError(f"Coefficients must be a list/tuple, but got {type(a).__name__}")
    weights = list(a)
    if not weights:
        raise ValueError("Coefficients cannot be empty")
    points = _points(M, 0, 2 * math.pi / _steps(M, sym), options)
    signed = tensor([(-1) ** k * w for k, w in enumerate(weights)], device=device, dtype=dtype, requires_grad=requires_grad)
    multiples = torch.arange(len(weights), **options)
    return (signed.unsqueeze(-1) * torch.cos(multiples.unsqueeze(-1) * points)).sum(0)


def general_hamming(
    M: int, *, alpha: float = 0.54, sym: bool = True, dtype: _C.dtype | None = None, layout: _C.layout = _C.strided,
    device: _C.device | str | None = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """alpha - (1 - alpha) cos(x), with x from 0 to 2 pi.

    alpha: The mean of the window.

    >>> torch.signal.windows.general_hamming(3, alpha=0.5)
    tensor([0., 1., 0.])
    """
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def hamming(
    M: int, *, sym: bool = True, dtype: _C.dtype | None = None, layout: _C.layout = _C.strided, device: _C.device | str | None = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """0.54 - 0.46 cos(x), with x from 0 to 2 pi.

    >>> torch.signal.windows.hamming(3)
    tensor([0.0800, 1.0000, 0.0800])
    """
    return general_hamming(M, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def hann(
    M: int, *, sym: bool = True, dtype: _C.dtype | None = None, layout: _C.layout = _C.strided, device: _C.device | str | None = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """0.5 - 0.5 cos(x), with x from 0 to 2 pi.

    >>> torch.signal.windows.hann(3)
    tensor([0., 1., 0.])
    """
    return general_hamming(M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def blackman(
    M: int, *, sym: bool = True, dtype: _C.dtype | None = None, layout: _C.layout = _C.strided, device: _C.device | str | None = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """0.42 - 0.5 cos(x) + 0.08 cos(2 x), with x from 0 to 2 pi.

    >>> torch.signal.windows.blackman(5).round(decimals=2)
    tensor([-0.0000, 0.3400, 1.0000, 0.3400, -0.0000])
    """
    dtype = _checked_dtype("blackman", M, dtype, layout)
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)


def bartlett(
    M: int, *, sym: bool = True, dtype: _C.dtype | None = None, layout: _C.layout = _C.strided, device: _C.device | str | None = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A triangle: 1 - |x|, with x from -1 to 1.

    >>> torch.signal.windows.bartlett(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    options = _options(_checked_dtype("bartlett", M, dtype, layout), layout, device, requires_grad)
    if M <= 1:
        return torch.ones((M,), **options)
    return 1 - torch.abs(_points(M, -1, 2 / _steps(M, sym), options))


def nuttall(
    M: int, *, sym: bool = True, dtype: _C.dtype | None = None, layout: _C.layout = _C.strided, device: _C.device | str | None = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """0.3635819 - 0.4891775 cos(x) + 0.1365995 cos(2 x) - 0.0106411 cos(3 x), with x from 0 to 2 pi.

    >>> torch.signal.windows.nuttall(3).round(decimals=4)
    tensor([0.0004, 1.0000, 0.0004])
    """
    weights = [0.3635819, 0.4891775, 0.1365995, 0.0106411]
    return general_cosine(M, a=weights, sym=sym, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)
