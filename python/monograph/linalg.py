"""torch.linalg, from the records: norms, factorizations, inverses, solvers, eigenvalues and singular values."""

from __future__ import annotations

from . import _C

LinAlgError = _C._LinAlgError

_found = {name.removeprefix("linalg_"): function for name, function in _C._functions()["_linalg"].items() if name.startswith("linalg_")}
globals().update(_found)
__all__ = ["LinAlgError", *sorted(_found)]
