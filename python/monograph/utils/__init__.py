"""torch.utils: loading data (data) and recomputing in place of storing (checkpoint)."""

from __future__ import annotations

from .. import _absent
from . import checkpoint, data

__all__ = ["checkpoint", "data"]

__getattr__ = _absent.of_module(__name__)
