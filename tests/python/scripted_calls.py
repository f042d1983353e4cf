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
    one, none = (
        [1, 1],
        [0, 0],
    )  # lists: a compiled function, PyTorch's own too, takes one number for both only from other compiled functions
    pools = [(image, [2, 2], None, none, one), (image, [3, 2], [2, 2], one, one), (image, [2, 2], None, none, [2, 2], True)]
    signs = torch.where(x > 0, 1.0, -1.0)
    line, volume, rows = torch.randn(2, 4, 8), torch.randn(2, 3, 4, 5, 4), torch.randn(5, 3, 4)
    projection, bias, out = torch.randn(12, 4), torch.randn(12), torch.randn(4, 4)
    heads = (4, 2, projection, bias, None, None, False, 0.0, out, None)
    return {
        "celu": [(x.clone(),), (x.clone(), 0.5, True)],
        "threshold": [(x.clone(), 0.1, 2.0), (x.clone(), 0.1, 2.0, True)],
        "rrelu": [(x.clone(),), (x.clone(), 0.1, 0.2, False, True)],
        "rrelu_": [(x.clone(),), (x.clone(), 0.1, 0.2)],
        "normalize": [(x,), (image, 1.0, -1, 0.1), (x, 2.0, 0, 1e-12, y.clone())],
        "glu": [(x,), (image.transpose(1, 2), 1)],
        "softsign": [(x,)],
        "tanhshrink": [(x,)],
        "softmin": [(x,), (x, 0), (x, -1, 3, torch.float64)],
        "gumbel_softmax": [(torch.tensor([[1000.0, 0.0], [0.0, 1000.0]]), 1.0, True), (torch.tensor([[1000.0, 0.0], [0.0, 1000.0]]), 1.0)],
        "pad": [
            (x, [1, 2]),
            (x, [1, 0, 2, 1], "constant", 1.5),
            (image, [1, 2, 0, 1], "reflect"),
            (image, [1, 2, 0, 1], "circular"),
            (line, [1, 2], "replicate"),
        ],
        "interpolate": [
            (line, [5]),
            (image, None, [2.0, 1.5]),
            (image, [3, 4], None, "bilinear", True),
            (image, None, [2.0, 2.0], "bicubic", False, True),
            (volume, [3, 3, 3], None, "trilinear"),
            (image, [3, 4], None, "area"),
            (line, None, [2.0], "linear"),
            (image, [3, 4], None, "nearest-exact"),
        ],
        "upsample": [(line, [5]), (image, None, [2.0, 1.5], "bilinear", True)],
        "upsample_nearest": [(image, [5, 3])],
        "upsample_bilinear": [(image, [5, 3])],
        "dropout1d": [(line.clone(), 0.5, False), (line[0].clone(), 1.0, True, True)],
        "dropout2d": [(image.clone(), 0.5, False), (image.clone(), 1.0, True, True)],
        "dropout3d": [(volume.clone(), 0.5, False), (volume[0].clone(), 1.0, True, True)],
        "alpha_dropout": [(x.clone(),), (x.clone(), 1.0, True, True)],
        "feature_alpha_dropout": [(image.clone(),), (image.clone(), 1.0, True, True)],
        "group_norm": [(image, 3), (image, 1, torch.rand(3), torch.rand(3), 0.1)],
        "instance_norm": [
            (image,),
            (image, None, None, torch.rand(3), torch.rand(3), True, 0.1, 0.1),
            (image, torch.rand(3), torch.rand(3), None, None, False),
        ],
        "rms_norm": [(x, [4]), (x, [3, 4], y, 0.1)],
        "local_response_norm": [(line, 2), (image, 3, 0.1, 0.5, 2.0), (volume, 2)],
        "max_pool1d": [(line, [2], None, [0], [1]), (line, [3], [2], [1], [1], True)],
        "max_pool1d_with_indices": [(line, [2], None, [0], [1]), (line, [3], [2], [1], [1], True)],
        "max_pool3d": [(volume, [2, 2, 2], None, [0, 0, 0], [1, 1, 1])],
        "max_pool3d_with_indices": [(volume, [2, 2, 2], None, [0, 0, 0], [1, 1, 1])],
        "adaptive_avg_pool3d": [(volume, [2, 3, 1])],
        "adaptive_max_pool1d": [(line, [3])],
        "adaptive_max_pool1d_with_indices": [(line, [3])],
        "adaptive_max_pool2d": [(image, [3, 2])],
        "adaptive_max_pool2d_with_indices": [(image, [3, 2])],
        "adaptive_max_pool3d": [(volume, [2, 3, 1])],
        "adaptive_max_pool3d_with_indices": [(volume, [2, 3, 1])],
        "lp_pool1d": [(line, 2.0, 3), (line, 2.0, 3, [2], True)],
        "lp_pool2d": [(image, 2.0, [2, 3]), (image, 1.0, [2, 3], [2, 2], True)],
        "lp_pool3d": [(volume, 2.0, [2, 3, 2])],
        "unfold": [(image, [2, 3], [1, 1], [0, 1], [2, 1])],
        "fold": [
            (torch.randn(2, 12, 15), [5, 7], [2, 3], [2, 1], [0, 0], [1, 1]),
            (torch.randn(12, 15), [5, 7], [2, 3], [2, 1], [0, 0], [1, 1]),
        ],
        "multi_head_attention_forward": [(rows, rows, rows, *heads), (rows, rows, rows, *heads, False, None, False)],
        "embedding_bag": [
            (classes, x.t(), torch.tensor([0, 2])),
            (classes, x.t(), torch.tensor([0, 2]), None, 2.0, False, "sum", False, p[0, :3]),
            (classes, x.t(), torch.tensor([0, 1, 3]), None, 2.0, False, "max", False, None, True, 3),
            (torch.tensor([[0, 1], [2, 3]]), x.t(), None),
        ],
        "max_unpool1d": [
            (line, torch.arange(8).expand(2, 4, 8), [1], None, [0]),
            (line[..., ::2], torch.arange(0, 8, 2).expand(2, 4, 4), [2], None, [0], [8]),
        ],
        "max_unpool2d": [
            (image, torch.arange(48).view(6, 8).expand(2, 3, 6, 8), [2, 2], None, [0, 0]),
            (image, torch.arange(48).view(6, 8).expand(2, 3, 6, 8), [2, 2], [2, 2], none, [12, 17]),
        ],
        "max_unpool3d": [(volume, torch.arange(80).view(4, 5, 4).expand(2, 3, 4, 5, 4), [2, 2, 2], None, [0, 0, 0])],
        "fractional_max_pool2d": [
            (image, [2, 2], [3, 4], None, False, torch.rand(2, 3, 2)),
            (image, [2, 3], None, [0.5, 0.5], False, torch.rand(2, 3, 2)),
        ],
        "fractional_max_pool2d_with_indices": [(image, [2, 2], [3, 4], None, True, torch.rand(2, 3, 2))],
        "fractional_max_pool3d": [
            (volume, [2, 2, 2], [2, 3, 2], None, False, torch.rand(2, 3, 3)),
            (volume, [1, 2, 2], None, [0.5, 0.5, 0.5], False, torch.rand(2, 3, 3)),
        ],
        "fractional_max_pool3d_with_indices": [(volume, [2, 2, 2], [2, 3, 2], None, True, torch.rand(2, 3, 3))],
        "grid_sample": [
            (image, torch.rand(2, 4, 3, 2) * 3 - 1.5, m, q, c)
            for m in ("bilinear", "nearest", "bicubic")
            for q in ("zeros", "border", "reflection")
            for c in (False, True)
        ]
        + [(volume, torch.rand(2, 2, 4, 3, 3) * 3 - 1.5, "bilinear", "zeros", False)],
        "affine_grid": [(torch.randn(2, 2, 3), [2, 3, 4, 5], False), (torch.randn(2, 3, 4), [2, 3, 4, 5, 2], True)],
        "ctc_loss": [
            (torch.randn(5, 2, 4).log_softmax(2), torch.tensor([[1, 2, 3], [3, 3, 0]]), torch.tensor([5, 4]), torch.tensor([3, 2]), 0, r)
            for r in ("none", "mean", "sum")
        ],
        "smooth_l1_loss": [*losses, (x, y, None, None, "mean", 0.5), (x, y, None, None, "sum", 0.0)],
        "huber_loss": [(x, y), (x, y, "sum", 0.5), (x, y, "mean", 1.0, p)],
        "soft_margin_loss": [(x, signs), (x, signs, None, None, "none")],
        "kl_div": [(x, p, None, None, "batchmean"), (x, p, None, None, "sum"), (x, y, None, None, "mean", True)],
        "poisson_nll_loss": [(x, p), (p, p, False, True, None, 1e-6, None, "sum")],
        "gaussian_nll_loss": [(x, y, p), (x, y, p, True, 0.1, "none"), (x, y, p[:, :1])],
        "hinge_embedding_loss": [(x, signs), (x, signs, 0.5, None, None, "none")],
        "margin_ranking_loss": [(x, y, signs), (x, y, signs, 0.5, None, None, "sum")],
        "cosine_embedding_loss": [(x, y, signs[:, 0]), (x, y, signs[:, 0], 0.5, None, None, "none")],
        "triplet_margin_loss": [(x, y, p), (x, y, p, 0.5, 1.0, 1e-6, True, None, None, "none")],
        "multi_margin_loss": [(x, classes), (x, classes, 2, 0.5, p[0], None, None, "none")],
        "multilabel_margin_loss": [(x, torch.tensor([[3, 0, -1, 1], [1, -1, 0, 0], [0, 1, 2, 3]]))],
        "multilabel_soft_margin_loss": [(x, p), (x, p, p[0], None, None, "none")],
        **dict.fromkeys(("relu", "relu6", "selu", "silu", "mish", "hardsigmoid", "hardswish"), activation),
        "elu": [(x.clone(),), (x.clone(), 0.5, True)],
        "leaky_relu": [(x.clone(),), (x.clone(), 0.5, True)],
        "hardtanh": [(x.clone(),), (x.clone(), -0.5, 0.5, True)],
        "tanh": [(x,)],
        "sigmoid": [(x,)],
        "softmax": [(x,), (x, 0), (x, -1, 3, torch.float64), (image[0],)],
        "log_softmax": [(x,), (x, 0), (x, -1, 3, torch.float64), (image[0],)],
        "dropout": [(x.clone(), 0.5, False), (x.clone(), 0.0), (x.clone(), 1.0, True, True)],
        "embedding": [(classes, x.t()), (classes, x.t(), -1), (classes, x.t().clone(), None, 1.0)],
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
