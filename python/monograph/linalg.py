"""torch.linalg: what is there of it, from the records."""

from __future__ import annotations

from . import _C

norm = _C._linalg.linalg_norm
vector_norm = _C._linalg.linalg_vector_norm
cross = _C._linalg.linalg_cross
