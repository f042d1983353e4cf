"""torch.nn.parallel: DataParallel, which divides a batch over GPUs. There are none, so it calls its module."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _C
from .modules.module import Module

__all__ = ["DataParallel"]


class DataParallel(Module):
    """Calls a module, as PyTorch's does where there is no GPU to divide the batch over. The names in state_dict() begin with "module.".

    Args:
        module: the module.
        device_ids, output_device, dim: what PyTorch needs to divide the batch. They change nothing.

    >>> import monograph as torch
    >>> net = torch.nn.DataParallel(torch.nn.Linear(2, 1))
    >>> list(net.state_dict())
    ['module.weight', 'module.bias']
    """

    def __init__(
        self, module: Module, device_ids: Sequence[int | _C.device] | None = None, output_device: int | _C.device | None = None, dim: int = 0
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)
