"""torch.nn.utils.parametrize: a parameter that is computed from others at each use."""

from __future__ import annotations

import copy
import copyreg
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations", "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]  # fmt: skip

_open = 0
_values: dict[tuple[int, str], Tensor] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Inside, each parametrized tensor is computed at most once.

        >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(1, 1))
        >>> with nn.utils.parametrize.cached():
        ...     layer.weight is layer.weight
        True
    """
    global _open
    _open += 1
    try:
        yield
    finally:
        _open -= 1
        if _open == 0:
            _values.clear()


def _register(module: Module, name: str, tensor: Tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _set(target: Tensor, value: Tensor) -> None:
    """Gives a tensor the elements and the shape of another; it stays the same object, as optimizers need."""
    target.data = value.data if value.data_ptr() != target.data_ptr() or value.shape != target.shape else target.data


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, with what it is computed from: `original`, or `original0`, `original1`, … register_parametrization makes it.

    modules: the parametrizations. original: the tensor. unsafe: whether they may change its dtype and shape.
    Raises ValueError where a parametrization gives something that cannot take the tensor's place.
    """

    original: Tensor
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Tensor | Parameter, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        new: Any = original
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass  # as one without right_inverse
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError(f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {type(new).__name__}")
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if isinstance(new, Tensor):
            self._take_one(original, new)
        else:
            self._take_several(original, new)
        if not unsafe:
            self._check(self(), dtype, shape)

    def _take_one(self, original: Tensor, new: Tensor) -> None:
        for what in ("dtype", "device"):
            if getattr(original, what) != getattr(new, what):
                raise ValueError(
                    f"When `right_inverse` outputs one tensor, it may not change the {what}.\noriginal.{what}: {getattr(original, what)}\n"
                    f"right_inverse(original).{what}: {getattr(new, what)}"
                )
        with no_grad():
            _set(original, new)
        _register(self, "original", original)

    def _take_several(self, original: Tensor, new: Sequence[Any]) -> None:
        for i, part in enumerate(new):
            if not isinstance(part, Tensor):
                raise ValueError(
                    f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element {i} of the sequence with type {type(part).__name__}."
                )
            if isinstance(original, Parameter):
                part = Parameter(part, original.requires_grad)
            part.requires_grad_(original.requires_grad)
            _register(self, f"original{i}", part)

    def _check(self, made: Any, dtype: Any, shape: Any) -> None:
        if not isinstance(made, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
        for what, before in (("dtype", dtype), ("shape", shape)):
            if getattr(made, what) != before:
                raise ValueError(
                    f"Registering a parametrization may not change the {what} of the tensor, unless `unsafe` flag is enabled.\nunparametrized {what}: {before}\n"
                    f"parametrized {what}: {getattr(made, what)}"
                )

    def right_inverse(self, value: Any) -> None:
        """Sets the original tensors so that the parametrized one is `value`. Raises RuntimeError where a parametrization has no right_inverse."""
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                if value.dtype != self.original.dtype:
                    raise ValueError(f"The tensor returned by `right_inverse` has dtype {value.dtype} while `original` has dtype {self.original.dtype}")
                _set(self.original, value)
                return
            if not isinstance(value, Sequence):
                raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
            if len(value) != self.ntensors:
                raise ValueError(f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a sequence of length {len(value)}.")
            for i, part in enumerate(value):
                own = getattr(self, f"original{i}")
                if own.dtype != part.dtype:
                    raise ValueError(f"Tensor {i} returned by `right_inverse` has dtype {part.dtype} while `original{i}` has dtype {own.dtype}")
                _set(own, part)

    def forward(self) -> Tensor:
        """The parametrized tensor."""
        first, *others = list(self)
        if self.is_tensor:
            value = first(self.original)
        elif self.ntensors == 2:  # as a script can read them: the norm and the direction of a weight
            value = first(self.original0, self.original1)
        else:
            value = first(*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        for module in others:
            value = module(value)
        return value


def _make_class(module: Module) -> None:
    """Gives the module a class of its own, derived from its class, for the properties."""
    cls = type(module)

    def deepcopied(self: Any, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        made = memo[id(self)] = self.__new__(type(self))
        made.__dict__ = copy.deepcopy(self.__dict__, memo)
        for slot in copyreg._slotnames(type(self)):  # type: ignore[attr-defined]
            if hasattr(self, slot):
                setattr(made, slot, copy.deepcopy(getattr(self, slot), memo))
        return made

    def state(self: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
        )

    members: dict[str, Any] = {"__getstate__": state}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = deepcopied
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _make_property(module: Module, name: str) -> None:
    def get(self: Any) -> Tensor:
        parametrization = self.parametrizations[name]
        if not _open:
            return parametrization()
        key = (id(self), name)
        if key not in _values:
            _values[key] = parametrization()
        return _values[key]

    def set_(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(get, set_))


def register_parametrization(module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False) -> Module:
    """Makes a parameter or buffer the result of a module, computed at each use. Several register one after another.

    module, tensor_name: whose tensor. parametrization: its forward takes the original and gives the tensor; with right_inverse(tensor) the tensor can be
    assigned to. unsafe: allows that dtype or shape change, and checks nothing.
    Returns the module. Raises ValueError where the tensor does not exist, or the parametrization gives something else.

    Args:
        module: the layer
        tensor_name: the name of a parameter or buffer
        parametrization: the module that makes the value from what is trained
        unsafe: whether the value may have another shape or dtype than before, without a check

        >>> class Positive(nn.Module):
        ...     def forward(self, x):
        ...         return x.abs()
        >>> layer = nn.utils.parametrize.register_parametrization(nn.Linear(1, 1), "weight", Positive())
        >>> bool(layer.weight >= 0), list(layer.state_dict())
        (True, ['bias', 'parametrizations.weight.original'])
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_more(module, tensor_name, parametrization)
        kept: Any = module.parametrizations[tensor_name]
        kept.append(parametrization)
        kept.unsafe |= unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'")
    made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _make_class(module)
        module.parametrizations = ModuleDict()
    _make_property(module, tensor_name)
    module.parametrizations[tensor_name] = made
    return module


def _check_more(module: Module, name: str, parametrization: Any) -> None:
    """That a further parametrization keeps dtype and shape, forward and back."""
    before = getattr(module, name)
    after = parametrization(before)
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(after, what) != getattr(before, what):
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{what}: {getattr(before, what)}\nparametrization(module.{name}).{what}: {getattr(after, what)}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in ("dtype", "shape"):
        if getattr(back, what) != getattr(before, what):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, unless the `unsafe` flag is enabled.\n"
                f"module.{name}.{what}: {getattr(before, what)}\nreturned {what}: {getattr(back, what)}"
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether this tensor of a module is parametrized, or any where no name is given.

    Args:
        module: the layer
        tensor_name: the name of a parameter or buffer; None: any

        >>> nn.utils.parametrize.is_parametrized(nn.Linear(1, 1))
        False
    """
    kept = getattr(module, "parametrizations", None)
    if not isinstance(kept, ModuleDict):
        return False
    return len(kept) > 0 if tensor_name is None else tensor_name in kept


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Makes a parametrized tensor an ordinary one.

    leave_parametrized: with the value that it has; False: with that of its original, which must be one tensor.
    Returns the module. Raises ValueError where it is not parametrized, or has several originals and leave_parametrized is False.

    Args:
        module: the layer
        tensor_name: the name of the parameter or buffer
        leave_parametrized: whether it keeps the value that the parametrization made; otherwise what was trained

        >>> layer = nn.utils.parametrizations.weight_norm(nn.Linear(1, 1))
        >>> nn.utils.parametrize.remove_parametrizations(layer, "weight")
        Linear(in_features=1, out_features=1, bias=True)
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    kept: Any = module.parametrizations[tensor_name]
    original: Any
    if kept.is_tensor:
        original = kept.original
        if leave_parametrized:
            with no_grad():
                _set(original, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class of the module, as it was before parametrizations.

        >>> nn.utils.parametrize.type_before_parametrizations(nn.utils.parametrizations.weight_norm(nn.Linear(1, 1)))
        <class 'monograph.nn.modules.linear.Linear'>
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module: Module, to_module: Module, tensor_name: str | None = None) -> Module:
    """Registers the parametrizations of one module's tensors, or of one tensor, on another module, and copies the originals. Returns to_module.

    Args:
        from_module: the module that has the parametrizations
        to_module: the module that gets them
        tensor_name: the name of one parameter; None: all
    """
    if not is_parametrized(from_module):
        return to_module
    theirs: Any = from_module.parametrizations
    for name in list(theirs) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in theirs[name]:
            register_parametrization(to_module, name, parametrization)
        ours: Any = to_module.parametrizations[name]
        if hasattr(theirs[name], "original"):
            ours.original = theirs[name].original
        else:
            for i in range(theirs[name].ntensors):
                setattr(ours, f"original{i}", getattr(theirs[name], f"original{i}"))
    return to_module
