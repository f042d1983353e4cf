"""torch._dynamo.utils: what tests of compiled programs use."""

from __future__ import annotations

from typing import Any

from .. import _C, allclose, is_tensor
from . import config, missing_name
from ._counters import counters as counters


def ifdynstaticdefault(count1: Any, count2: Any) -> Any:
    """The first where sizes are static by default, else the second."""
    return count1 if config.assume_static_by_default else count2


def is_compile_supported(device_type: str) -> bool:
    """Whether torch.compile serves tensors of this device."""
    return device_type == "cpu" and _C._machine_supported()


def same(
    ref: Any, res: Any, fp64_ref: Any = None, cos_similarity: bool = False, tol: float = 1e-4, equal_nan: bool = False, **kwargs: Any
) -> bool:
    """Whether two results are equal, tensors up to `tol`."""
    if isinstance(ref, (list, tuple)):
        return (
            isinstance(res, (list, tuple))
            and len(ref) == len(res)
            and all(same(a, b, tol=tol, equal_nan=equal_nan) for a, b in zip(ref, res, strict=True))
        )
    if isinstance(ref, dict):
        return isinstance(res, dict) and set(ref) == set(res) and all(same(ref[k], res[k], tol=tol, equal_nan=equal_nan) for k in ref)
    if is_tensor(ref):
        if not is_tensor(res) or ref.dtype != res.dtype or ref.shape != res.shape:
            return False
        return (
            bool((ref == res).all())
            if not (ref.is_floating_point() or ref.is_complex())
            else bool(allclose(ref, res, atol=tol, rtol=tol, equal_nan=equal_nan))
        )
    if isinstance(ref, float):
        return isinstance(res, float) and (abs(ref - res) <= tol or (ref != ref and res != res))
    return type(ref) is type(res) and bool(ref == res)


__getattr__ = missing_name(__name__)
