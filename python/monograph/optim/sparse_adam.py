from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["SparseAdam"]


class SparseAdam:
    """Adam for sparse gradients, which Monograph does not have: making one raises NotImplementedError. Use ``Adam``.

    >>> import monograph as torch
    >>> torch.optim.SparseAdam([torch.ones(1, requires_grad=True)])
    Traceback (most recent call last):
        ...
    NotImplementedError: torch.optim.SparseAdam needs sparse gradients, and sparse tensors are not planned (docs/scope.md). Use torch.optim.Adam
    """

    def __init__(self, params: Any, lr: Any = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, maximize: bool = False) -> None:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise NotImplementedError(
            "torch.optim.SparseAdam needs sparse gradients, and sparse tensors are not planned (docs/scope.md). Use torch.optim.Adam"
        )
