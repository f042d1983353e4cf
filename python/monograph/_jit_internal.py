"""What torch.nn.functional uses of TorchScript's language: annotations, and what the compiler answers itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, Union

T = TypeVar("T")
# A list of one, two or three numbers, or one number for all of them.
BroadcastingList1 = Union[T, Sequence[T]]  # noqa: UP007
BroadcastingList2 = Union[T, Sequence[T]]  # noqa: UP007
BroadcastingList3 = Union[T, Sequence[T]]  # noqa: UP007


def is_scripting() -> bool:
    """False. TorchScript's compiler takes it for True, and leaves out what is under `if not is_scripting()`."""
    return False
