"""The place where PyTorch keeps its helpers of data loaders."""

from __future__ import annotations

from . import collate

__all__ = ["collate"]
