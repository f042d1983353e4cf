"""What torch.nn.functional uses of TorchScript's language: annotations, and whether a compiler reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, Union

T = TypeVar("T")
# A list of one, two or three numbers, or one number for all of them.
BroadcastingList1 = Union[T, Sequence[T]]  # noqa: UP007
BroadcastingList2 = Union[T, Sequence[T]]  # noqa: UP007
BroadcastingList3 = Union[T, Sequence[T]]  # noqa: UP007


def is_scripting() -> bool:
    """Whether the code runs compiled from its source: never here. A compiler leaves out what stands under `if not is_scripting()`.

    >>> torch.jit.is_scripting()
    False
    """
    return False
