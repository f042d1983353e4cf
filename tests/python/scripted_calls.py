"""Calls of each function of torch.nn.functional that has Python around its operator, for tools/oracle/script_python.py, which runs in PyTorch's process."""

from __future__ import annotations

from typing import Any

import torch


def samples() -> dict[str, list[tuple[Any, ...]]]:
    """Calls of each function of torch.nn.functional that has Python around its operator."""
    torch.manual_seed(0)
    x, y, p = torch.randn(3, 4), torch.randn(3, 4), torch.rand(3, 4)
    classes, image = torch.tensor([0, 3, 1]), torch.randn(2, 3, 6, 8)
    activation = [(x.clone(),), (x.clone(), True)]
    losses = [(x, y), (x, y, None, None, "sum"), (x, y, False, None), (x, y, None, False), (x, y, True, True)]
    one, none = [1, 1], [0, 0]  # lists: a compiled function, PyTorch's own too, takes one number for both only from other compiled functions
    pools = [(image, [2, 2], None, none, one), (image, [3, 2], [2, 2], one, one), (image, [2, 2], None, none, [2, 2], True)]
    return {
        **dict.fromkeys(("relu", "relu6", "selu", "silu", "mish", "hardsigmoid", "hardswish"), activation),
        "elu": [(x.clone(),), (x.clone(), 0.5, True)],
        "leaky_relu": [(x.clone(),), (x.clone(), 0.5, True)],
        "hardtanh": [(x.clone(),), (x.clone(), -0.5, 0.5, True)],
        "tanh": [(x,)],
        "sigmoid": [(x,)],
        "softmax": [(x,), (x, 0), (x, -1, 3, torch.float64), (image[0],)],
        "log_softmax": [(x,), (x, 0), (x, -1, 3, torch.float64), (image[0],)],
        "dropout": [(x.clone(), 0.5, False), (x.clone(), 0.0), (x.clone(), 1.0, True, True)],
        "embedding": [(classes, x.t()), (classes, x.t(), -1)],
        "layer_norm": [(x, [4]), (x, [3, 4], y, p), (x, [4], None, None, 0.5)],
        "batch_norm": [(x, None, None, None, None, True), (x, y[0], p[0], y[1], y[2])],
        "max_pool2d": pools,
        "max_pool2d_with_indices": pools,
        "adaptive_avg_pool2d": [(image, [2, 2]), (image, [3, 1])],
        "mse_loss": [*losses, (x, y, None, None, "mean", p), (x, y, None, None, "none", p), (x, y, None, None, "sum", p)],
        "l1_loss": [*losses, (x, y, None, None, "mean", p), (x, y, None, None, "none", p), (x, y, None, None, "sum", p)],
        "binary_cross_entropy": [(p, p), (p, p, y, None, None, "sum"), (p, p, None, None, False)],
        "binary_cross_entropy_with_logits": [(x, p), (x, p, y), (x, p, None, False), (x, p, None, None, None, "none", p[0])],
        "nll_loss": [(x, classes), (x, classes, p[0], None, 1), (x, classes, None, None, -100, None, "sum")],
        "cross_entropy": [(x, classes), (x, classes, p[0], None, 1, None, "mean", 0.1), (x, p), (x, classes, None, False)],
    }
