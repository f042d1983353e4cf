"""Settings of the process and questions about objects, of the namespace torch: most of them change nothing here, which their words say."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, TypeGuard

from . import _C
from ._legacy import dtype_of_type
from .storage import TypedStorage, UntypedStorage

if TYPE_CHECKING:
    from ._tensor import Tensor

__all__ = [
    "AcceleratorError", "OutOfMemoryError", "has_lapack", "has_spectral", "compiled_with_cxx11_abi", "get_num_interop_threads", "has_cuda", "has_cudnn", "has_mkl", "has_mkldnn", "has_mps", "has_openmp", "is_inference",
    "set_num_interop_threads",
    "are_deterministic_algorithms_enabled", "get_default_device", "get_deterministic_debug_mode", "get_float32_matmul_precision",
    "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "is_deterministic_algorithms_warn_only_enabled", "is_storage", "is_warn_always_enabled", "set_default_device", "set_default_tensor_type",
    "set_deterministic_debug_mode", "set_float32_matmul_precision", "set_flush_denormal", "set_warn_always", "typename", "use_deterministic_algorithms",
]  # fmt: skip

_matmul_precision = "highest"
_deterministic = _warn_only = _warn_always = False
_MODES = ["default", "warn", "error"]
_interop_threads = 1
# Libraries that PyTorch may be built with; none of them is used here.
has_mkl = has_mkldnn = has_openmp = has_cuda = has_cudnn = has_mps = False
has_lapack = has_spectral = True  # torch.linalg and torch.fft work


class OutOfMemoryError(RuntimeError):
    """What PyTorch raises where a GPU has too little memory. Programs catch it; nothing raises it here."""

    __module__ = "torch"


class AcceleratorError(RuntimeError):
    """What PyTorch raises for an error of a GPU. Programs catch it; nothing raises it here."""

    __module__ = "torch"


def compiled_with_cxx11_abi() -> bool:
    """Whether the library was built with the C++11 interface of the standard library: yes."""
    return True


def get_num_interop_threads() -> int:
    """What set_num_interop_threads was given; 1 at first. Monograph's pool runs one operator at a time."""
    return _interop_threads


def set_num_interop_threads(num: int) -> None:
    """Keeps the number. Monograph's pool runs one operator at a time, whatever it is.

        >>> torch.set_num_interop_threads(1)
    """
    global _interop_threads
    if not isinstance(num, int) or isinstance(num, bool):
        raise RuntimeError(f"set_num_interop_threads expects an int, but got {type(num).__name__}")
    if num <= 0:
        raise RuntimeError("set_num_interop_threads expects a positive integer")
    _interop_threads = num


def is_inference(input: Tensor) -> bool:
    """Whether the tensor was made in inference_mode.

        >>> torch.is_inference(torch.ones(1))
        False
    """
    return input.is_inference()


def get_default_device() -> _C.device:
    """Where functions make tensors if a call names no device: the device of the innermost `with torch.device(...)`, or what set_default_device was given.

        >>> torch.get_default_device()
        device(type='cpu')
    """
    return _C._default_device()


def set_default_device(device: _C.device | str | int | None) -> None:
    """Functions that make tensors (zeros, rand, tensor, ...) make them on this device if a call names none. It holds for this thread. None is the CPU.

    `with torch.device("meta"):` does the same for a block. Raises NotImplementedError for a device other than the CPU and meta.

        >>> torch.set_default_device("meta")
        >>> torch.ones(2).device
        device(type='meta')
        >>> torch.set_default_device("cpu")
    """
    kind = _C.device("cpu" if device is None else device)
    if kind.type not in ("cpu", "meta"):
        raise NotImplementedError(
            f"set_default_device({str(kind)!r}): Monograph runs on the CPU. Leave the call out, use set_default_device('cpu'), or set the environment "
            "variable MONOGRAPH_DEVICE_FALLBACK=cpu"
        )
    _C._set_default_device(kind)


def set_default_tensor_type(t: type | str) -> None:
    """The old way, with a warning, to set the default dtype: by a type such as torch.DoubleTensor, or its name. Raises TypeError for a type that is not floating.

        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     torch.set_default_tensor_type("torch.FloatTensor")
    """
    warnings.warn("set_default_tensor_type() is deprecated; use torch.set_default_dtype()", stacklevel=2)
    dtype = dtype_of_type(t)
    if dtype is None:
        raise TypeError(f"invalid type object: {t!r}. Write a type as torch.FloatTensor, or call torch.set_default_dtype(torch.float32)")
    if not dtype.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _C._set_default_dtype(dtype)


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Keeps the setting. Monograph's algorithms are deterministic in both, and memory of torch.empty is not filled.

    mode: whether algorithms must be deterministic. warn_only: kept too.

        >>> torch.use_deterministic_algorithms(True)
        >>> torch.are_deterministic_algorithms_enabled()
        True
        >>> torch.use_deterministic_algorithms(False)
    """
    global _deterministic, _warn_only
    _deterministic, _warn_only = bool(mode), bool(mode) and bool(warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether use_deterministic_algorithms(True) was called last."""
    return _deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether use_deterministic_algorithms(True, warn_only=True) was called last."""
    return _warn_only


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """use_deterministic_algorithms by one word or number: "default" or 0, "warn" or 1, "error" or 2. Raises TypeError or RuntimeError for another.

        >>> torch.set_deterministic_debug_mode("default")
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _MODES:
            raise RuntimeError(f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}")
        debug_mode = _MODES.index(debug_mode)
    if not 0 <= debug_mode <= 2:
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    """0, 1 or 2, as set_deterministic_debug_mode takes it."""
    return (1 if _warn_only else 2) if _deterministic else 0


def get_float32_matmul_precision() -> str:
    """What set_float32_matmul_precision was given last; "highest" at first."""
    return _matmul_precision


def set_float32_matmul_precision(precision: str) -> None:
    """Keeps the setting. Monograph multiplies float32 matrices in float32 whatever it is.

    precision: "highest", "high" or "medium". Another one changes nothing and warns.

        >>> torch.set_float32_matmul_precision("highest")
    """
    global _matmul_precision
    if precision not in ("highest", "high", "medium"):
        warnings.warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the current setting is kept", stacklevel=2)
        return
    _matmul_precision = precision


def set_flush_denormal(mode: bool) -> bool:
    """Whether the setting holds now. Monograph computes with denormal numbers always, so it is False where they shall be flushed.

        >>> torch.set_flush_denormal(True), torch.set_flush_denormal(False)
        (False, True)
    """
    return not mode


def set_warn_always(b: bool, /) -> None:
    """Keeps the setting; Monograph's warnings are Python's, whose filters decide how often they show.

        >>> torch.set_warn_always(False)
    """
    global _warn_always
    _warn_always = bool(b)


def is_warn_always_enabled() -> bool:
    """What set_warn_always was given last."""
    return _warn_always


def typename(obj: object, /) -> str:
    """What kind of object it is: x.type() of a tensor, else the full name of its type.

        >>> torch.typename(torch.ones(2)), torch.typename(torch.nn.ReLU)
        ('torch.FloatTensor', 'torch.nn.modules.activation.ReLU')
    """
    if isinstance(obj, _C.TensorBase):
        return obj.type()  # type: ignore[attr-defined]
    module = getattr(obj, "__module__", "") or ""
    qualname = getattr(obj, "__qualname__", "")
    if not qualname:
        module, qualname = getattr(type(obj), "__module__", ""), type(obj).__qualname__
    module = "" if module in ("", "builtins") else module.replace("monograph", "torch", 1) + "."
    return module + qualname


def is_storage(obj: object, /) -> TypeGuard[TypedStorage | UntypedStorage]:
    """Whether it is a storage.

        >>> torch.is_storage(torch.ones(2).untyped_storage()), torch.is_storage(torch.ones(2))
        (True, False)
    """
    return isinstance(obj, (TypedStorage, UntypedStorage))


def is_anomaly_enabled() -> bool:
    """Whether an error of a backward pass names the line of the forward pass that caused it (torch.autograd.set_detect_anomaly)."""
    return _C._is_anomaly_enabled()


def is_anomaly_check_nan_enabled() -> bool:
    """Whether a NaN in a gradient is an error in anomaly mode."""
    return _C._is_anomaly_check_nan()
