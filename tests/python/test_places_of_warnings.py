"""Warnings of torch.nn.functional have PyTorch's words, and those on an argument that is left out point at the program's line."""

from __future__ import annotations

import monograph as torch
import monograph.nn.functional as F
import pytest

THETA = torch.tensor([[[1.0, 0, 0], [0, 1.0, 0]]])


@pytest.mark.parametrize("call", [lambda: F.affine_grid(THETA, [1, 1, 2, 2]), lambda: F.grid_sample(torch.ones(1, 1, 2, 2), torch.zeros(1, 1, 1, 2))])
def test_corners_that_are_left_out_warn_at_the_line_of_the_program(call):
    for _ in range(2):
        with pytest.warns(UserWarning, match="align_corners=False since 1.3.0") as caught:
            call()
        assert [w.filename for w in caught] == [__file__]


@pytest.mark.parametrize("flags, named", [({"size_average": False}, "sum"), ({"reduce": False}, "none"), ({"size_average": True}, "mean")])
def test_the_older_names_of_a_reduction_warn(flags, named):
    words = f"size_average and reduce args will be deprecated, please use reduction='{named}' instead."
    with pytest.warns(UserWarning, match=words):
        F.mse_loss(torch.ones(2), torch.ones(2), **flags)
    with pytest.warns(UserWarning, match=words):
        assert torch.nn.MSELoss(**flags).reduction == named
