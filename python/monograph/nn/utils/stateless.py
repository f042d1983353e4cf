"""torch.nn.utils.stateless: the older place of torch.func.functional_call, to which its call goes, with PyTorch's warning."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from ..._package import package

if TYPE_CHECKING:
    from ..._tensor import Tensor
    from ..modules.module import Module

__all__ = ["functional_call"]


def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Tensor],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls a module with these tensors in place of its parameters and buffers, as torch.func.functional_call does, and warns that it is deprecated.

    >>> layer = torch.nn.Linear(2, 1)
    >>> torch.nn.utils.stateless.functional_call(layer, {"weight": torch.ones(1, 2), "bias": torch.zeros(1)}, torch.ones(1, 2))
    tensor([[2.]])
    """
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future version of PyTorch. "
        "Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return package().func.functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
