"""torch.return_types: the types of results that have names, such as `values` and `indices` of `x.max(0)`. Pickles refer to them."""

from __future__ import annotations

from . import _C

globals().update(_C._return_types())
