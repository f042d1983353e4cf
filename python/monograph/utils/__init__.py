"""torch.utils: loading data (data) and recomputing in place of storing (checkpoint)."""

from __future__ import annotations

from .. import _absent
from . import data

__all__ = ["data"]

__getattr__ = _absent.of_module(__name__)
