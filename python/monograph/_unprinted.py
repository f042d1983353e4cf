"""What a thread prints while the library runs a function a second time is left out. Other threads print meanwhile: contextlib.redirect_stdout would take
their text too, and two threads at once would leave its stand-in behind."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_here = threading.local()  # depth: how many times this thread is in unprinted()


def is_unprinted() -> bool:
    return getattr(_here, "depth", 0) > 0


class _Stdout:
    """Stands for sys.stdout, and drops what threads inside of unprinted() write."""

    def __init__(self) -> None:
        self.before: Any = None
        self.users = 0

    def write(self, text: str) -> int:
        return len(text) if getattr(_here, "depth", 0) else self.before.write(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.before, name)


def beneath(stream: Any) -> Any:
    """What a stand-in of this module, which another thread may have put there just now, stands for; another stream itself."""
    while type(stream) is _Stdout:
        stream = stream.before
    return stream


# Those that were used, which live on: print() of CPython 3.11 crashes if the sys.stdout that it writes to is freed by another thread.
_stand_ins: list[_Stdout] = []


def _in_place() -> _Stdout:
    """The stand-in that sys.stdout is; it is put there if it is another."""
    for made in _stand_ins:
        if made is sys.stdout and made.users:
            return made
    free = next((made for made in _stand_ins if not made.users and made is not sys.stdout), None)
    if free is None:
        free = _Stdout()
        _stand_ins.append(free)
    free.before = sys.stdout
    sys.stdout = free
    return free


@contextmanager
def unprinted() -> Iterator[None]:
    """In this thread, print shows nothing."""
    with _lock:
        mine = _in_place()
        mine.users += 1
    _here.depth = getattr(_here, "depth", 0) + 1
    try:
        yield
    finally:
        _here.depth -= 1
        with _lock:
            mine.users -= 1
            if not mine.users and sys.stdout is mine:
                sys.stdout = mine.before
