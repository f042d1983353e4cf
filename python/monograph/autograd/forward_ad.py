"""torch.autograd.forward_ad: tensors with tangents. A tangent of a result is computed when it is asked for, from the tape: as the gradient of a gradient."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _C, _VF
from . import grad_mode
from .graph import get_gradient_edge

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


class UnpackedDualTensor(NamedTuple):
    """The result of unpack_dual: the tensor, and its tangent or None."""

    primal: Any
    tangent: Any


class _Dual(NamedTuple):
    edge: Any  # where the derivative begins
    tensor: Any
    version: int
    primal: Any
    tangent: Any


class _Level:
    """The dual tensors that were made in a level."""

    def __init__(self) -> None:
        self.duals: list[_Dual] = []
        self.with_grad = False  # a primal or tangent requires grad itself: what is unpacked does too

    def tangent_of(self, tensor: Any) -> Any:
        """The Jacobian's product with the tangents; None where the tensor depends on no dual tensor."""
        from ._passes import grad

        if not tensor._requires_grad or not self.duals:
            return None
        for dual in self.duals:
            if dual.tensor is tensor and tensor._version == dual.version:
                return dual.tangent
        with grad_mode.enable_grad():
            weight = _VF.zeros_like(_C._without_history(tensor)).requires_grad_()
            slopes = grad(tensor, [dual.edge for dual in self.duals], weight, create_graph=True, retain_graph=True, allow_unused=True)
            pairs = [(g, dual.tangent) for g, dual in zip(slopes, self.duals) if g is not None]
            if not pairs:
                return None
            linear = [(g, t.to(g.dtype) if t.dtype != g.dtype else t) for g, t in pairs if g._requires_grad]
            found = None
            if linear:
                (found,) = grad([g for g, _ in linear], weight, [t for _, t in linear], create_graph=self.with_grad, allow_unused=True)
        found = _VF.zeros_like(_C._without_history(tensor)) if found is None else found
        return found if self.with_grad else _C._without_history(found)


def _level_of(level: int | None) -> _Level | None:
    if level is not None and level < 0:
        return None
    current: _Level | None = grad_mode.forward.level
    return current


def enter_dual_level() -> int:
    """Begins a level of forward-mode gradients and returns its number, 0. `with dual_level():` does this and ends it."""
    if grad_mode.forward.level is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    grad_mode.forward.level = _Level()
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Ends the level. The tensors that it made have no tangents from here on."""
    if grad_mode.forward.level is None or level not in (None, 0):
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was created. This is not supported.")
    grad_mode.forward.level = None


class dual_level:
    """A `with` block in which tensors have tangents.

    The tape computes them, so gradients stay on in the block: torch.no_grad() raises an error there. A result of dual tensors requires grad, also where PyTorch's
    does not.

    >>> import torch.autograd.forward_ad as forward_ad
    >>> with forward_ad.dual_level():
    ...     x = forward_ad.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
    ...     forward_ad.unpack_dual(x * x).tangent
    tensor([ 2., 40.])
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *exc: object) -> None:
        exit_dual_level(level=0)


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> Any:
    """The tensor with a tangent. It has the memory of `tensor`.

    Args:
        tensor: the point at which derivatives are taken
        tangent: the direction, of the same shape
        level: the number of the level; None: the present one
    """
    at = _level_of(level)
    if at is None:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first.")
    for word, t in (("primal", tensor), ("tangent", tangent)):
        if not (t.is_floating_point() or t.is_complex()):
            raise ValueError(f"Expected {word} to be floating point or complex, but got: {t.dtype}")
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. Tensor is of size "
            f"{list(tensor.shape)} while the given forward gradient is of size {list(tangent.shape)}."
        )
    if not _C._is_grad_enabled():
        raise NotImplementedError("torch.autograd.forward_ad.make_dual under torch.no_grad() is not part of Monograph: the tape computes tangents")
    at.with_grad = at.with_grad or tensor._requires_grad or tangent._requires_grad
    start = tensor if tensor._requires_grad else _C._without_history(tensor).requires_grad_()
    step = start.view_as(start)
    dual = _C._keeping_history(step, lambda: step)()  # the same memory; a write in place is no write to a view
    at.duals.append(_Dual(get_gradient_edge(dual), dual, dual._version, tensor, tangent))
    return dual


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """The tensor and its tangent; None where it depends on no dual tensor, or outside of a level.

    >>> torch.autograd.forward_ad.unpack_dual(torch.ones(2)).tangent is None
    True
    """
    at = _level_of(level)
    tangent = None if at is None else at.tangent_of(tensor)
    if at is None or tangent is None:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(tensor.view_as(tensor) if at.with_grad else _C._without_history(tensor), tangent)
