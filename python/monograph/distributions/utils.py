"""Helpers of the distributions: broadcasting of parameters, probabilities and logits, and properties that are computed once."""

from __future__ import annotations

import functools
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import monograph as torch

from .._tensor import Tensor

__all__ = ["broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits", "tril_matrix_to_vec", "vec_to_tril_matrix"]

euler_constant = 0.57721566490153286060  # the Euler-Mascheroni constant


def _is_tensor_like(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "__torch_function__")


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """The values as tensors of one shape. A number becomes a tensor of the first tensor's dtype, or of the default dtype.

    >>> import monograph as torch
    >>> broadcast_all(1.0, torch.zeros(2))
    (tensor([1., 1.]), tensor([0., 0.]))
    """
    if not all(_is_tensor_like(v) or isinstance(v, numbers.Number) for v in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__.")
    first = next((v for v in values if isinstance(v, Tensor)), None)
    options: dict[str, Any] = {"dtype": torch.get_default_dtype()} if first is None else {"dtype": first.dtype, "device": first.device}
    tensors = [v if _is_tensor_like(v) else torch.tensor(v, **options) for v in values]
    # A tensor that already has the shape is not expanded, so that it keeps its grad_fn.
    return tuple(own if own.shape == wide.shape else wide for own, wide in zip(tensors, torch.broadcast_tensors(*tensors)))


def _standard_normal(shape: Sequence[int], dtype: Any, device: Any) -> Tensor:
    return torch.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value: Tensor, dim: int) -> Tensor:
    """The sum over the last `dim` dims."""
    return value.reshape((*value.shape[:-dim], -1)).sum(-1) if dim else value


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from logits: of two outcomes, one number each; otherwise one for each outcome along the last dim.

    >>> import monograph as torch
    >>> logits_to_probs(torch.tensor([0.0, 0.0]))
    tensor([0.5000, 0.5000])
    """
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, -1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities with 0 and 1 moved inside by the dtype's eps.

    >>> import monograph as torch
    >>> clamp_probs(torch.tensor([0.0, 0.5]))
    tensor([1.1921e-07, 5.0000e-01])
    """
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logits from probabilities, which are clamped first: see logits_to_probs.

    >>> import monograph as torch
    >>> probs_to_logits(torch.tensor([0.5]), is_binary=True)
    tensor([0.])
    """
    inside = clamp_probs(probs)
    return torch.log(inside) - torch.log1p(-inside) if is_binary else torch.log(inside)


class lazy_property:
    """A property that is computed when it is first read, with gradients, and is an attribute from then on.

    >>> class Line:
    ...     @lazy_property
    ...     def length(self):
    ...         print("computed")
    ...         return 2
    >>> line = Line()
    >>> line.length + line.length
    computed
    4
    """

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with torch.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _lazy_property_and_property(lazy_property, property):
    """Stands in the class for a lazy property, so that tools that look for properties find one."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        property.__init__(self, wrapped)
        self.wrapped = wrapped


def _below_diagonal(n: int, diag: int, device: Any) -> Tensor:
    places = torch.arange(n, device=device)
    return places < places.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The elements on and below the diagonal `diag`, row by row.

    >>> import monograph as torch
    >>> tril_matrix_to_vec(torch.tensor([[1.0, 0.0], [2.0, 3.0]]))
    tensor([1., 2., 3.])
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _below_diagonal(n, diag, mat.device)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """A lower triangular matrix with these elements, row by row, on and below the diagonal `diag`.

    >>> import monograph as torch
    >>> vec_to_tril_matrix(torch.tensor([1.0, 2.0, 3.0]))
    tensor([[1., 0.],
            [2., 3.]])
    """
    # n with n (n + 1 + 2 diag) / 2 - |diag| (diag + 1) / 2 elements
    linear = 1 + 2 * diag
    exact = (-linear + (linear**2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(exact) - exact > torch.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower triangular part of a square D x D matrix."
        )
    n = round(exact)
    mat = vec.new_zeros((*vec.shape[:-1], n, n))
    mat[..., _below_diagonal(n, diag, vec.device)] = vec
    return mat
