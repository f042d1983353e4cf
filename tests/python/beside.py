"""Programs run here and in live PyTorch: the same text, the value of `result` compared."""

from __future__ import annotations

import warnings
from typing import Any

import monograph as torch
import numpy as np

# attempt(lambda: ...) in a program: the value or the error, and the warnings.
TRY = """
import warnings
def attempt(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = call()
        except Exception as error:
            value = f"{type(error).__name__}: {error}"
    # PyTorch's C++ warns once a process, which no test can count on.
    return [value, *(f"{w.category.__name__}: {w.message}" for w in caught if "Triggered internally" not in str(w.message))]
"""


def as_numpy(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().numpy().copy() if value.dtype != torch.bfloat16 else value.detach().float().numpy()
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, (torch.dtype, torch.device)):
        return str(value)
    if isinstance(value, dict):
        return {k: as_numpy(v) for k, v in value.items()}
    return type(value)(map(as_numpy, value)) if type(value) in (list, tuple) else value


def assert_equal(ours: Any, theirs: Any, rtol: float = 1e-5, where: str = "") -> None:
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs), where
        for key in theirs:
            assert_equal(ours[key], theirs[key], rtol, f"{where}.{key}")
    elif isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs), f"{where}: {ours} {theirs}"
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            assert_equal(a, b, rtol, f"{where}[{i}]")
    elif isinstance(theirs, np.ndarray):
        assert isinstance(ours, np.ndarray), f"{where}: {ours} {theirs}"
        theirs = theirs.astype(np.float32) if theirs.dtype.kind == "V" or theirs.dtype.name == "bfloat16" else theirs
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, where
        finite = theirs[np.isfinite(theirs)] if theirs.dtype.kind == "f" else []
        bound = rtol * max([1.0, *np.abs(finite).ravel()]) if theirs.dtype.kind in "fc" else 0
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=bound, err_msg=where)
    else:
        assert ours == theirs, where


def run(program: str) -> Any:
    """The value of `result` here."""
    scope: dict[str, Any] = {"torch": torch, "F": torch.nn.functional, "np": np}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(program, scope)
    return as_numpy(scope["result"])


def both(oracle: Any, program: str, rtol: float = 1e-5) -> None:
    assert_equal(run(program), oracle.run(program), rtol)
