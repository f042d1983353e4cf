"""torch.sparse: what is there of it. Monograph has no sparse tensors, so its functions take dense ones, as PyTorch's do too."""

from __future__ import annotations

from . import _C

mm = _C._functions()["_sparse"]["_sparse_mm"]
__all__ = ["mm"]
