"""torch.nn.utils.weight_norm: the older form, over a hook before forward."""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

from ... import _VF
from ..._tensor import Tensor
from ..modules.module import Module
from ..parameter import Parameter

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]
T = TypeVar("T", bound=Module)


class WeightNorm:
    """The hook that makes a weight of its length and its direction before each forward."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """The weight of the module's parameters."""
        return _VF._weight_norm(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        """Splits the weight in two parameters, and registers the hook."""
        warnings.warn(
            "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.", FutureWarning, stacklevel=3
        )
        if any(isinstance(h, WeightNorm) and h.name == name for h in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        hook = WeightNorm(name, dim)
        weight = getattr(module, name)
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(_VF.norm_except_dim(weight, 2, hook.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"], module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: T, name: str = "weight", dim: int | None = 0) -> T:
    """Splits a weight into its length `name_g` and its direction `name_v`. Old, with a warning: nn.utils.parametrizations.weight_norm is the newer form.

    dim: the dim over which lengths are kept apart; None: one length. Raises RuntimeError where the weight is split already.

    Args:
        module: the layer
        name: the name of the parameter
        dim: the dim over whose elements the norms are apart; None: one norm of the whole weight

        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     layer = nn.utils.weight_norm(nn.Linear(2, 3))
        >>> layer.weight_g.shape
        torch.Size([3, 1])
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: T, name: str = "weight") -> T:
    """Takes weight_norm() away; the weight stays as it is. Raises ValueError where there is none.

    Args:
        module: the layer
        name: the name of the parameter
    """
    for id_, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[id_]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
