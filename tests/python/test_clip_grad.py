"""nn.utils.clip_grad_* and get_total_norm: norms of every order, warnings and errors."""

from __future__ import annotations

import math
import warnings

import monograph as torch
import numpy as np
import pytest
from monograph.nn import utils

TENSORS = [[3.0, -4.0, 0.0], [1.0, 2.0], [5.0]]


@pytest.mark.parametrize(("order", "norm"), [(0, 3.0), (1, 15.0), (2, math.sqrt(55)), (3, 225 ** (1 / 3)), (math.inf, 5.0), (-math.inf, 0.0)])
def test_norms(order, norm):
    assert utils.get_total_norm([torch.tensor(t) for t in TENSORS], order).item() == pytest.approx(norm, rel=1e-6)


@pytest.mark.oracle
@pytest.mark.parametrize("order", [0, 0.5, 1, 2, 3, math.inf, -math.inf])
def test_norms_beside_pytorch(oracle, sample_seed, order):
    random = np.random.default_rng(sample_seed)
    arrays = [random.standard_normal(shape) for shape in ((4, 5), (7,), (2, 3, 4))]
    theirs = oracle.eval("torch.nn.utils.get_total_norm(arrays, order)", arrays=arrays, order=order)
    np.testing.assert_allclose(utils.get_total_norm([torch.from_numpy(a) for a in arrays], order).item(), theirs, rtol=1e-12)


def test_only_an_empty_generator_warns():
    with pytest.warns(UserWarning, match="empty generator"):
        assert utils.clip_grad_norm_((p for p in ()), 1.0).item() == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert utils.clip_grad_norm_([], 1.0).item() == 0.0


def test_a_norm_that_is_not_finite():
    p = torch.ones(2, requires_grad=True)
    p.grad = torch.tensor([math.inf, 1.0])
    with pytest.raises(RuntimeError, match="The total norm of order 2.0 for gradients from `parameters` is non-finite"):
        utils.clip_grad_norm_([p], 1.0, error_if_nonfinite=True)
    assert p.grad.tolist() == [math.inf, 1.0]
