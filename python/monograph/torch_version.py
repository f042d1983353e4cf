"""torch.torch_version: a version that compares as a version."""

from __future__ import annotations

import re
from typing import Any


def _parts(version: Any) -> tuple[int, ...]:
    if isinstance(version, tuple):
        return tuple(int(p) for p in version)
    numbers = [int(n) for n in re.match(r"[\d.]*", str(version)).group().split(".") if n]  # type: ignore[union-attr]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


class TorchVersion(str):
    """A text such as "2.13.0" that compares with texts and tuples as a version.

    >>> TorchVersion("2.13.0") > "2.9", TorchVersion("2.13.0") >= (2, 13), TorchVersion("2.13.0") == "2.13"
    (True, True, True)
    """

    def _compared(self, other: Any) -> int:
        mine, theirs = _parts(str(self)), _parts(other)
        while theirs and theirs[-1] == 0:
            theirs = theirs[:-1]
        return (mine > theirs) - (mine < theirs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (str, tuple)) and self._compared(other) == 0

    def __hash__(self) -> int:
        return hash(str.__str__(self))

    def __lt__(self, other: Any) -> bool:
        return self._compared(other) < 0

    def __le__(self, other: Any) -> bool:
        return self._compared(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._compared(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self._compared(other) >= 0
