"""torch.linalg: what is there of it, from the records."""

from __future__ import annotations

from . import _VF

norm = _VF.linalg_norm
vector_norm = _VF.linalg_vector_norm
cross = _VF.linalg_cross
