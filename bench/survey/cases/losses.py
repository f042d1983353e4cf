"""Modules of pytorch-metric-learning, pytorch-msssim, lpips and coral-pytorch."""

import pytorch_metric_learning.losses as L
import pytorch_metric_learning.miners as M
import torch
from registry import add, vec

I = lambda d, k: (d.n(8 + 2 * k, 6), torch.arange(8 + 2 * k) % 3)
for n, kw in {
    "ContrastiveLoss": {},
    "TripletMarginLoss": {},
    "NTXentLoss": {},
    "SupConLoss": {},
    "MultiSimilarityLoss": {},
    "CircleLoss": {},
    "LiftedStructureLoss": {},
    "GeneralizedLiftedStructureLoss": {},
    "FastAPLoss": {},
    "TupletMarginLoss": {},
    "SignalToNoiseRatioContrastiveLoss": {},
    "NPairsLoss": {},
    "AngularLoss": {},
    "IntraPairVarianceLoss": {},
    "NCALoss": {},
    "PNPLoss": {},
    "HistogramLoss": {"n_bins": 8},
    "ArcFaceLoss": {"num_classes": 3, "embedding_size": 6},
    "CosFaceLoss": {"num_classes": 3, "embedding_size": 6},
    "SubCenterArcFaceLoss": {"num_classes": 3, "embedding_size": 6},
    "SphereFaceLoss": {"num_classes": 3, "embedding_size": 6},
    "NormalizedSoftmaxLoss": {"num_classes": 3, "embedding_size": 6},
    "ProxyNCALoss": {"num_classes": 3, "embedding_size": 6},
    "ProxyAnchorLoss": {"num_classes": 3, "embedding_size": 6},
    "SoftTripleLoss": {"num_classes": 3, "embedding_size": 6},
    "LargeMarginSoftmaxLoss": {"num_classes": 3, "embedding_size": 6},
    "MarginLoss": {},
    "ManifoldLoss": {"l": 6},
    "RankedListLoss": {"margin": 0.4, "Tn": 0, "Tp": 0},
    "ThresholdConsistentMarginLoss": {},
}.items():
    add("pml " + n, (lambda n, kw: lambda: getattr(L, n)(**kw))(n, kw), I)
add("pml MultiSimilarityMiner", lambda: M.MultiSimilarityMiner(), I)
add("pml TripletMarginMiner", lambda: M.TripletMarginMiner(), I)
add("pml BatchHardMiner", lambda: M.BatchHardMiner(), I)
two = lambda d, k: (d.u(2 + k, 3, 32, 32), d.u(2 + k, 3, 32, 32))
import pytorch_msssim

add("msssim SSIM", lambda: pytorch_msssim.SSIM(data_range=1.0), two)
add(
    "msssim SSIM nonneg 3d",
    lambda: pytorch_msssim.SSIM(data_range=1.0, spatial_dims=3, nonnegative_ssim=True),
    lambda d, k: (d.u(1 + k, 3, 16, 16, 16), d.u(1 + k, 3, 16, 16, 16)),
)
add(
    "msssim MS_SSIM",
    lambda: pytorch_msssim.MS_SSIM(data_range=1.0, win_size=3),
    lambda d, k: (d.u(1 + k, 3, 64, 64), d.u(1 + k, 3, 64, 64)),
)
import lpips

for n in ("alex", "squeeze"):
    add(
        "lpips " + n,
        (lambda n: lambda: lpips.LPIPS(net=n, pretrained=False, pnet_rand=True, verbose=False))(n),
        lambda d, k: (d.n(1 + k, 3, 64, 64), d.n(1 + k, 3, 64, 64)),
    )
from coral_pytorch.layers import CoralLayer
from coral_pytorch.losses import CoralLoss, CornLoss

add("coral CoralLayer", lambda: CoralLayer(6, 4), vec(6))
add("coral CoralLoss", lambda: CoralLoss(), lambda d, k: (d.n(4 + k, 3), d.i(2, 4 + k, 3).float()))
add("coral CornLoss", lambda: CornLoss(4), lambda d, k: (d.n(4 + k, 3), d.i(4, 4 + k)))
