"""Reading and writing safetensors files, spelled as in the package `safetensors.torch`."""

from __future__ import annotations

import os
from typing import Any

from . import _C


def load_file(filename: str | os.PathLike[str], device: str = "cpu") -> dict[str, Any]:
    """The file's tensors by name. They show the mapped file: nothing is read before it is used, and writes stay in memory."""
    if device != "cpu":
        raise NotImplementedError(f"load_file: Monograph runs on the CPU, but device={device!r}")
    return _C._load_safetensors(filename)


def save_file(tensors: dict[str, Any], filename: str | os.PathLike[str], metadata: dict[str, str] | None = None) -> None:
    """Writes the tensors whole or not at all: a file of that name stays as it was until the new one is complete."""
    if not isinstance(tensors, dict):
        raise TypeError(f"save_file expects a dict of tensors, but got {type(tensors).__name__}; of a module, pass module.state_dict()")
    _C._save_safetensors(tensors, filename, metadata)
