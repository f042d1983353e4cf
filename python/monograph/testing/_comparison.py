"""torch.testing.assert_close."""

from __future__ import annotations

import cmath
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from .. import _C, _VF
from .._tensor import Tensor

Message = str | Callable[[str], str] | None
# Relative and absolute tolerance by dtype; other dtypes must be equal.
_TOLERANCES = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7), "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}  # fmt: skip
_NUMBERS = {int: "int64", float: "float64", complex: "complex128"}


class _Options:
    """The options of a comparison, and the path in nested values at which it is."""

    def __init__(self, options: dict[str, Any], msg: Message, path: tuple[Any, ...] = ()):
        self.options, self.msg, self.path = options, msg, path

    def at(self, key: Any) -> _Options:
        return _Options(self.options, self.msg, (*self.path, key))

    def fail(self, text: str, kind: type[Exception] = AssertionError) -> NoReturn:
        where = "".join(str([key]) for key in self.path)
        if where:
            text += f"\n\nThe failure occurred for item {where}"
        if kind is AssertionError and self.msg is not None:
            text = self.msg if isinstance(self.msg, str) else self.msg(text)
        raise kind(text)

    def tolerances(self, *dtypes: str) -> tuple[float, float]:
        rtol, atol = self.options["rtol"], self.options["atol"]
        if (rtol is None) != (atol is None):
            self.fail(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {'rtol' if rtol is None else 'atol'}.", ValueError)
        if rtol is not None:
            return rtol, atol
        known = [_TOLERANCES.get(d, (0.0, 0.0)) for d in dtypes]
        return max(k[0] for k in known), max(k[1] for k in known)


def _mismatch(name: str, extra: str, absolute: tuple[Any, Any], relative: tuple[Any, Any], rtol: float, atol: float) -> str:
    equality = rtol == 0 and atol == 0

    def line(kind: str, found: tuple[Any, Any], allowed: float) -> str:
        diff, index = found
        text = f"{kind.title()} difference: {diff}" if index is None else f"Greatest {kind} difference: {diff} at index {index}"
        return text if equality else f"{text} (up to {allowed} allowed)"

    return f"{name} {'are not equal' if equality else 'are not close'}!\n\n{extra}\n{line('absolute', absolute, atol)}\n{line('relative', relative, rtol)}"


def _compare_numbers(a: Any, b: Any, o: _Options) -> None:
    if o.options["check_dtype"] and type(a) is not type(b):
        o.fail(f"The (d)types do not match: {type(a)} != {type(b)}.")
    rtol, atol = o.tolerances(_NUMBERS[type(a)], _NUMBERS[type(b)])
    if a == b or (o.options["equal_nan"] and cmath.isnan(a) and cmath.isnan(b)):
        return
    diff = abs(a - b)
    if cmath.isfinite(diff) and diff <= atol + rtol * abs(b):
        return
    relative = math.inf if b == 0 else diff / abs(b)
    o.fail(_mismatch("Scalars", f"Expected {b} but got {a}.", (diff, None), (relative, None), rtol, atol))


def _compare_tensors(a: Tensor, b: Tensor, o: _Options) -> None:
    rtol, atol = o.tolerances(a.dtype._name, b.dtype._name)
    if a.shape != b.shape:
        o.fail(f"The values for attribute 'shape' do not match: {a.shape} != {b.shape}.")
    for what in ("layout", "device", "dtype"):
        if o.options[f"check_{what}"] and getattr(a, what) != getattr(b, what):
            o.fail(f"The values for attribute '{what}' do not match: {getattr(a, what)} != {getattr(b, what)}.")
    if o.options["check_stride"] and a.stride() != b.stride():
        o.fail(f"The values for attribute 'stride()' do not match: {a.stride()} != {b.stride()}.")
    if a.is_meta or b.is_meta:
        o.fail(f"Comparing meta tensors is currently not supported, but got {a.device} and {b.device}. Compare shapes and dtypes", ValueError)
    if a.dtype != b.dtype:
        common = (_VF.empty([0], dtype=a.dtype) + _VF.empty([0], dtype=b.dtype)).dtype
        a, b = a.to(common), b.to(common)
    a, b = a.detach(), b.detach()
    matches = _VF.isclose(a, b, rtol=rtol, atol=atol, equal_nan=o.options["equal_nan"])
    if bool(matches.all()):
        return
    if a.dim() == 0:
        value, wanted = a.item(), b.item()
        far = abs(value - wanted)
        relative_far = math.inf if wanted == 0 else far / abs(wanted)
        o.fail(_mismatch("Scalars", f"Expected {wanted} but got {value}.", (far, None), (relative_far, None), rtol, atol))
    count = matches.numel()
    wrong = count - int(matches.sum())
    if not a.dtype.is_floating_point and not a.dtype.is_complex:
        a, b = a.long(), b.long()
    flat = matches.reshape(-1)
    diff = (a - b).abs().reshape(-1).masked_fill(flat, 0)
    relative = (diff / b.abs().reshape(-1)).masked_fill(flat, 0)
    found = [(value.item(), _place(int(index), matches.shape)) for value, index in (diff.max(0), relative.max(0))]
    o.fail(_mismatch("Tensor-likes", f"Mismatched elements: {wrong} / {count} ({wrong / count:.1%})", found[0], found[1], rtol, atol))


def _place(index: int, shape: Sequence[int]) -> tuple[int, ...]:
    place: list[int] = []
    for size in reversed(shape):
        index, rest = divmod(index, size)
        place.insert(0, rest)
    return tuple(place)


def _as_number(value: Any) -> Any:
    """The value as a Python number if it is a number of Python or NumPy; else None."""
    if type(value).__module__ == "numpy":
        import numpy as np

        return value.item() if isinstance(value, np.generic) else None
    return value if isinstance(value, (bool, int, float, complex)) else None


def _as_tensors(a: Any, b: Any, o: _Options) -> tuple[Tensor, Tensor] | None:
    if not (isinstance(a, type(b)) or isinstance(b, type(a))) or (not o.options["allow_subclasses"] and type(a) is not type(b)):
        return None
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        return a, b
    try:
        return _C.as_tensor(a), _C.as_tensor(b)
    except Exception:  # noqa: BLE001 - whatever it says, this is no tensor
        return None


def _compare(a: Any, b: Any, o: _Options) -> None:
    if isinstance(a, Sequence) and isinstance(b, Sequence) and not isinstance(a, str) and not isinstance(b, str):
        if len(a) != len(b):
            o.fail(f"The length of the sequences mismatch: {len(a)} != {len(b)}")
        for i in range(len(a)):
            _compare(a[i], b[i], o.at(i))
        return
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        if set(a) != set(b):
            missing, more = set(b) - set(a), set(a) - set(b)
            o.fail(
                f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {sorted(missing)}\nAdditional keys in the actual mapping: {sorted(more)}"
            )
        keys: Any = list(a)
        try:
            keys = sorted(a)
        except TypeError:
            pass  # in the order of the mapping
        for key in keys:
            _compare(a[key], b[key], o.at(key))
        return
    _compare_leaves(a, b, o)


def _compare_leaves(a: Any, b: Any, o: _Options) -> None:
    if a is None or b is None:
        if a is not b:
            o.fail(f"None mismatch: {a} is not {b}")
        return
    numbers = _as_number(a), _as_number(b)
    if isinstance(numbers[0], bool) and isinstance(numbers[1], bool):
        if numbers[0] is not numbers[1]:
            o.fail(f"Booleans mismatch: {numbers[0]} is not {numbers[1]}")
        return
    if all(type(n) in _NUMBERS for n in numbers):
        _compare_numbers(*numbers, o)
        return
    tensors = _as_tensors(a, b, o)
    if tensors is None:
        o.fail(f"No comparison pair was able to handle inputs of type {type(a)} and {type(b)}.", TypeError)
    _compare_tensors(*tensors, o)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Message = None,
) -> None:
    """Raises AssertionError where tensors, numbers, or nested sequences and mappings of them differ by more than atol + rtol·|expected|.

    allow_subclasses: whether tensors of a class and of a derived one are compared. rtol, atol: both or none; none means by dtype: 1.3e-6 and 1e-5 for
    float32, 1e-7 for float64, 1e-3 and 1e-5 for float16, 0 for integers. equal_nan: whether NaN equals NaN.
    check_device, check_dtype, check_layout, check_stride: whether these must be equal. msg: a text for the error, or a function of its text.
    Raises TypeError for what it cannot compare, ValueError for one of rtol and atol alone.

    Args:
        actual: a tensor, number, or sequence or dict of them
        expected: the same of what is expected
        allow_subclasses: whether the two may be of different classes, one derived from the other
        rtol: how far values may be apart, relative to the expected one; None: by the dtype
        atol: how far values may be apart, absolutely; None: by the dtype
        equal_nan: whether NaN equals NaN
        check_device: whether the devices must be equal
        check_dtype: whether the dtypes must be equal
        check_layout: whether the layouts must be equal
        check_stride: whether the strides must be equal
        msg: the message of the error, or a function from the message made here to another

        >>> torch.testing.assert_close(torch.ones(2), torch.ones(2) + 1e-7)
        >>> torch.testing.assert_close(torch.tensor([1, 2]), torch.tensor([1, 3]))
        Traceback (most recent call last):
        ...
        AssertionError: Tensor-likes are not equal!
        <BLANKLINE>
        Mismatched elements: 1 / 2 (50.0%)
        Greatest absolute difference: 1 at index (1,)
        Greatest relative difference: 0.3333333432674408 at index (1,)
    """
    options = {
        "allow_subclasses": allow_subclasses, "rtol": rtol, "atol": atol, "equal_nan": equal_nan, "check_device": check_device, "check_dtype": check_dtype,
        "check_layout": check_layout, "check_stride": check_stride,
    }  # fmt: skip
    _compare(actual, expected, _Options(options, msg))


def assert_allclose(actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True, msg: str = "") -> None:
    """The older form, with a warning: assert_close without checks of dtype and device, in which NaN equals NaN."""
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please use `torch.testing.assert_close()` instead.",
        FutureWarning,
        stacklevel=2,
    )
    a = actual if isinstance(actual, Tensor) else _C.as_tensor(actual)
    b = expected if isinstance(expected, Tensor) else _C.as_tensor(expected, dtype=a.dtype)
    if rtol is None and atol is None:
        floats = [t.dtype._name for t in (a, b)]
        old = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}
        rtol, atol = (max(old.get(f, (0.0, 0.0))[i] for f in floats) for i in (0, 1))
    assert_close(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True, check_dtype=False, check_stride=False, msg=msg or None)
