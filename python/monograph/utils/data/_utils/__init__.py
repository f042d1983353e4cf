from __future__ import annotations

from . import collate

__all__ = ["collate"]
