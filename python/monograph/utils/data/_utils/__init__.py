"""Helpers of data loaders, under the module name that PyTorch has."""

from __future__ import annotations

from . import collate, pin_memory

__all__ = ["collate", "pin_memory"]
