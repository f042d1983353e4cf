"""torch.types: names for annotations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Union

from ._C import Size, SymBool, SymFloat, SymInt, device, dtype, layout, memory_format
from ._tensor import Tensor

__all__ = ["Device", "FileLike", "Number", "Storage"]

_TensorOrTensors = Union[Tensor, Sequence[Tensor]]  # noqa: UP007
_dtype, _device, _layout, _size = dtype, device, layout, Union[Size, list[int], tuple[int, ...]]  # noqa: UP007
_int, _float, _bool, _complex = int, float, bool, complex
_symint = Union[int, SymInt]  # noqa: UP007
IntLikeType = Union[int, SymInt]  # noqa: UP007
FloatLikeType = Union[float, SymFloat]  # noqa: UP007
BoolLikeType = Union[bool, SymBool]  # noqa: UP007
Number = Union[int, float, bool]  # noqa: UP007
py_sym_types = (SymInt, SymFloat, SymBool)
Device = Union[device, str, int, None]  # noqa: UP007
FileLike = Union[str, os.PathLike[str], Any]  # noqa: UP007
_memory_format = memory_format
Storage = Any
