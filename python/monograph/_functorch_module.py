"""The module `functorch`, which PyTorch still installs: the older names of torch.func, each with its warning, and modules as functions of their parameters.

It is there where Monograph stands in for torch.
"""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable
from typing import Any

from . import func as _func
from .nn import Module

__version__ = "2.13.0"
__all__ = [
    "FunctionalModule", "FunctionalModuleWithBuffers", "combine_state_for_ensemble", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "make_functional",
    "make_functional_with_buffers", "vjp", "vmap",
]  # fmt: skip


def _deprecated(function: Callable[..., Any], instead: str) -> Callable[..., Any]:
    words = (
        f"We've integrated functorch into PyTorch. As the final step of the integration, `functorch.{function.__name__}` is deprecated as of PyTorch 2.0 and will be "
        f"deleted in a future version of PyTorch >= 2.3. Please use `{instead}` instead; see the PyTorch 2.0 release notes and/or the `torch.func` migration guide for "
        "more details https://pytorch.org/docs/main/func.migrating.html"
    )

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(words, FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    return call


vmap = _deprecated(_func.vmap, "torch.vmap")
grad = _deprecated(_func.grad, "torch.func.grad")
grad_and_value = _deprecated(_func.grad_and_value, "torch.func.grad_and_value")
vjp = _deprecated(_func.vjp, "torch.func.vjp")
jvp = _deprecated(_func.jvp, "torch.func.jvp")
jacrev = _deprecated(_func.jacrev, "torch.func.jacrev")
jacfwd = _deprecated(_func.jacfwd, "torch.func.jacfwd")
hessian = _deprecated(_func.hessian, "torch.func.hessian")
functionalize = _deprecated(_func.functionalize, "torch.func.functionalize")


class FunctionalModuleWithBuffers(Module):
    """A copy of a module as a function of its parameters, its buffers and its inputs."""

    def __init__(self, model: Module) -> None:
        super().__init__()
        self.stateless_model = model
        self.param_names = tuple(name for name, _ in model.named_parameters())
        self.buffer_names = tuple(name for name, _ in model.named_buffers())

    def forward(self, params: Any, buffers: Any, *args: Any, **kwargs: Any) -> Any:
        given = dict(zip(self.param_names, params, strict=True)) | dict(zip(self.buffer_names, buffers, strict=True))
        return _func.functional_call(self.stateless_model, given, args, kwargs)


class FunctionalModule(FunctionalModuleWithBuffers):
    """A copy of a module without buffers as a function of its parameters and its inputs."""

    def forward(self, params: Any, *args: Any, **kwargs: Any) -> Any:
        return super().forward(params, (), *args, **kwargs)


def _parts(made: FunctionalModuleWithBuffers, untracked: bool) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The parameters, or their values, and the buffers of the module's copy."""
    params = tuple(p.detach() if untracked else p for p in made.stateless_model.parameters())
    return params, tuple(made.stateless_model.buffers())


def _make_functional(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, tuple[Any, ...]]:
    if next(model.buffers(), None) is not None:
        raise RuntimeError("make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead.")
    made = FunctionalModule(copy.deepcopy(model))
    return made, _parts(made, disable_autograd_tracking)[0]


def _make_functional_with_buffers(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    made = FunctionalModuleWithBuffers(copy.deepcopy(model))
    return made, *_parts(made, disable_autograd_tracking)


def _combine_state_for_ensemble(models: list[Module]) -> tuple[FunctionalModuleWithBuffers, tuple[Any, ...], tuple[Any, ...]]:
    params, buffers = _func.stack_module_state(models)
    made = FunctionalModuleWithBuffers(copy.deepcopy(models[0]))
    return made, tuple(params[name] for name in made.param_names), tuple(buffers[name] for name in made.buffer_names)


_make_functional.__name__ = "make_functional"
_make_functional_with_buffers.__name__ = "make_functional_with_buffers"
_combine_state_for_ensemble.__name__ = "combine_state_for_ensemble"
make_functional = _deprecated(_make_functional, "torch.func.functional_call")
make_functional_with_buffers = _deprecated(_make_functional_with_buffers, "torch.func.functional_call")
combine_state_for_ensemble = _deprecated(_combine_state_for_ensemble, "torch.func.stack_module_state")
