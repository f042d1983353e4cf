"""torch.finfo and torch.iinfo: the limits of element types."""

from __future__ import annotations

from typing import Any

from . import _C
from ._overridable import torch_function_handler

# bits, precision in bits without the hidden one, least and greatest exponent of normal numbers
_FLOATS = {
    "float16": (16, 10, -14, 15), "bfloat16": (16, 7, -126, 127), "float32": (32, 23, -126, 127), "float64": (64, 52, -1022, 1023),
    "float8_e4m3fn": (8, 3, -6, 8), "float8_e5m2": (8, 2, -14, 15), "float8_e4m3fnuz": (8, 3, -7, 7), "float8_e5m2fnuz": (8, 2, -15, 15),
}  # fmt: skip
# The largest number of e4m3fn would be NaN by its exponent and mantissa.
_LARGEST = {"float8_e4m3fn": 448.0}
# The distance of 1 to the next number is 0.25; PyTorch says this.
_EPS = {"float8_e5m2fnuz": 0.125}
_DEFAULT: Any = object()  # the default dtype; None is an error, as in PyTorch
_PARTS = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}


def _name(dtype: Any) -> str:
    if dtype in (float, complex, int):  # Python's types, as PyTorch takes them
        return {float: "float64", complex: "complex128", int: "int64"}[dtype]
    if not isinstance(dtype, _C.dtype):
        raise TypeError(f"expected a torch.dtype, but got {type(dtype).__name__}")
    return dtype._name


class _OfDtype:
    """A question about a dtype. Asked of the dtype of a proxy it is recorded, and answered when the graph runs."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        kind = torch_function_handler(args, kwargs)
        return super().__new__(cls) if kind is None else kind.__torch_function__(cls, (kind,), args, kwargs)


class finfo(_OfDtype):
    """Limits of a floating dtype (of the parts of a complex one)."""

    dtype: str
    bits: int
    eps: float
    max: float
    min: float
    tiny: float
    smallest_normal: float
    resolution: float

    def __init__(self, type: Any = _DEFAULT):
        name = _name(_C._get_default_dtype() if type is _DEFAULT else type)
        self.dtype = _PARTS.get(name, name)
        if self.dtype not in _FLOATS:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{name}'")
        self.bits, mantissa, low, high = _FLOATS[self.dtype]
        self.eps = 2.0**-mantissa
        self.max = _LARGEST.get(self.dtype, (2 - self.eps) * 2.0**high)
        self.eps = _EPS.get(self.dtype, self.eps)
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0**low
        self.resolution = float(f"1e-{int(mantissa * 0.30103)}")

    def __repr__(self) -> str:
        def g(v: float) -> str:
            return format(v, "g")

        return (
            f"finfo(resolution={g(self.resolution)}, min={g(self.min)}, max={g(self.max)}, eps={g(self.eps)}, "
            f"smallest_normal={g(self.smallest_normal)}, tiny={g(self.tiny)}, dtype={self.dtype})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    __hash__ = None  # type: ignore[assignment]  # as PyTorch has it


class iinfo(_OfDtype):
    """Limits of an integer dtype."""

    dtype: str
    bits: int
    max: int
    min: int

    def __init__(self, type: Any):
        self.dtype = _name(type)
        type = _C._dtypes[self.dtype]
        if type.is_floating_point or type.is_complex or self.dtype == "bool":
            raise TypeError(f"torch.iinfo() requires an integer input type, but got torch.{self.dtype}. Use torch.finfo for floating ones")
        self.bits = type.itemsize * 8
        self.max = 2 ** (self.bits - type.is_signed) - 1
        self.min = -self.max - 1 if type.is_signed else 0

    def __repr__(self) -> str:
        return f"iinfo(min={float(self.min):g}, max={float(self.max):g}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    __hash__ = None  # type: ignore[assignment]  # as PyTorch has it


finfo.__module__ = iinfo.__module__ = "monograph"
