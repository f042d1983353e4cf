"""Comparing what two libraries compute: initial weights, results and gradients as NumPy arrays. bench/capture/run_networks.py and tests/python/test_networks.py share it."""

from __future__ import annotations

from typing import Any

import numpy as np


def leaves(value: Any) -> list[Any]:
    """The arrays and other leaves of nested dicts, tuples and lists."""
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, (tuple, list)) else [value]


def form(value: Any) -> Any:
    """A result without its leaves. A graph has dicts, lists and tuples, and no types of the user."""
    if isinstance(value, dict):
        return {k: form(v) for k, v in value.items()}
    if isinstance(value, (tuple, list)):
        return (list if isinstance(value, list) else tuple)(map(form, value))
    return type(value)


def floats(value: Any) -> list[Any]:
    return [a for a in leaves(value) if isinstance(a, np.ndarray) and a.dtype.kind == "f" and a.size]


def by_one_rounding(value: Any, other_way: bool = False) -> Any:
    """Every float moved by one rounding error, up or down; the other way down or up."""
    if isinstance(value, np.ndarray):
        up = (np.cos(np.arange(value.size)).reshape(value.shape) > 0) != other_way
        return np.asarray(np.nextafter(value, np.where(up, np.inf, -np.inf), dtype=value.dtype)) if value.dtype.kind == "f" else value
    if isinstance(value, dict):
        return {k: by_one_rounding(v, other_way) for k, v in value.items()}
    return type(value)(by_one_rounding(v, other_way) for v in value) if isinstance(value, (list, tuple)) else value


def ulps(ours: np.ndarray, theirs: np.ndarray) -> int:
    """The most floats of this dtype that lie between two elements."""

    def places(a: np.ndarray) -> np.ndarray:
        bits = a.astype(np.float32).view(np.int32).astype(np.int64)
        return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)

    return int(np.abs(places(ours) - places(theirs)).max()) if ours.size else 0


def differing_weights(ours: dict[str, Any], theirs: dict[str, Any], drawn: list[str]) -> tuple[int, str]:
    """The most ulps between initial weights of one seed, those in `drawn`, and what differs otherwise. Other tensors are tables that the network computes."""
    if list(ours) != list(theirs):
        return 0, f"names differ: {sorted(set(ours) ^ set(theirs))[:3]}"
    if wrong := difference(*([v[n] for n in theirs if n not in drawn] for v in (ours, theirs)), [], 1e-5):
        return 0, f"a table that is no parameter: {wrong}"
    theirs = {name: theirs[name] for name in theirs if name in drawn}
    most = 0
    for name, b in theirs.items():
        a = ours[name]
        if a.shape != b.shape or a.dtype != b.dtype:
            return most, f"{name}: {a.dtype}{list(a.shape)} for {b.dtype}{list(b.shape)}"
        if b.dtype.kind != "f":
            if not np.array_equal(a, b):
                return most, f"{name} differs"
        elif not np.array_equal(a, b, equal_nan=True):
            most = max(most, ulps(a, b))
    return most, ""


def difference(ours: Any, theirs: Any, others: list[Any], relative: float) -> str:
    """What is wrong with our results, or "". Integers are equal. Floats differ by at most `relative` of the largest of their tensor, or 1e-3 of this of the
    largest of all: a gradient that is a sum of numbers that cancel is no better in PyTorch.

    A network may make more of a rounding error, as a batch norm of three almost equal numbers does. It does so in PyTorch too: `others` are PyTorch's answers to
    operands that differ by one rounding error, and in double precision; none where nobody asked for them. Four times the largest difference that these make is
    allowed."""
    if form(ours) != form(theirs):
        return f"its form is {form(ours)} for {form(theirs)}"[:200]
    largest = max([0.0, *(float(np.nanmax(np.abs(np.where(np.isfinite(a), a, 0)))) for a in floats(theirs))])
    alike = [leaves(other) for other in others]
    for place, (a, b) in enumerate(zip(leaves(ours), leaves(theirs))):
        if not isinstance(b, np.ndarray):
            if a != b:
                return f"[{place}] is {a!r} for {b!r}"[:200]
            continue
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"[{place}] is {a.dtype}{list(a.shape)} for {b.dtype}{list(b.shape)}"
        if b.dtype.kind not in "fc":
            if not np.array_equal(a, b):
                return f"[{place}] differs at {int((a != b).sum())} of {a.size} places"
            continue
        finite = np.isfinite(b)
        if not np.array_equal(np.isfinite(a), finite) or not np.array_equal(a[~finite], b[~finite], equal_nan=True):
            return f"[{place}] is infinite or NaN at other places"
        if not finite.any():
            continue
        bound = relative * max(float(np.abs(b[finite]).max()), 1e-3 * largest)
        rounding = max([0.0, *(float(np.abs(np.where(np.isfinite(o[place]), o[place], b) - b)[finite].max()) for o in alike)])
        distance = float(np.abs(a - b)[finite].max())
        if distance > bound + 4 * rounding:
            return f"[{place}] differs by {distance:.2g}, {distance / max(float(np.abs(b[finite]).max()), 1e-30):.2g} of the largest"
    return ""
