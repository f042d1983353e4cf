"""The text of a tensor, as PyTorch prints it.

All numbers have the same width. Of a long dimension only the first and last elements are shown. Dtype, device and grad_fn follow if they are not
the usual ones.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

from . import _C, _qschemes


class PrintOptions:
    """precision: decimals; threshold: elements from which on only edges print; edgeitems: how many at each edge; sci_mode: None decides by values."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


options = PrintOptions()
_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors print. `profile` is "default", "short" or "full"; the other arguments change single options of it.

    Args:
        precision: how many digits stand behind the point (default 4)
        threshold: from how many elements on a part is shown (default 1000)
        edgeitems: how many elements of each end are shown then (default 3)
        linewidth: how many characters a line has (default 80)
        profile: "default", "short" or "full"
        sci_mode: True or False: with or without exponents; None: as the values need it
    """
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"profile must be one of {', '.join(_PROFILES)}, but got {profile!r}")
        options.__dict__.update(_PROFILES[profile])
    if precision is not None:
        options.precision = precision
    if threshold is not None:
        options.threshold = threshold
    if edgeitems is not None:
        options.edgeitems = edgeitems
    if linewidth is not None:
        options.linewidth = linewidth
    options.sci_mode = sci_mode


PRINT_OPTS = options  # PyTorch's name


@contextlib.contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """Sets options for a `with` block, and the ones before it at its end. `kwargs` are those of set_printoptions."""
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


def get_printoptions() -> dict[str, Any]:
    """The options that set_printoptions sets, by name."""
    return {name: getattr(options, name) for name in PrintOptions.__annotations__}


def _numbers_in(values: Any) -> Iterator[Any]:
    if isinstance(values, list):
        for v in values:
            yield from _numbers_in(v)
    else:
        yield values


class _Floats:
    """Formats floats alike: as whole numbers with a point, with fixed decimals, or in scientific notation."""

    def __init__(self, values: list[float]):
        finite = [v for v in values if v != 0 and math.isfinite(v)]
        self.whole, self.scientific, self.width = all(v == math.ceil(v) for v in finite), False, 1
        if finite:
            least, most = min(map(abs, finite)), max(map(abs, finite))
            self.scientific = most / least > 1000 or most > 1e8 or (not self.whole and least < 1e-4)
        if finite and options.sci_mode is not None:
            self.scientific = options.sci_mode
        digits = f".{options.precision}e" if self.scientific else ".0f" if self.whole else f".{options.precision}f"
        point = self.whole and not self.scientific
        self.width = max([1, *(len(format(v, digits)) + point for v in finite)])

    def __call__(self, v: float) -> str:
        if self.scientific:
            text = format(v, f"{self.width}.{options.precision}e")
        elif self.whole:
            text = format(v, ".0f") + ("." if math.isfinite(v) else "")
        else:
            text = format(v, f".{options.precision}f")
        return text.rjust(self.width)


class _Plain:
    """Ints and bools."""

    def __init__(self, values: list[Any]):
        self.width = max([1, *(len(str(v)) for v in values)])

    def __call__(self, v: Any) -> str:
        return str(v).rjust(self.width)


class _Complexes:
    def __init__(self, values: list[complex]):
        self.real, self.imag = _Floats([v.real for v in values]), _Floats([v.imag for v in values])
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, v: complex) -> str:
        imag = self.imag(v.imag).lstrip() + "j"
        return self.real(v.real) + ("" if imag[0] in "+-" else "+") + imag


def _vector(values: list[Any], cut: bool, formatter: Any, indent: int) -> str:
    parts = [formatter(v) for v in values]
    if cut:
        edge = options.edgeitems
        parts = [*parts[:edge], " ...", *parts[edge:]] if edge else ["..."]
    a_line = max(1, (options.linewidth - indent) // (formatter.width + 2))
    lines = [", ".join(parts[i : i + a_line]) for i in range(0, len(parts), a_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _nested(values: Any, shape: tuple[int, ...], summarize: bool, formatter: Any, indent: int) -> str:
    if not shape:
        return formatter(values)
    cut = summarize and shape[0] > 2 * options.edgeitems
    if len(shape) == 1:
        return _vector(values, cut, formatter, indent)
    parts = [_nested(v, shape[1:], summarize, formatter, indent + 1) for v in values]
    if cut:
        parts.insert(options.edgeitems, "...")
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(parts) + "]"


def _contents(tensor: Any, indent: int) -> str:
    summarize = tensor.numel() > options.threshold
    if tensor.is_quantized:
        return _contents(tensor.dequantize(), indent)
    values = tensor._edges(options.edgeitems) if summarize else tensor.tolist()
    make: Callable[[list[Any]], Any] = _Floats if tensor.dtype.is_floating_point else _Complexes if tensor.dtype.is_complex else _Plain
    return _nested(values, tuple(tensor.shape), summarize, make(list(_numbers_in(values))), indent)


def _with_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    used = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if used + len(suffix) + 2 > options.linewidth:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + 2
    return text + ")"


def _quantization(tensor: Any) -> list[str]:
    scheme = tensor.qscheme()
    if scheme is _qschemes.per_tensor_affine:
        return [f"quantization_scheme={scheme}", f"scale={tensor.q_scale()}", f"zero_point={tensor.q_zero_point()}"]
    channels = f"scale={tensor.q_per_channel_scales()}", f"zero_point={tensor.q_per_channel_zero_points()}", f"axis={tensor.q_per_channel_axis()}"
    return [f"quantization_scheme={scheme}", *channels]


def tensor_str(tensor: Any, kind: str = "tensor") -> str:
    default = _C._get_default_dtype()
    usual = (default, default.to_complex() if default in (_C._dtypes["float32"], _C._dtypes["float64"]) else None, _C._dtypes["int64"], _C._dtypes["bool"])
    prefix, suffixes = kind + "(", []
    if tensor.device.type != "cpu":
        suffixes.append(f"device='{tensor.device}'")
    if tensor.is_quantized and not tensor.is_meta:
        suffixes += [f"size={tuple(tensor.shape)}", f"dtype={tensor.dtype}", *_quantization(tensor)]
        body = _contents(tensor, len(prefix)) if tensor.numel() else "[]"
    elif tensor.is_meta or tensor.numel() == 0:
        if tensor.is_meta or tensor.dim() != 1 or not options.edgeitems:
            suffixes.append(f"size={tuple(tensor.shape)}")
        if tensor.dtype != default:
            suffixes.append(f"dtype={tensor.dtype}")
        body = "..." if tensor.is_meta else "[]"
    else:
        if not options.edgeitems:
            suffixes.append(f"size={tuple(tensor.shape)}")
        if tensor.dtype not in usual:
            suffixes.append(f"dtype={tensor.dtype}")
        body = _contents(tensor, len(prefix))
    try:
        grad_fn = tensor.grad_fn.name().rsplit("::")[-1] if tensor.grad_fn is not None else None
    except RuntimeError:  # a view whose gradient ended at a write
        grad_fn = "Invalid"
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif tensor._requires_grad:
        suffixes.append("requires_grad=True")
    text = _with_suffixes(prefix + body, suffixes, len(prefix))
    return f"Parameter({text})" if tensor._is_parameter and kind != "tensor" else text


def _tensor_str(self: Any, indent: int) -> str:
    """The elements as text, without tensor(…) around them."""
    return _contents(self, indent)
