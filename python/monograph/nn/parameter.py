"""Parameter and Buffer: tensors that a Module registers when they are assigned to it."""

from __future__ import annotations

from typing import Any

from .. import _C, _VF
from .._tensor import Tensor


class _ParameterMeta(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_parameter", False) is True)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that is a parameter of the module to which it is assigned. One that is made of a tensor of a subclass keeps that class."""

    __torch_function__ = _C._disabled_torch_function_impl
    _text_name = "tensor"

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = _C.tensor([])
        if not isinstance(data, Tensor) and not hasattr(data, "detach"):
            kind = type(data).__name__
            raise AttributeError(f"'{kind}' object has no attribute 'detach': Parameter() takes a Tensor, but got {kind}; make one with torch.tensor(...)")
        if not isinstance(requires_grad, bool):
            raise TypeError(f"Parameter(): argument 'requires_grad' must be bool, not {type(requires_grad).__name__}; write True or False")
        if cls is Parameter and type(data) not in (Tensor, Parameter) and isinstance(data, Tensor):
            return Tensor._make_subclass(type(data), data, requires_grad, True)
        return Tensor._make_subclass(cls, data, requires_grad, True)

    def __repr__(self) -> str:  # type: ignore[override]
        return "Parameter containing:\n" + super().__repr__()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Its elements and requires_grad. As in PyTorch, the copy has no gradient and no attributes of the program, and shares memory with no other copy."""
        if id(self) not in memo:
            data = self.detach().clone()
            memo[id(self)] = self._with_own_type(data) if type(self) is Parameter else type(self)(data, self._requires_grad)
        return memo[id(self)]

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


class UninitializedTensorMixin:
    """What UninitializedParameter and UninitializedBuffer share: a tensor that waits for its size."""

    cls_to_become: Any = None
    _allowed_methods: Any = (
        Tensor.__hash__, Tensor.size, Tensor.copy_, Tensor.is_complex, Tensor.is_floating_point, Tensor.half, Tensor.float, Tensor.double, Tensor.char,
        Tensor.short, Tensor.int, Tensor.long, Tensor.cuda, Tensor.cpu, Tensor.to, Tensor.get_device,
    )  # fmt: skip

    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Gives the tensor its size. Its elements are not set. It becomes a Parameter or a tensor."""
        self.data = _VF.empty(tuple(shape), device=self.data.device if device is None else device, dtype=self.data.dtype if dtype is None else dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` when trying to load an uninitialized "
            "parameter into an initialized one. Call `forward` to initialize the parameters before accessing their attributes."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        return type(self), (self.requires_grad,)

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]

    @classmethod
    def __torch_function__(cls: Any, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func in cls._allowed_methods or getattr(func, "__name__", "") in ("__get__", "__set__"):
            with _C.DisableTorchFunctionSubclass():
                result = func(*args, **(kwargs or {}))
            # In another dtype or on another device it waits for its size too.
            return cls(args[0].requires_grad, result.device, result.dtype) if type(result) is Tensor and func in cls._allowed_methods else result
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {func}. It belongs to a lazy layer, or is a torch.nn.parameter.{cls.__name__}: "
            "call the layer with a batch of the right size first, or materialize(size) of the parameter"
        )


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc, override, metaclass]
    """A parameter that waits for its size. materialize(size) makes it a Parameter. Its device and dtype may change before.

    >>> weight = nn.UninitializedParameter()
    >>> weight.materialize((2, 3))
    >>> type(weight).__name__, weight.shape
    ('Parameter', torch.Size([2, 3]))
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return Tensor._make_subclass(cls, _VF.empty((0,), device=device, dtype=dtype), requires_grad, True)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # type: ignore[misc, override]
    """A buffer that waits for its size. materialize(size) makes it a tensor."""

    cls_to_become = Tensor

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True) -> Any:
        made: Any = Tensor._make_subclass(cls, _VF.empty((0,), device=device, dtype=dtype), requires_grad)
        made.persistent, made._is_buffer = persistent, True
        return made


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer waits for its size."""
    return isinstance(param, UninitializedTensorMixin)
