"""torch.signal.windows beside PyTorch's, and what it refuses."""

from __future__ import annotations

import math

import monograph as torch
import pytest
from beside import both

W = torch.signal.windows


@pytest.mark.oracle
def test_they_equal_pytorchs(oracle):
    both(
        oracle,
        """
w = torch.signal.windows
plain = [name for name in w.__all__ if name != "general_cosine"]
result = [
    [getattr(w, name)(m, sym=sym, dtype=dtype) for name in plain for m in (0, 1, 2, 5, 8) for sym in (True, False)] for dtype in (torch.float32, torch.float64)
]
result += [w.general_cosine(5, a=[0.2, 0.3, 0.5]), w.exponential(5, center=1.0, tau=2.0, sym=False), w.gaussian(4, std=2.0), w.kaiser(6, beta=2.0)]
result += [w.general_hamming(4, alpha=0.4), w.hann(3, requires_grad=True).requires_grad, w.nuttall(3, device="meta").shape]
""",
    )


def test_a_window_has_its_formula():
    assert W.bartlett(5).tolist() == [0.0, 0.5, 1.0, 0.5, 0.0]
    assert W.cosine(1).tolist() == [1.0] and W.hann(0).shape == (0,)
    assert torch.allclose(W.gaussian(3, dtype=torch.float64), torch.tensor([math.exp(-0.5), 1.0, math.exp(-0.5)], dtype=torch.float64))
    assert W.general_cosine(3, a=[0.5, 0.5], requires_grad=True).requires_grad


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: W.hann(-1), "requires non-negative window length, got M=-1"),
        (lambda: W.bartlett(3, dtype=torch.float16), "expects float32 or float64 dtypes, got: torch.float16; convert the window afterwards"),
        (lambda: W.gaussian(3, std=0), "Standard deviation must be positive, got: 0"),
        (lambda: W.kaiser(3, beta=-1), "beta must be non-negative, got: -1"),
        (lambda: W.exponential(3, tau=0), "Tau must be positive, got: 0"),
        (lambda: W.exponential(3, center=1.0), "Center must be None for symmetric windows"),
        (lambda: W.general_cosine(3, a=[]), "Coefficients cannot be empty"),
    ],
)
def test_what_gives_no_window_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
