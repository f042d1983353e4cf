"""Helpers of data loaders, under the module name that PyTorch has."""

from __future__ import annotations

from . import collate

__all__ = ["collate"]
