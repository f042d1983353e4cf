"""Which code is the user's, and where it is: for errors, which name the user's line."""

from __future__ import annotations

import linecache
import sys
import sysconfig

from . import _C

_PACKAGE = __file__.rsplit("/", 1)[0] + "/"
_PYTHON = sysconfig.get_paths()["stdlib"] + "/"


@_C._natively
def _is_users(where: str) -> bool:
    """Whether a file is the user's: not of this library, nor of Python's own."""
    if where.startswith((_PACKAGE, "<frozen")):
        return False
    return "site-packages" in where or "dist-packages" in where or not where.startswith(_PYTHON)


def _user_line() -> str:
    """Where the user's program is, with the line itself."""
    frame = sys._getframe(1)
    while frame is not None and not _is_users(frame.f_code.co_filename):
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None:
        return ""
    where, line = frame.f_code.co_filename, frame.f_lineno
    source = _C._unwatched(linecache.getline, where, line).strip()  # so that this read of a file does not count as one of the function
    return f"{where}:{line}: {source}" if source else f"{where}:{line}"
