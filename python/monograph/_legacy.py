"""torch.FloatTensor and its relatives: types of old programs, each a dtype on a device. And torch.asarray."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from . import _C
from ._package import package

if TYPE_CHECKING:
    from ._tensor import Tensor

_NAMES = {
    "FloatTensor": "float32", "DoubleTensor": "float64", "HalfTensor": "float16", "BFloat16Tensor": "bfloat16", "ByteTensor": "uint8",
    "CharTensor": "int8", "ShortTensor": "int16", "IntTensor": "int32", "LongTensor": "int64", "BoolTensor": "bool",
}  # fmt: skip


class tensortype(type):
    """The type of torch.FloatTensor: a call makes a tensor, and isinstance() asks for a tensor of this dtype on this device."""

    dtype: _C.dtype
    is_cuda: bool

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _C.TensorBase) and not cls.is_cuda and not instance.is_meta and instance.dtype == cls.dtype

    def __call__(cls, *args: Any, size: Any = None, device: Any = None) -> Any:
        return _made(cls, (_C.Size(size),) if size is not None and not args else args, device)

    def __repr__(cls) -> str:
        return f"<class '{cls.__module__.replace('monograph', 'torch', 1)}.{cls.__name__}'>"


def _made(kind: tensortype, args: tuple[Any, ...], device: Any) -> Tensor:
    """A tensor of sizes, of data, over a storage, or another name of a tensor of this dtype."""
    from . import _VF
    from .storage import TypedStorage, UntypedStorage

    name = f"torch.{kind.__name__}"
    if device is not None and _C.device(device).type != "cpu":
        raise RuntimeError(f"legacy constructor expects device type: cpu but device type: {_C.device(device).type} was passed")
    if kind.is_cuda and _C.device("cuda").type != "cpu":
        raise TypeError(
            f"type torch.cuda.{kind.__name__} not available. Monograph runs on the CPU; write torch.tensor(data, dtype={kind.dtype}), "
            "or set the environment variable MONOGRAPH_DEVICE_FALLBACK=cpu"
        )
    first = args[0] if args else None
    if not args:
        return _VF.empty([0], dtype=kind.dtype, device="cpu")
    if isinstance(first, int) and not isinstance(first, bool):
        return _VF.empty(list(args), dtype=kind.dtype, device="cpu")
    if len(args) > 1:
        raise TypeError(
            f"{name}() takes sizes as ints, or one sequence, tensor or storage; got {', '.join(type(a).__name__ for a in args)}"
        )
    if isinstance(first, _C.Size):
        return _VF.empty(list(first), dtype=kind.dtype, device="cpu")
    if isinstance(first, (TypedStorage, UntypedStorage)):
        if isinstance(first, TypedStorage) and first.dtype != kind.dtype:
            raise RuntimeError(
                f"{name}(): Expected a Storage of type {kind.dtype} or an UntypedStorage, but got one of {first.dtype} for argument 1 'storage'; "
                "storage.untyped() gives its bytes"
            )
        data = first._untyped_storage._bytes
        count = data.numel() // kind.dtype.itemsize
        return _C._tensor_over(data, kind.dtype, 0, [count], [1])
    if isinstance(first, _C.TensorBase):
        if first.dtype != kind.dtype:
            raise TypeError(f"{name}(): expected a tensor of {kind.dtype}, but got one of {first.dtype}; write x.to({kind.dtype})")
        return first.detach()
    if isinstance(first, str):
        raise TypeError("new(): invalid data type 'str'")
    if not hasattr(first, "__len__") or isinstance(first, (set, dict)):
        raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
    return package().as_tensor(first, dtype=kind.dtype, device="cpu")  # over the memory of an array of this dtype


def of_dtype(dtype: _C.dtype, args: tuple[Any, ...]) -> Tensor:
    """What torch.FloatTensor(*args) makes, of any dtype: complex ones have no such type."""
    return _made(SimpleNamespace(__name__="Tensor.new", dtype=dtype, is_cuda=False), args, None)  # type: ignore[arg-type]


def _type(name: str, home: str, is_cuda: bool) -> tensortype:
    dtype = _C._dtypes[_NAMES[name]]
    where = "the GPU, of which there is none: a call raises TypeError" if is_cuda else "the CPU"
    text = f"""Tensors of {dtype} on {where}.

    A call with ints makes a tensor of these sizes whose elements are not set; with a sequence or array, one of its values; with a storage, one over it;
    with a tensor of this dtype, another name of it. isinstance() asks for the dtype. Raises TypeError for other arguments; torch.tensor(data, dtype=) is the newer way.

        >>> torch.LongTensor([1, 2]), isinstance(torch.ones(2), torch.FloatTensor)
        (tensor([1, 2]), True)
    """
    return tensortype(
        name, (), {"__module__": home, "__doc__": text, "dtype": dtype, "is_cuda": is_cuda, "layout": _C.strided, "is_sparse": False}
    )


TYPES = {name: _type(name, "monograph", False) for name in _NAMES}
CUDA_TYPES = {name: _type(name, "monograph.cuda", True) for name in _NAMES}


def dtype_of_type(kind: object) -> _C.dtype | None:
    """The dtype of torch.FloatTensor, or of its name; None of anything else, and of a type on a GPU."""
    if kind is package().Tensor or kind == "torch.Tensor":
        return _C._get_default_dtype()
    if isinstance(kind, str) and kind.startswith("torch."):
        kind = TYPES.get(kind.removeprefix("torch."))
    return kind.dtype if isinstance(kind, tensortype) and not kind.is_cuda else None


def _scalar_type(dtype: Any) -> str:
    """PyTorch's word for a dtype in messages: Float."""
    kinds = {name: kind.removesuffix("Tensor") for kind, name in _NAMES.items()}
    return kinds.get(dtype._name) or {"complex64": "ComplexFloat", "complex128": "ComplexDouble"}[dtype._name]


def asarray(
    obj: object,
    *,
    dtype: _C.dtype | None = None,
    device: _C.device | str | None = None,
    copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:
    """A tensor of what is there: the same memory where it can be, a copy where the dtype or the device asks for one.

    obj: a tensor, a NumPy array, an object with __dlpack__, a buffer (read as `dtype`), a number or sequence.
    copy: True always copies; False raises ValueError where a copy is needed; None copies where it must.
    requires_grad: of the result.

    Args:
        obj: a tensor, an array, a buffer, a number or a sequence
        dtype: the dtype of the result; None: that of obj
        device: the device of the result; None: that of obj
        copy: True: always a copy; False: an error where one is needed; None: a copy where one is needed
        requires_grad: whether operations on the result are recorded for gradients

        >>> x = torch.ones(2)
        >>> torch.asarray(x) is x, torch.asarray([1, 2])
        (True, tensor([1, 2]))
    """
    if device is None and _C._default_device().type != "cpu":
        device = _C._default_device()
    shared = _shared(obj, dtype)
    wanted_device = shared.device if device is None and shared is not None else _C.device("cpu" if device is None else device)
    if shared is None:
        if copy is False:
            raise ValueError("can't alias arbitrary sequence into a tensor.")
        made: Any = _C.tensor(obj, dtype=dtype, device=wanted_device)
    else:
        differs = (dtype is not None and dtype != shared.dtype) or wanted_device != shared.device
        if differs and copy is False:
            if wanted_device != shared.device:
                raise ValueError(f"can't alias tensor from device '{shared.device}' to '{wanted_device}'.")
            raise ValueError(f"can't alias tensor with dtype '{_scalar_type(shared.dtype)}' into dtype '{_scalar_type(dtype)}'.")
        made = shared.to(device=wanted_device, dtype=dtype or shared.dtype, copy=True) if differs or copy else shared
    if requires_grad is None:
        return made
    if requires_grad and not made.requires_grad:
        return made.requires_grad_()
    return made.detach() if made.requires_grad and not requires_grad else made


def _shared(obj: Any, dtype: _C.dtype | None) -> Any:
    """A tensor over the memory of the object, where it has such."""
    from .storage import TypedStorage, UntypedStorage

    if isinstance(obj, _C.TensorBase):
        return obj
    if isinstance(obj, (TypedStorage, UntypedStorage)):
        return of_dtype(obj.dtype if isinstance(obj, TypedStorage) else _C._dtypes["uint8"], (obj,))
    if type(obj).__module__ == "numpy":
        import numpy as np

        return _C.from_numpy(obj if isinstance(obj, np.ndarray) else np.asarray(obj).copy())
    if hasattr(obj, "__dlpack__"):
        return _C.from_dlpack(obj)
    if isinstance(obj, (bytearray, memoryview, bytes)):
        return _C.frombuffer(obj, dtype=dtype or _C._get_default_dtype())
    return None
