"""torch.nn.utils.spectral_norm: the older form, over a hook before forward."""

from __future__ import annotations

from typing import Any, TypeVar

from ... import _VF
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from .. import functional as F
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from ..parameter import Parameter

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]
T = TypeVar("T", bound=Module)


def _as_matrix(weight: Tensor, dim: int) -> Tensor:
    """The weight with `dim` as rows and all others as columns."""
    if dim != 0:
        weight = weight.permute(dim, *(d for d in range(weight.dim()) if d != dim))
    return weight.reshape(weight.size(0), -1)


class SpectralNorm:
    """The hook that divides a weight by its greatest singular value, found by power iteration, before each forward."""

    _version = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The weight with `dim` as rows and all others as columns."""
        return _as_matrix(weight, self.dim)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The weight divided by its greatest singular value. do_power_iteration: goes a step nearer to it first."""
        weight, u, v = (getattr(module, self.name + end) for end in ("_orig", "_u", "_v"))
        matrix = _as_matrix(weight, self.dim)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(_VF.mv(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(_VF.mv(matrix, v), dim=0, eps=self.eps))
                u, v = u.clone(), v.clone()  # a later step writes to them before the gradient of this one
        return weight / _VF.dot(u, _VF.mv(matrix, v))

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for name in (self.name, *(self.name + end for end in ("_u", "_v", "_orig"))):
            delattr(module, name)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Registers the weight as `name_orig` with the two vectors, and the hook."""
        if any(isinstance(h, SpectralNorm) and h.name == name for h in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        with no_grad():
            rows, columns = _as_matrix(weight, dim).shape
            u = F.normalize(weight.new_empty(rows).normal_(0, 1), dim=0, eps=eps)
            v = F.normalize(weight.new_empty(columns).normal_(0, 1), dim=0, eps=eps)
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(SpectralNormStateDictHook(hook))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
        return hook


class SpectralNormLoadStateDictPreHook:
    """Of PyTorch, whose files of whole modules have it: there it makes the vector that the files of its first versions lack."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, *given: Any) -> None:
        """Nothing: loading says that the vector is missing."""


class SpectralNormStateDictHook:
    """Writes the version of the norm beside the module's, as PyTorch does."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Module, state_dict: Any, prefix: str, local_metadata: dict[str, Any]) -> None:
        local_metadata.setdefault("spectral_norm", {})[self.fn.name + ".version"] = self.fn._version


def spectral_norm(module: T, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None) -> T:
    """Divides a weight by its greatest singular value at each forward. nn.utils.parametrizations.spectral_norm is the newer form.

    name: of the parameter. n_power_iterations: steps towards the singular value at each forward in training. eps: against division by zero.
    dim: which dim counts as rows; None: 0, and 1 for transposed convolutions. Raises RuntimeError where there is one already.

    Args:
        module: the layer
        name: the name of the parameter
        n_power_iterations: how many steps of the power iteration each run in training takes
        eps: a small number that keeps divisions from 0
        dim: the dim of the outputs; None: 0, or 1 for a transposed convolution

        >>> layer = nn.utils.spectral_norm(nn.Linear(2, 3))
        >>> list(layer.state_dict())
        ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module: T, name: str = "weight") -> T:
    """Takes spectral_norm() away; the weight stays as it is. Raises ValueError where there is none.

    Args:
        module: the layer
        name: the name of the parameter
    """
    for id_, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[id_]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for hooks in (module._state_dict_hooks, module._load_state_dict_pre_hooks):
        for id_, kept in list(hooks.items()):
            of = getattr(kept, "hook", kept)
            if isinstance(of, (SpectralNormStateDictHook, SpectralNormLoadStateDictPreHook)) and of.fn.name == name:
                del hooks[id_]
    return module
