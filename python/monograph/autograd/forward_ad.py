"""torch.autograd.forward_ad: forward-mode gradients, which are not part of Monograph yet. The names are here to say so; no tensor has a tangent."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"torch.autograd.forward_ad.{name}: forward-mode gradients are not part of Monograph yet. torch.autograd.functional.jvp computes the same product with two "
        "backward passes"
    )


class dual_level:
    """Raises NotImplementedError: use torch.autograd.functional.jvp."""

    def __init__(self) -> None:
        _refuse("dual_level")


def enter_dual_level() -> NoReturn:
    """Raises NotImplementedError: use torch.autograd.functional.jvp."""
    _refuse("enter_dual_level")


def exit_dual_level(*, level: int | None = None) -> NoReturn:
    """Raises NotImplementedError: use torch.autograd.functional.jvp."""
    _refuse("exit_dual_level")


def make_dual(tensor: Any, tangent: Any, *, level: int | None = None) -> NoReturn:
    """Raises NotImplementedError: use torch.autograd.functional.jvp."""
    _refuse("make_dual")


class UnpackedDualTensor(NamedTuple):
    """The result of unpack_dual: the tensor, and its tangent or None."""

    primal: Any
    tangent: Any


def unpack_dual(tensor: Any, *, level: int | None = None) -> UnpackedDualTensor:
    """The tensor and None, its tangent: as in PyTorch outside of dual_level(), which Monograph cannot enter.

        >>> torch.autograd.forward_ad.unpack_dual(torch.ones(2)).tangent is None
        True

    Raises NotImplementedError for a level.
    """
    if level is not None and level >= 0:
        _refuse("unpack_dual")
    return UnpackedDualTensor(tensor, None)
