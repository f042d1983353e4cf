"""Functions of torch.functional in the language of scripts, where Python's function returns what its flags ask for, or checks types.

Example: `torch.unique(x)` is a tensor and `torch.unique(x, return_counts=True)` a tuple of two. A script compiles `unique` below, in which a flag that is
written in the call decides what is compiled."""

# ruff: noqa: UP045 - TorchScript has no `|` here
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from .. import _C, _VF, functional

if TYPE_CHECKING:
    from .._tensor import Tensor


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


# What a script compiles in the place of a function. A function that stands for itself is compiled from its own source; all others are operators.
FORMS: dict[Any, Any] = {
    functional.unique: unique,
    functional.unique_consecutive: unique_consecutive,
    functional.stft: stft,
    functional.lu: lu,
    functional.cdist: functional.cdist,
}
