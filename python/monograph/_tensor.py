"""torch.Tensor: the methods that are written in Python, such as pickling, copying and hooks. All others come from the operator records
(monograph._C.TensorBase)."""

from __future__ import annotations

import copyreg
import math
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _C, _qschemes, _tensor_str
from ._user_code import _user_line
from ._warnings import TracerWarning

if TYPE_CHECKING:
    from .autograd import RemovableHandle
    from .storage import TypedStorage, UntypedStorage

_dtype = _C._dtypes
# Tensor.bool and Tensor.int hide these inside the class.
_bool: TypeAlias = bool
_int: TypeAlias = int
_float: TypeAlias = float


def _rebuild(
    cls: Any,
    data: bytes | None,  # the bytes of the whole storage; None for a tensor on the meta device
    dtype: Any,
    layout: tuple[tuple[int, ...], tuple[int, ...], int],
    requires_grad: bool,
    state: tuple[dict[str, Any], dict[str, Any]] | None,
) -> Any:
    """The tensor that a pickle describes (Tensor.__reduce_ex__). Pickles name this function."""
    from . import _VF

    size, stride, offset = layout
    if data:
        flat = _C.frombuffer(bytearray(data), dtype=dtype).clone()
    else:
        count = 0 if 0 in size or data is not None else offset + 1 + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
        flat = _VF.empty([count], dtype=dtype, device="meta" if data is None else "cpu")
    view = flat.as_strided(size, stride, offset)
    tensor = view.detach() if cls is Tensor else cls._make_subclass(cls, view)
    tensor.requires_grad = requires_grad
    _set_state(tensor, state or ({}, {}))
    return tensor


def _state(tensor: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The user's own attributes of a tensor: its __dict__, and the values of its __slots__."""
    slots = copyreg._slotnames(type(tensor))  # type: ignore[attr-defined]
    return tensor.__dict__, {name: getattr(tensor, name) for name in slots if hasattr(tensor, name)}


def _set_state(tensor: Any, state: tuple[dict[str, Any], dict[str, Any]]) -> None:
    attributes, slots = state
    tensor.__dict__.update(attributes)
    for name, value in slots.items():
        setattr(tensor, name, value)


def _as_subclass(result: Any, cls: Any) -> Any:
    """The plain tensors in a result as tensors of a subclass; they share memory."""
    if type(result) is Tensor:
        return result.as_subclass(cls)
    return type(result)(_as_subclass(r, cls) for r in result) if isinstance(result, (tuple, list)) else result


class Tensor(_C.TensorBase, metaclass=_C._TensorMeta):
    """A multi-dimensional array of one element type: a strided view of a storage that views share."""

    __array_priority__ = 1000
    _text_name = "tensor"  # what a text calls it; a subclass has its own name

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Runs the operator on plain tensors. If a subclass calls it, the result is of the subclass."""
        if any(type(a).__module__.partition(".")[0] == "torch" for a in args):  # PyTorch would call __torch_function__ again, without an end
            raise TypeError("a tensor of PyTorch and one of Monograph in one call; torch.from_dlpack(x) makes a tensor of either share the memory of x")
        with DisableTorchFunctionSubclass():
            result = func(*args, **(kwargs or {}))
        return result if cls is Tensor or (type(func) is _GETTER and func in _AS_THEY_ARE) else _as_subclass(result, cls)

    # Text ---------------------------------------------------------------------------------------------------------------------------
    def __repr__(self, *, tensor_contents: str | None = None) -> str:
        if _C._hands_over(self):
            return _C._hand_over(Tensor.__repr__, self, tensor_contents=tensor_contents)
        kind = vars(type(self)).get("_text_name", type(self).__name__)
        if not _C._is_capturing():
            return f"Tensor(%{self._is_symbolic})" if self._is_symbolic else _tensor_str.tensor_str(self, kind)
        _warn_of_text()
        return f"Tensor(%{self._is_symbolic})" if self._is_symbolic else _C._unseen(_tensor_str.tensor_str, self, kind)

    def __format__(self, spec: str) -> str:
        if _C._hands_over(self):
            return _C._hand_over(Tensor.__format__, self, spec)
        if self.dim() != 0 or self.is_meta or type(self) is not Tensor:
            return object.__format__(self, spec)
        if not _C._is_capturing():
            return self.item().__format__(spec)
        _warn_of_text()
        return repr(self) if self._is_symbolic else _C._unseen(lambda t: t.item().__format__(spec), self)

    # Python's protocols -------------------------------------------------------------------------------------------------------------
    def __iter__(self) -> Any:
        if self.dim() == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __reversed__(self) -> Tensor:
        if _C._hands_over(self):
            return _C._hand_over(Tensor.__reversed__, self)
        return self if self.dim() == 0 else self.flip(0)

    def __contains__(self, element: Any) -> bool:
        if _C._hands_over(self):
            return _C._hand_over(Tensor.__contains__, self, element)
        if isinstance(element, (Tensor, int, float, complex)):
            return bool((self == element).any().item())
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        try:
            array = self.numpy()
        except RuntimeError as error:
            if not _C._is_capturing():
                raise
            raise RuntimeError(
                f"{error}\nA NumPy function or a NumPy array in your code asks for them. Turn an array into a tensor, which becomes a constant of the graph: "
                "torch.from_numpy(array)"
            ) from None
        if dtype is not None:
            array = array.astype(dtype, copy=False)
        return array.copy() if copy else array

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return _C.from_numpy(array)

    def __complex__(self) -> complex:
        if self.numel() != 1:
            raise ValueError(f"only one element tensors can be converted to Python scalars, but this one has {self.numel()}; take one element first, for example x[0]")
        return complex(self.item())

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment; use .detach().clone()"
            )
        import copy

        # Copies share memory if the tensors did.
        if _C._capture_hook() is not None and not _C._is_captured(self):
            result = self._with_own_type(self._copied_once(memo))
        else:
            result = self._with_own_type(_C._deepcopied(self, memo))
        memo[id(self)] = result
        _set_state(result, copy.deepcopy(_state(self), memo))
        if self.grad is not None:
            result.grad = copy.deepcopy(self.grad, memo)
        return result

    def _copied_once(self, memo: dict[int, Any]) -> Any:
        """A copy that a capture sees; it cannot see that the memory of two copies is one."""
        if self.numel():
            key = ("copied while captured", self.untyped_storage().data_ptr())
            if memo.setdefault(key, self) is not self:  # type: ignore[call-overload]
                raise NotImplementedError(
                    "copy.deepcopy of tensors that share memory is not captured; copy each of them by .clone(), or copy them outside of the captured function"
                )
        return self.detach().clone()

    def __copy__(self) -> Any:
        result = self._with_own_type(self.detach())  # it shares the memory, as in PyTorch
        _set_state(result, _state(self))
        return result

    def _with_own_type(self, plain: Any) -> Any:
        """A plain tensor with the class and the requires_grad of this one."""
        result = plain if type(self) is Tensor else type(self)._make_subclass(type(self), plain, False, self._is_parameter)
        result.requires_grad = self._requires_grad
        return result

    def __reduce_ex__(self, protocol: Any) -> Any:
        data = None if self.is_meta else _C._storage_bytes(self)
        layout = (tuple(self.shape), self.stride(), self.storage_offset())
        state = _state(self)
        return (_rebuild, (type(self), data, self.dtype, layout, self._requires_grad, state if any(state) else None))

    def qscheme(self) -> _qschemes.qscheme:
        """How a quantized tensor counts: torch.per_tensor_affine or torch.per_channel_affine."""
        return _qschemes.SCHEMES[_C.TensorBase.qscheme(self)]  # type: ignore[attr-defined]

    # Memory -------------------------------------------------------------------------------------------------------------------------
    def untyped_storage(self) -> UntypedStorage:
        """The memory that this tensor shows, whole; views share it."""
        from .storage import UntypedStorage

        return UntypedStorage._of(_C._storage_of(self)[1])

    def storage_type(self) -> type[TypedStorage]:
        """The class of its storage, such as torch.FloatStorage."""
        from .storage import LEGACY, _name_of_dtype

        return LEGACY[_name_of_dtype[self.dtype]]

    def storage(self) -> TypedStorage:
        """The memory that this tensor shows, as elements of its dtype."""
        from .storage import TypedStorage

        return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype)

    _typed_storage = storage

    def set_(self, *source: object, **named: object) -> Tensor:
        """Shows the memory of a tensor or a storage from now on. Without one: no memory.

        source: the tensor or storage; behind it storage_offset, size and stride. Of a storage without them, all its elements in one dim.

        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> torch.empty(0).set_(x.untyped_storage(), 1, (2,), (1,))
        tensor([2., 3.])
        """
        from .storage import TypedStorage, UntypedStorage

        first = source[0] if source else named.get("source")
        if isinstance(first, (TypedStorage, UntypedStorage)):
            if isinstance(first, TypedStorage) and first.dtype != self.dtype:
                raise RuntimeError(
                    f"set_(): expected a storage of the tensor's dtype, {self.dtype}, but got one of {first.dtype}; "
                    "write storage.untyped(), which has no dtype"
                )
            count = first.nbytes() // self.element_size()
            memory = _C._tensor_over(first.untyped()._bytes, self.dtype, 0, [count], [1])
            if source:
                source = (memory, *source[1:])
            else:
                named["source"] = memory
        base: Any = _C.TensorBase
        result: Tensor = base.set_(self, *source, **named)
        return result

    # Gradients ----------------------------------------------------------------------------------------------------------------------
    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: _bool | None = None,
        create_graph: _bool = False,
        inputs: Tensor | Sequence[Tensor] | None = None,
    ) -> None:
        """Adds the gradients of this tensor to .grad of the leaves that it was computed from."""
        if _C._hands_over(self):
            named = {"gradient": gradient, "retain_graph": retain_graph, "create_graph": create_graph, "inputs": inputs}
            return _C._hand_over(Tensor.backward, self, **named)
        from .autograd import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Calls hook(grad) when the gradient is computed; what it returns takes the gradient's place."""
        from .autograd import HandleOfHook

        return HandleOfHook(_C._add_hook(self, hook))

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Calls hook(tensor) each time that a backward pass has added to .grad of this leaf.

        >>> x = torch.ones(2, requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
        >>> (x * 3).sum().backward()
        tensor([3., 3.])
        >>> handle.remove()
        """
        from .autograd import HandleOfHook

        return HandleOfHook(_C._add_accumulation_hook(self, hook))

    def retain_grad(self) -> None:
        """Keeps .grad of a tensor that is no leaf."""
        _C._retain_grad(self)

    @property
    def retains_grad(self) -> _bool:
        """Whether `retain_grad` was called, and this tensor is no leaf."""
        return _C._retains_grad(self)

    def _is_view(self) -> _bool:
        """Whether this tensor is a view of another one, as autograd tracks views."""
        if _C._is_captured(self):
            raise RuntimeError(
                f"_is_view() of a captured tensor is decided outside of the graph, and each run would have the answer of the capture:\n  {_user_line()}\n"
                "Pass what depends on it as an input, or use torch.compile"
            )
        return _C._is_view(self)

    def detach_(self) -> Tensor:
        """Takes the tensor itself out of the recorded operators: it is a leaf that does not require grad. Returns it."""
        captured = _C._is_captured(self)
        if captured and self._requires_grad and self.is_leaf:
            raise RuntimeError(
                f"detach_() changes a tensor that the captured function was given, and a run of the graph would not:\n  {_user_line()}\n"
                "Write x = x.detach(), which makes another tensor, or call detach_() outside"
            )
        detached = self.detach() if captured else None
        _C._detach_in_place(self)
        if detached is not None:  # from here on, a graph takes the one without a history
            _C._stands_for(self, detached)
        return self

    # What PyTorch writes in Python ----------------------------------------------------------------------------------------------------
    @property
    def volatile(self) -> _bool:
        """False: it was removed. Write `with torch.no_grad():`."""
        warnings.warn("volatile was removed (Variable.volatile is always False)", stacklevel=2)
        return False

    @volatile.setter
    def volatile(self, value: object) -> None:
        warnings.warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.", stacklevel=2)

    def resize(self, *sizes: _int) -> Tensor:
        """An old name of reshape, for sizes that are all given. RuntimeError for another number of elements."""
        warnings.warn("non-inplace resize is deprecated", stacklevel=2)
        if math.prod(sizes) != self.numel():
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({math.prod(sizes)} elements in total), but the given tensor has a size of "
                f"{'x'.join(map(str, self.shape))} ({self.numel()} elements). autograd's resize can only change the shape of a given tensor, while preserving "
                "the number of elements. "
            )
        return self.contiguous().view(*sizes)

    def resize_as(self, tensor: Tensor) -> Tensor:
        """An old name of reshape_as."""
        warnings.warn("non-inplace resize_as is deprecated", stacklevel=2)
        return self.resize(*tensor.size())

    def norm(
        self,
        p: _float | str | None = "fro",
        dim: _int | Sequence[_int] | None = None,
        keepdim: _bool = False,
        dtype: _C.dtype | None = None,
    ) -> Tensor:
        """As torch.norm of this tensor."""
        from .functional import norm

        return norm(self, p, dim, keepdim, dtype=dtype)

    def stft(
        self,
        n_fft: _int,
        hop_length: _int | None = None,
        win_length: _int | None = None,
        window: Tensor | None = None,
        center: _bool = True,
        pad_mode: str = "reflect",
        normalized: _bool = False,
        onesided: _bool | None = None,
        return_complex: _bool | None = None,
        align_to_window: _bool | None = None,
    ) -> Tensor:
        """As torch.stft of this tensor."""
        from .functional import stft

        return stft(self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window)

    def adjoint(self) -> Tensor:
        """As torch.adjoint of this tensor."""
        return self.mH

    def lu(self, pivot: _bool = True, get_infos: _bool = False) -> tuple[Tensor, Tensor] | tuple[Tensor, Tensor, Tensor]:
        """As torch.lu of this tensor."""
        from .functional import lu

        return lu(self, pivot, get_infos)

    def nonzero(self, *, as_tuple: _bool = False) -> Tensor | tuple[Tensor, ...]:
        """As torch.nonzero of this tensor."""
        from .functional import nonzero

        return nonzero(self, as_tuple=as_tuple)

    def where(self, condition: Tensor, other: Tensor | complex) -> Tensor:
        """This tensor where `condition` is true, else `other`."""
        from . import _VF, overrides

        if overrides.has_torch_function_variadic(condition, other):
            return overrides.handle_torch_function(Tensor.where, (self, condition, other), self, condition, other)

        return _VF.where(condition, self, other)

    def polygamma(self, n: _int) -> Tensor:
        """The `n`-th derivative of digamma."""
        from . import _VF

        return _VF.polygamma(n, self)

    def polygamma_(self, n: _int) -> Tensor:
        """polygamma, written into the tensor."""
        if not self.is_floating_point():
            raise RuntimeError(
                f"result type Float can't be cast to the desired output type {_TYPE_NAMES[self.dtype]}; convert the tensor first, for example with float()"
            )
        return self.copy_(self.clone().polygamma(n))

    def float_power_(self, exponent: Tensor | complex) -> Tensor:
        """float_power, written into the tensor, which must be of float64, or of complex128 where one of the two is complex.

        >>> torch.tensor([1.0, 2.0], dtype=torch.float64).float_power_(3)
        tensor([1., 8.], dtype=torch.float64)
        """
        parts = self.is_complex() or (exponent.is_complex() if isinstance(exponent, Tensor) else isinstance(exponent, complex))
        wide = _dtype["complex128" if parts else "float64"]
        if self.dtype != wide:
            raise RuntimeError(
                f"the base given to float_power_ has dtype {_TYPE_NAMES[self.dtype]} but the operation's result requires dtype {_TYPE_NAMES[wide]}; "
                f"write x.to({wide}) first, or x.float_power(exponent)"
            )
        return self.pow_(exponent.to(wide) if isinstance(exponent, Tensor) else exponent)

    def apply_(self, callable: Callable[[complex], complex | Tensor]) -> Tensor:
        """Writes into each element what a function of Python gives for it: slow, and without gradients.

        callable: takes the number that item() gives, and gives a number. Raises RuntimeError where the tensor requires grad.

        >>> torch.tensor([1.0, 4.0]).apply_(lambda v: v + 1)
        tensor([2., 5.])
        """
        self._check_elementwise("apply_", callable)
        return self if self.is_meta else self._assign_each([callable(v) for v in self.flatten().tolist()])

    def map_(self, other: Tensor, callable: Callable[[complex, complex], complex | Tensor]) -> Tensor:
        """Writes into each element what a function of Python gives for it and the element of `other` beside it: slow, and without gradients.

        other: a tensor of the same dtype, which broadcasts to this size. callable: takes two numbers, and gives one. Raises RuntimeError where one of the
        tensors requires grad, and TypeError for another dtype.

        >>> torch.tensor([1.0, 4.0]).map_(torch.tensor([2.0]), lambda a, b: a * b)
        tensor([2., 8.])
        """
        if not isinstance(other, Tensor):
            raise TypeError(f"map_(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
        self._check_elementwise("map_", callable, other)
        if other.dtype != self.dtype:
            raise TypeError(
                f"map_: expected torch.{_TYPE_NAMES[self.dtype]}Tensor for 'other' (got torch.{_TYPE_NAMES[other.dtype]}Tensor); write other.to({self.dtype})"
            )
        pairs = zip(self.flatten().tolist(), other.expand(self.shape).flatten().tolist(), strict=True)
        return self._assign_each([callable(a, b) for a, b in pairs])

    def _check_elementwise(self, name: str, function: object, *others: Tensor) -> None:
        if any(t.requires_grad for t in (self, *others)):
            raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
        if not callable(function):
            raise TypeError(f"'{type(function).__name__}' object is not callable: {name}() calls it for each element")

    def _assign_each(self, values: list[Any]) -> Tensor:
        if wrong := [v for v in values if not isinstance(v, (_bool, _int, _float, complex, Tensor)) and not hasattr(v, "__float__")]:
            raise TypeError(f"must be real number, not {type(wrong[0]).__name__}: the function gave it for an element")
        return self.copy_(_C.tensor(values, dtype=self.dtype).view(self.shape))

    def dim_order(self, *, ambiguity_check: _bool | list[_C.memory_format] = False) -> tuple[_int, ...]:
        """The dims from the one with the largest stride to the one with the smallest, as they lie in memory.

        ambiguity_check: True raises RuntimeError where sizes of 1 or equal strides leave the order open; a list of memory formats does so where
        not exactly one of them fits.

        >>> torch.ones(2, 3).dim_order(), torch.ones(2, 3).t().dim_order()
        ((0, 1), (1, 0))
        """
        formats = ambiguity_check if isinstance(ambiguity_check, list) else []
        if not isinstance(ambiguity_check, (_bool, list)) or not all(isinstance(f, _C.memory_format) for f in formats):
            raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
        strides = self.stride()
        is_open = 1 in self.shape or any(a == b for a, b in zip(strides, strides[1:], strict=False))
        if ambiguity_check is not False and is_open and sum(self.is_contiguous(memory_format=f) for f in formats) != 1:
            raise RuntimeError("The tensor does not have unique dim order, or cannot map to exact one of the given memory formats.")
        order, certain = _order_of_dims(self)
        if ambiguity_check and not certain:
            raise RuntimeError("The tensor does not have unique dim order.")
        return order

    def module_load(self, other: Tensor, assign: _bool = False) -> Tensor:
        """What load_state_dict puts in the place of this tensor, if torch.__future__ asks for swapping: this tensor with the elements of `other`, or, with
        assign=True, `other` itself."""
        return (other if assign else self.copy_(other)).detach()

    def const_data_ptr(self) -> _int:
        """The address of the first element, for reading."""
        return self.data_ptr()

    def unique(
        self, sorted: _bool = True, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None
    ) -> Tensor | tuple[Tensor, ...]:
        """As torch.unique of this tensor."""
        from .functional import unique

        return unique(self, sorted, return_inverse, return_counts, dim)

    def unique_consecutive(
        self, return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None
    ) -> Tensor | tuple[Tensor, ...]:
        """As torch.unique_consecutive of this tensor."""
        from .functional import unique_consecutive

        return unique_consecutive(self, return_inverse, return_counts, dim)

    # Conversions --------------------------------------------------------------------------------------------------------------------
    def float(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in float32."""
        return self.to(_dtype["float32"], memory_format=memory_format)

    def double(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in float64."""
        return self.to(_dtype["float64"], memory_format=memory_format)

    def half(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in float16."""
        return self.to(_dtype["float16"], memory_format=memory_format)

    def bfloat16(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in bfloat16."""
        return self.to(_dtype["bfloat16"], memory_format=memory_format)

    def chalf(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in complex32."""
        return self.to(_dtype["complex32"], memory_format=memory_format)

    def byte(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in uint8."""
        return self.to(_dtype["uint8"], memory_format=memory_format)

    def char(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in int8."""
        return self.to(_dtype["int8"], memory_format=memory_format)

    def short(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in int16."""
        return self.to(_dtype["int16"], memory_format=memory_format)

    def int(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in int32."""
        return self.to(_dtype["int32"], memory_format=memory_format)

    def long(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in int64."""
        return self.to(_dtype["int64"], memory_format=memory_format)

    def bool(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in bool: False where an element is 0."""
        return self.to(_dtype["bool"], memory_format=memory_format)

    def cfloat(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in complex64."""
        return self.to(_dtype["complex64"], memory_format=memory_format)

    def cdouble(self, *, memory_format: _C.memory_format | None = None) -> Tensor:
        """The tensor in complex128."""
        return self.to(_dtype["complex128"], memory_format=memory_format)

    def cpu(self, *, memory_format: _C.memory_format | None = _C.preserve_format) -> Tensor:
        """The tensor on the CPU, where it is. NotImplementedError for a tensor on "meta", which has no elements."""
        if memory_format in (None, _C.preserve_format) and not self.is_meta:
            return self
        return self.to(device="cpu", memory_format=memory_format)

    def pin_memory(self, device: _C.device | str | None = None) -> Tensor:
        """Raises RuntimeError, as PyTorch without a GPU: memory is pinned for copies to one."""
        if _C.device("cuda").type == "cpu":  # MONOGRAPH_DEVICE_FALLBACK
            return self
        raise RuntimeError("Cannot access accelerator device when none is available. Monograph runs on the CPU: leave pin_memory() out")

    def is_pinned(self, device: _C.device | str | None = None) -> _bool:
        """Whether the memory is pinned for copies to a GPU: no."""
        return False

    def is_shared(self) -> _bool:
        """Whether processes share the memory: no."""
        return False

    def cuda(
        self,
        device: _C.device | _int | str | None = None,
        non_blocking: _bool = False,
        memory_format: _C.memory_format = _C.preserve_format,
    ) -> Tensor:
        """Raises NotImplementedError: there is no GPU. With MONOGRAPH_DEVICE_FALLBACK=cpu in the environment, the tensor itself."""
        return self.to(device=_C.device("cuda" if device is None else device), non_blocking=non_blocking, memory_format=memory_format)

    def type(self, dtype: _C.dtype | str | object | None = None, non_blocking: _bool = False) -> str | Tensor:
        """The name of its old tensor class, such as "torch.FloatTensor"; with `dtype`, the tensor in that dtype."""
        if dtype is None:
            return f"torch.{_TYPE_NAMES[self.dtype]}Tensor"
        if not isinstance(dtype, _C.dtype):
            from ._legacy import dtype_of_type

            legacy_dtype = dtype_of_type(dtype)
            if legacy_dtype is None:
                name = dtype if isinstance(dtype, str) else f"{getattr(dtype, '__module__', '')}.{getattr(dtype, '__name__', '')}"
                if not isinstance(dtype, str) and not isinstance(dtype, type):
                    raise TypeError(f"type(): dtype must be a type, str, or dtype object, not {name.rpartition('.')[2] or type(dtype).__name__}; write torch.float32")
                gpu = "cuda" in name.split(".")
                if gpu and _C.device("cuda").type == "cpu":  # MONOGRAPH_DEVICE_FALLBACK
                    return self.type(name.replace("torch.cuda.", "torch."))
                raise (RuntimeError if gpu else ValueError)(
                    f"type({dtype!r}): Monograph runs on the CPU; leave 'cuda.' out, or set the environment variable MONOGRAPH_DEVICE_FALLBACK=cpu"
                    if gpu
                    else f"invalid type: {dtype!r}. Write a dtype, as torch.float32, or what x.type() gives, as 'torch.FloatTensor'"
                )
            return self.to(legacy_dtype)
        return self.to(dtype)

    # New tensors like this one ------------------------------------------------------------------------------------------------------
    def new_tensor(
        self, data: object, *, dtype: _C.dtype | None = None, device: _C.device | str | None = None, requires_grad: _bool = False
    ) -> Tensor:
        """A new tensor of `data`, a list or a number, with the dtype and device of this one unless others are given."""
        if dtype is None and self._is_symbolic and not requires_grad:
            try:
                dtype = self.dtype
            except RuntimeError:  # the dtype is not known before the graph runs
                new = _C.tensor(data, device=device or "cpu")
                return (_C.tensor(data, dtype=_C._dtypes["float64"], device=new.device) if new.is_floating_point() else new).to(self)
        return _C._new_tensor(data, dtype or self.dtype, self.device if device is None else device, requires_grad)

    def new(self, *args: _int | Sequence[object] | Tensor | UntypedStorage | TypedStorage, size: Sequence[_int] | None = None, device: _C.device | str | None = None) -> Tensor:
        """The old way to make a tensor of this dtype: of sizes, whose elements are not set; of a sequence's values; over a storage. new_empty and new_tensor are newer.

        size: sizes by name. device: the device of this tensor, or None. Raises TypeError for data of another kind.

        >>> torch.ones(2).new([1, 2]), torch.ones(2).new(2, 3).shape
        (tensor([1., 2.]), torch.Size([2, 3]))
        """
        from ._legacy import of_dtype

        if device is not None and _C.device(device).type != self.device.type:
            raise TypeError(f"new(): the device is that of the tensor, {self.device}, but got {device}; write x.new_empty(sizes, device={str(device)!r})")
        sizes: Any = size if size is not None and not args else args[0] if len(args) == 1 and isinstance(args[0], _C.Size) else args
        if all(isinstance(n, (_int, _C.SymInt)) for n in sizes):
            return self.new_empty(sizes if len(sizes) or args or size is not None else (0,))
        if self.is_meta:
            raise TypeError(f"new(): of a tensor on the meta device it takes sizes, but got {', '.join(type(a).__name__ for a in args)}")
        return of_dtype(self.dtype, args)


Tensor.backward._asks_itself = True  # type: ignore[attr-defined]
# x.grad and x._base of a subclass are the tensors that they are: they do not become objects of the subclass.
_members: Any = Tensor
_GETTER = type(_members.grad.__get__)
_AS_THEY_ARE = (_members.grad.__get__, _members._base.__get__)

_TYPE_NAMES = {
    _dtype["float32"]: "Float", _dtype["float64"]: "Double", _dtype["float16"]: "Half", _dtype["bfloat16"]: "BFloat16",
    _dtype["uint8"]: "Byte", _dtype["int8"]: "Char", _dtype["int16"]: "Short", _dtype["int32"]: "Int", _dtype["int64"]: "Long",
    _dtype["bool"]: "Bool", _dtype["complex64"]: "ComplexFloat", _dtype["complex128"]: "ComplexDouble",
    _dtype["uint16"]: "UInt16", _dtype["uint32"]: "UInt32", _dtype["uint64"]: "UInt64", _dtype["complex32"]: "ComplexHalf",
    _dtype["float8_e4m3fn"]: "Float8_e4m3fn", _dtype["float8_e5m2"]: "Float8_e5m2", _dtype["float8_e4m3fnuz"]: "Float8_e4m3fnuz",
    _dtype["float8_e5m2fnuz"]: "Float8_e5m2fnuz",
    _dtype["quint8"]: "quantized.QUInt8", _dtype["qint8"]: "quantized.QInt8", _dtype["qint32"]: "quantized.QInt32",
}  # fmt: skip


def _order_of_dims(x: Tensor) -> tuple[tuple[int, ...], bool]:
    """The dims from the outermost to the innermost in memory, and whether each comparison of two of them has an answer."""
    plain = x.is_contiguous()
    last = x.dim() == 4 and x.is_contiguous(memory_format=_C.channels_last)
    if x.dim() < 2 or (plain and not last):
        return tuple(range(x.dim())), True
    if last and not plain:
        return (0, 2, 3, 1), True
    strides, sizes, certain = x.stride(), x.shape, True

    def compare(inner: int, outer: int) -> int:
        """-1: they stand right. 1: the other way around. 0: it is open."""
        if 0 in (strides[inner], strides[outer]):
            return 0
        if strides[inner] == strides[outer]:
            return 0 if sizes[outer] >= sizes[inner] else 1
        return -1 if strides[outer] > strides[inner] else 1

    order = list(reversed(range(x.dim())))  # from the innermost
    for i in range(1, len(order)):
        at = i
        for before in reversed(range(i)):
            answer = compare(order[before], order[at])
            if answer < 0:
                break
            if answer > 0:
                order[before], order[at] = order[at], order[before]
                at = before
            else:
                certain = False
    return tuple(reversed(order)), certain


def _warn_of_text() -> None:
    """Warns, once for each line, that the text of a traced tensor is the example's: printing it is fine, but the graph does not compute it."""
    _C._check_text()
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    warnings.warn_explicit(
        "str(), repr() or an f-string reads a traced tensor. The text shows the values of the example, and the graph does not contain it. To print it is fine; "
        "but a value that the function computes from the text stays the same for every input. Take numbers with int(), float() or item(), which are guarded",
        TracerWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        registry=frame.f_globals.setdefault("__warningregistry__", {}),
    )


_PACKAGE = os.path.dirname(__file__) + os.sep


class DisableTorchFunctionSubclass:
    """A context in which operators treat tensors of subclasses as plain tensors."""

    def __enter__(self) -> None:
        _C._torch_function_off(1)

    def __exit__(self, *exc: object) -> None:
        _C._torch_function_off(-1)


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """The same, and no torch.overrides.TorchFunctionMode gets a call."""

    def __enter__(self) -> None:
        self._modes = _C._set_function_modes(0)
        super().__enter__()

    def __exit__(self, *exc: object) -> None:
        super().__exit__(*exc)
        _C._set_function_modes(self._modes)


def _disabled_torch_function_impl(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    with DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


_C._disabled_torch_function_impl = _disabled_torch_function_impl
_C._set_disabled_torch_function(_disabled_torch_function_impl)
_C.DisableTorchFunctionSubclass, _C.DisableTorchFunction = DisableTorchFunctionSubclass, DisableTorchFunction
Tensor.__module__ = "monograph"
_C._set_tensor_type(Tensor)
