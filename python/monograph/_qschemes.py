"""torch.qscheme: how the integers of a quantized tensor stand for numbers."""

from __future__ import annotations

from typing import NoReturn


class qscheme:
    """How a tensor is quantized: torch.per_tensor_affine, with one scale and zero point, or torch.per_channel_affine, with some for each index along a dim.

    The symmetric schemes are names for tools that choose scales: a tensor's scheme is affine, with the zero point 0.
    """

    _name: str

    def __init__(self) -> NoReturn:
        raise TypeError("cannot create 'torch.qscheme' instances")

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


qscheme.__module__ = "monograph"


def _scheme(name: str) -> qscheme:
    made: qscheme = object.__new__(qscheme)  # type: ignore[arg-type]
    made._name = name
    return made


per_tensor_affine = _scheme("per_tensor_affine")
per_channel_affine = _scheme("per_channel_affine")
per_tensor_symmetric = _scheme("per_tensor_symmetric")
per_channel_symmetric = _scheme("per_channel_symmetric")
per_channel_affine_float_qparams = _scheme("per_channel_affine_float_qparams")

# In the order of PyTorch's numbers.
SCHEMES = (per_tensor_affine, per_channel_affine, per_tensor_symmetric, per_channel_symmetric, per_channel_affine_float_qparams)
