"""Annotations of TorchScript's language, which torch.nn.functional's signatures use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, Union

T = TypeVar("T")
# A list of one, two or three numbers, or one number for all of them.
BroadcastingList1 = Union[T, Sequence[T]]  # noqa: UP007
BroadcastingList2 = Union[T, Sequence[T]]  # noqa: UP007
BroadcastingList3 = Union[T, Sequence[T]]  # noqa: UP007
