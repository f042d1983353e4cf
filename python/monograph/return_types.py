"""torch.return_types: the types of results that have names, such as `values` and `indices` of `x.max(0)`. Pickles refer to them."""

from __future__ import annotations

from typing import Any

from . import _C, _tree

globals().update(_C._return_types())


class histogramdd(tuple[Any, ...]):
    """What torch.histogramdd returns: `hist` and `bin_edges`. The other types are made from records of operators; this is a function of Python."""

    __slots__ = ()
    n_fields, n_sequence_fields, n_unnamed_fields = 2, 2, 0

    @property
    def hist(self) -> Any:
        return self[0]

    @property
    def bin_edges(self) -> tuple[Any, ...]:
        return self[1]

    def __repr__(self) -> str:
        return f"torch.return_types.histogramdd(\nhist={self[0]!r},\nbin_edges={self[1]!r})"


histogramdd.__module__ = "monograph.return_types"
_tree.register_result(histogramdd, histogramdd)
