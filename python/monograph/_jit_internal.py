"""What torch.nn.functional uses of TorchScript's language: annotations, and whether a compiler reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, Union

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


# PyTorch notes here functions that a flag chooses between, as max_pool2d with and without indices. Here each is one function, so there is none.
boolean_dispatched: dict[Any, Any] = {}
