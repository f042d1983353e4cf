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
