"""torch.special: what is there of it, from the records."""

from __future__ import annotations

from . import _C

_found = {name.removeprefix("special_"): function for name, function in _C._functions()["_special"].items() if not name.endswith("_")}
globals().update(_found)
__all__ = sorted(_found)
