"""torch.fft: Fourier transforms, from the records."""

from __future__ import annotations

from . import _C
from ._tensor import Tensor  # noqa: F401 - PyTorch's module has it

_found = {name.removeprefix("fft_"): function for name, function in _C._functions()["_fft"].items() if not name.endswith("_")}
globals().update(_found)
__all__ = sorted(_found)
