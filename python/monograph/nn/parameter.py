"""Parameter and Buffer: tensors that a Module registers when they are assigned to it."""

from __future__ import annotations

from typing import Any

from .. import _C, _absent
from .._tensor import Tensor


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_parameter", False) is True)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that is a parameter of the module to which it is assigned. One that is made of a tensor of a subclass keeps that class."""

    __torch_function__ = _C._disabled_torch_function_impl

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = _C.tensor([])
        if cls is Parameter and type(data) not in (Tensor, Parameter) and isinstance(data, Tensor):
            return Tensor._make_subclass(type(data), data, requires_grad, True)
        return Tensor._make_subclass(cls, data, requires_grad, True)

    def __repr__(self) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return (_rebuild, (self.detach(), self._requires_grad, self.__dict__ or None))


def _rebuild(data: Tensor, requires_grad: bool, state: dict[str, Any] | None) -> Parameter:
    made = Parameter(data, requires_grad)
    if state:
        made.__dict__.update(state)
    return made


class _BufferMeta(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False))


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that is a buffer of the module to which it is assigned."""

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        made: Any = (_C.tensor([]) if data is None else data).detach().requires_grad_(False if data is None else data._requires_grad)
        made._is_buffer, made.persistent = True, persistent
        return made

    __torch_function__ = _C._disabled_torch_function_impl


Parameter.__module__ = Buffer.__module__ = "monograph.nn.parameter"
_C._set_parameter_type(Parameter)


# What layers without a known size have in PyTorch until their first call, which packages ask isinstance() of.
_OF_LAZY_LAYERS = ("UninitializedBuffer", "UninitializedParameter", "UninitializedTensorMixin")


def is_lazy(param: Any) -> bool:
    """Whether a parameter waits for its size: none does."""
    return False


def __getattr__(name: str) -> Any:
    if name in _OF_LAZY_LAYERS and _absent.stands_in():
        return _absent.stand_in_for(f"torch.nn.parameter.{name}")
    return _absent.of_module(__name__)(name)
