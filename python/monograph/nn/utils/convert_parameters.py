"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from ... import _VF
from ..._tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, one after another, as one vector."""
    return _VF.cat([parameter.reshape(-1) for parameter in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Gives each parameter its part of the vector.

    Args:
        vec: a vector with all their elements, one after the other
        parameters: the parameters to write, in this order
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec)}")
    at = 0
    for parameter in parameters:
        count = parameter.numel()
        parameter.data = vec[at : at + count].view_as(parameter).data
        at += count
