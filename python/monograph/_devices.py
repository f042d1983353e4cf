"""Modules of devices that are not there (torch.mps, torch.xpu, torch.mtia, torch.accelerator): the questions that programs ask first."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from . import _C, _absent
from ._package import package


def _device_module(name: str) -> ModuleType:
    """A module that answers as PyTorch's does where there is no such device."""
    module = ModuleType(f"{__name__.partition('.')[0]}.{name}", f"torch.{name}: there is no such device. The questions that programs ask first have PyTorch's answers.")
    answers: dict[str, Any] = {
        "is_available": lambda: False,
        "device_count": lambda: 0,
        "is_initialized": lambda: False,
        "manual_seed": lambda seed: None,
        "manual_seed_all": lambda seed: None,
        "seed": lambda: None,
        "empty_cache": lambda: None,
        "memory_allocated": lambda device=None: 0,
    }
    sys.modules[module.__name__] = module
    vars(module).update(answers)
    _absent.complete(module)
    return module


mps, xpu, mtia = _device_module("mps"), _device_module("xpu"), _device_module("mtia")
accelerator = _device_module("accelerator")
vars(accelerator).update(
    current_accelerator=lambda check_available=False: None, synchronize=lambda device=None: None, current_device_index=lambda: 0, set_device_index=lambda device: None
)


def get_device_module(device: _C.device | str | None = None) -> ModuleType:
    """The module of a kind of device: torch.cpu, which None means, torch.cuda, ... Raises RuntimeError for a kind that has none.

    >>> torch.get_device_module("cuda").__name__
    'monograph.cuda'
    """
    kind = "cpu" if device is None else device.type if isinstance(device, _C.device) else str(device).partition(":")[0]
    module = getattr(package(), kind, None) if kind in ("cpu", "cuda", "mps", "xpu", "mtia", "meta") else None
    if module is None:
        raise RuntimeError(
            f"Invalid device string '{device}'" if not isinstance(device, (_C.device, str, type(None))) else f"Expected a device with a module such as torch.cpu, but got '{device}'"
        )
    return module
