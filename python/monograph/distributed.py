"""torch.distributed: not planned. Programs ask whether it is there; anything else raises."""

from __future__ import annotations


def is_available() -> bool:
    """Whether training on several machines is there: no."""
    return False


def is_initialized() -> bool:
    """Whether a group of processes was begun: no."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether torchelastic started this process: no."""
    return False


class ProcessGroup:
    """A group of processes, which packages name in annotations. There is none."""


class ReduceOp:
    """How processes join their tensors, which packages name in defaults. Nothing here does."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM, UNUSED = range(10)
