"""Parameters of distributions of two outcomes: probs or logits, each of which follows from the other."""

from __future__ import annotations

import numbers
from typing import Any

from .. import _C
from .._tensor import Tensor
from .distribution import Distribution
from .utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


def check_one_given(probs: Any, logits: Any) -> None:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


class Binary(Distribution):
    """Has `probs` and `logits`: the one that was given, and the other computed when it is first read."""

    _param: Tensor

    def _set(self, probs: Any, logits: Any, *beside: Any) -> tuple[Tensor, ...]:
        """Stores the one that is given, broadcast with other parameters. Returns those."""
        check_one_given(probs, logits)
        *rest, given = broadcast_all(*beside, logits if probs is None else probs)
        setattr(self, "logits" if probs is None else "probs", given)
        self._param = given
        return tuple(rest)

    def _copy_to(self, new: Any, batch_shape: Any) -> None:
        for name in ("probs", "logits"):
            if name in self.__dict__:
                setattr(new, name, getattr(self, name).expand(batch_shape))
        new._param = new.__dict__["probs" if self._param is self.__dict__.get("probs") else "logits"]

    @lazy_property
    def logits(self) -> Any:
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Any:
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def param_shape(self) -> _C.Size:
        """The shape of probs and logits."""
        return self._param.size()


def is_number(*values: Any) -> bool:
    return all(isinstance(v, numbers.Number) for v in values)
