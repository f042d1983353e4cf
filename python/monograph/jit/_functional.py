"""Functions of torch.functional in the language of scripts, where Python's function returns what its flags ask for, or checks types.

Example: `torch.unique(x)` is a tensor and `torch.unique(x, return_counts=True)` a tuple of two. A script compiles `unique` below, in which a flag that is
written in the call decides what is compiled."""

# ruff: noqa: UP045 - TorchScript has no `|` here
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from .. import _C, _VF, _type_info, functional
from .._package import package

if TYPE_CHECKING:
    import monograph as torch

    from .._tensor import Tensor
else:
    torch = package()


# The results that a call asks for.
def _requested_parts(output: Tensor, inverse: Tensor, counts: Tensor, return_inverse: bool, return_counts: bool):
    if return_inverse and return_counts:
        return output, inverse, counts
    elif return_inverse:
        return output, inverse
    elif return_counts:
        return output, counts
    else:
        return output


def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Optional[int] = None
):
    if dim is None:
        output, inverse, counts = _VF._unique2(input, sorted, return_inverse, return_counts)
    else:
        output, inverse, counts = _VF.unique_dim(input, dim, sorted, return_inverse, return_counts)
    return _requested_parts(output, inverse, counts, return_inverse, return_counts)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Optional[int] = None
):
    output, inverse, counts = _VF.unique_consecutive(input, return_inverse, return_counts, dim)
    return _requested_parts(output, inverse, counts, return_inverse, return_counts)


def lu(A: Tensor, pivot: bool = True, get_infos: bool = False):
    factors, pivots, infos = _VF._lu_with_info(A, pivot, not get_infos)
    if get_infos:
        return factors, pivots, infos
    else:
        return factors, pivots


def stft(
    input: Tensor,
    n_fft: int,
    hop_length: Optional[int] = None,
    win_length: Optional[int] = None,
    window: Optional[Tensor] = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: Optional[bool] = None,
    return_complex: Optional[bool] = None,
    align_to_window: Optional[bool] = None,
) -> Tensor:
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        dims = input.dim()
        padded = _C._nn.pad(input.view([1] * (3 - dims) + list(input.size())), [n_fft // 2, n_fft // 2], pad_mode)
        input = padded.view(padded.shape[-dims:])
    return _VF.stft(input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window)


class FloatLimits(NamedTuple):
    """What torch.finfo says of a dtype."""

    bits: int
    eps: float
    max: float
    min: float
    tiny: float
    smallest_normal: float
    resolution: float


def finfo(type: torch.dtype) -> FloatLimits:
    if type == torch.float32:
        return FloatLimits(32, 1.1920928955078125e-07, 3.4028234663852886e+38, -3.4028234663852886e+38, 1.1754943508222875e-38, 1.1754943508222875e-38, 1e-06)
    elif type == torch.float64:
        return FloatLimits(
            64, 2.220446049250313e-16, 1.7976931348623157e+308, -1.7976931348623157e+308, 2.2250738585072014e-308, 2.2250738585072014e-308, 1e-15
        )
    elif type == torch.bfloat16:
        return FloatLimits(16, 0.0078125, 3.3895313892515355e+38, -3.3895313892515355e+38, 1.1754943508222875e-38, 1.1754943508222875e-38, 0.01)
    elif type == torch.float16:
        return FloatLimits(16, 0.0009765625, 65504.0, -65504.0, 6.103515625e-05, 6.103515625e-05, 0.001)
    else:
        raise TypeError("torch.finfo() of a script takes float32, float64, bfloat16 and float16")


# What a script compiles in the place of a class of the library that is called.
CLASSES: dict[Any, Any] = {_type_info.finfo: finfo}

# What a script compiles in the place of a function. A function that stands for itself is compiled from its own source; all others are operators.
FORMS: dict[Any, Any] = {
    functional.unique: unique,
    functional.unique_consecutive: unique_consecutive,
    functional.stft: stft,
    functional.lu: lu,
    functional.cdist: functional.cdist,
}
