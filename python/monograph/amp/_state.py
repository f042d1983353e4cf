"""The settings of autocast in this thread, for each kind of device. On the CPU autocast casts (src/autograd/autocast.h); other settings are only stored."""

from __future__ import annotations

import threading
from typing import Any

from .. import _C

__all__ = [
    "autocast_decrement_nesting", "autocast_increment_nesting", "clear_autocast_cache", "get_autocast_cpu_dtype", "get_autocast_dtype",
    "get_autocast_gpu_dtype", "is_autocast_cache_enabled", "is_autocast_cpu_enabled", "is_autocast_enabled", "set_autocast_cache_enabled",
    "set_autocast_cpu_dtype", "set_autocast_cpu_enabled", "set_autocast_dtype", "set_autocast_enabled", "set_autocast_gpu_dtype",
]  # fmt: skip

# The kinds of devices that autocast has in PyTorch, with the default dtype of each.
DEVICES = {"cpu": "bfloat16", "cuda": "float16", "hpu": "bfloat16", "ipu": "float16", "maia": "bfloat16", "mps": "float16", "mtia": "float16", "privateuseone": "float16", "xla": "bfloat16", "xpu": "float16"}
_OTHERS = "mkldnn opengl opencl ideep hip ve fpga lazy vulkan meta".split()



def autocast_increment_nesting() -> int:
    """Counts a region that opens. Returns the number of open regions. torch.autocast calls it."""
    return _C._enter_autocast()


def autocast_decrement_nesting() -> int:
    """Counts a region that closes. Returns the number of open regions."""
    return _C._leave_autocast()


def clear_autocast_cache() -> None:
    """Forgets the casts of weights that open regions keep."""
    _C._clear_autocast_cache()


class _AutocastSettings(threading.local):
    """The settings for the kinds of devices that Monograph does not have."""

    def __init__(self) -> None:
        self.enabled: dict[str, bool] = {}
        self.dtypes: dict[str, _C.dtype] = {}


_settings = _AutocastSettings()


def _check_kind(device_type: str) -> None:
    """Raises RuntimeError if PyTorch has no such kind of device."""
    if device_type not in DEVICES and device_type not in _OTHERS:
        raise RuntimeError(
            "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, "
            f"privateuseone device type at start of device string: {device_type}"
        )


def checked(function: str, device_type: Any) -> str:
    """The kind of device in an argument. Raises TypeError or RuntimeError if it is not valid."""
    if not isinstance(device_type, str):
        raise TypeError(f"{function}(): argument 'device_type' (position 1) must be str, not {type(device_type).__name__}")
    _check_kind(device_type)
    return device_type


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether a region of torch.autocast is on for this kind of device.

        >>> with torch.autocast("cpu"):
        ...     torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled("cuda")
        (True, False)
    """
    if checked("is_autocast_enabled", device_type) not in DEVICES:
        raise RuntimeError("unknown device type for autocast in get_autocast_dispatch_key_from_device_type")
    return _C._is_autocast_enabled() if device_type == "cpu" else _settings.enabled.get(device_type, False)


def set_autocast_enabled(device_type: str | bool, enabled: bool | None = None) -> None:
    """Switches autocast on or off for this kind of device; torch.autocast calls it. With a bool alone, for "cuda".

        >>> torch.set_autocast_enabled("cpu", False)
    """
    kind, on = ("cuda", device_type) if enabled is None else (device_type, enabled)
    if not isinstance(on, bool):
        raise TypeError(f"set_autocast_enabled(): argument 'enabled' (position {1 if enabled is None else 2}) must be bool, not {type(on).__name__}")
    name = checked("set_autocast_enabled", kind)
    if name == "cpu":
        _C._set_autocast_enabled(on)
    else:
        _settings.enabled[name] = on


def get_autocast_dtype(device_type: str) -> _C.dtype:
    """The dtype in which torch.autocast computes where it is given none.

        >>> torch.get_autocast_dtype("cpu"), torch.get_autocast_dtype("cuda")
        (torch.bfloat16, torch.float16)
    """
    name = checked("get_autocast_dtype", device_type)
    if name not in DEVICES:
        raise RuntimeError("unsupported scalarType")
    return _C._get_autocast_dtype() if name == "cpu" else _settings.dtypes.get(name, _C._dtypes[DEVICES[name]])


def set_autocast_dtype(device_type: str, dtype: _C.dtype) -> None:
    """Sets what get_autocast_dtype says; torch.autocast calls it.

        >>> torch.set_autocast_dtype("cpu", torch.bfloat16)
    """
    if not isinstance(dtype, _C.dtype):
        raise TypeError(f"set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not {type(dtype).__name__}")
    name = checked("set_autocast_dtype", device_type)
    if name == "cpu":
        _C._set_autocast_dtype(dtype)
    else:
        _settings.dtypes[name] = dtype


def is_autocast_cache_enabled() -> bool:
    """Whether regions keep the casts of weights: True at first."""
    return _C._is_autocast_cache_enabled()


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Sets whether regions keep the casts of weights; torch.autocast(cache_enabled=) calls it.

        >>> torch.set_autocast_cache_enabled(True)
    """
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool (got {type(enabled).__name__})")
    _C._set_autocast_cache_enabled(enabled)


def is_autocast_cpu_enabled() -> bool:
    """The older spelling of is_autocast_enabled("cpu")."""
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """The older spelling of set_autocast_enabled("cpu", enabled)."""
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> _C.dtype:
    """The older spelling of get_autocast_dtype("cpu")."""
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: _C.dtype) -> None:
    """The older spelling of set_autocast_dtype("cpu", dtype)."""
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> _C.dtype:
    """The older spelling of get_autocast_dtype("cuda")."""
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: _C.dtype) -> None:
    """The older spelling of set_autocast_dtype("cuda", dtype)."""
    set_autocast_dtype("cuda", dtype)
