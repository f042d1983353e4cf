"""Modules of torchmetrics."""

import torchmetrics
import torchmetrics.functional as F
import torchmetrics.functional.audio as FA
import torchmetrics.functional.image as FI
from registry import add, fn, vec


def t(n, f, inp, **kw):
    add("tm " + n, fn(f, **kw), inp)


C = lambda d, k: (d.u(8 + k, 3), d.i(3, 8 + k))
Bn = lambda d, k: (d.u(8 + k), d.i(2, 8 + k))
R = lambda d, k: (d.n(8 + k), d.n(8 + k))
for n in "accuracy precision recall f1_score specificity confusion_matrix cohen_kappa matthews_corrcoef jaccard_index auroc average_precision calibration_error hamming_distance stat_scores".split():
    t("multiclass " + n, getattr(F.classification, "multiclass_" + n), C, num_classes=3)
for n in "accuracy f1_score auroc average_precision roc precision_recall_curve hinge_loss calibration_error".split():
    t("binary " + n, getattr(F.classification, "binary_" + n), Bn)
for n in "mean_squared_error mean_absolute_error r2_score pearson_corrcoef spearman_corrcoef explained_variance concordance_corrcoef cosine_similarity kendall_rank_corrcoef log_cosh_error mean_absolute_percentage_error relative_squared_error symmetric_mean_absolute_percentage_error".split():
    t(n, getattr(F, n), (lambda d, k: (d.n(4 + k, 5), d.n(4 + k, 5))) if n == "cosine_similarity" else R)
im = lambda d, k: (d.u(2 + k, 3, 32, 32), d.u(2 + k, 3, 32, 32))
for n in "structural_similarity_index_measure peak_signal_noise_ratio universal_image_quality_index spectral_angle_mapper error_relative_global_dimensionless_synthesis relative_average_spectral_error root_mean_squared_error_using_sliding_window total_variation image_gradients visual_information_fidelity spatial_correlation_coefficient".split():
    t(
        n,
        getattr(FI, n),
        (lambda d, k: im(d, k)[:1])
        if n in ("total_variation", "image_gradients")
        else (lambda d, k: (d.u(1 + k, 3, 48, 48), d.u(1 + k, 3, 48, 48)))
        if n.startswith("visual")
        else im,
    )
au = lambda d, k: (d.n(2, 200 + 40 * k), d.n(2, 200 + 40 * k))
for n in "scale_invariant_signal_distortion_ratio scale_invariant_signal_noise_ratio signal_noise_ratio signal_distortion_ratio source_aggregated_signal_distortion_ratio".split():
    t(n, getattr(FA, n), (lambda d, k: (d.n(1 + k, 2, 100), d.n(1 + k, 2, 100))) if n.startswith("source") else au)
t("retrieval_normalized_dcg", F.retrieval_normalized_dcg, Bn)
t("pairwise_cosine_similarity", F.pairwise_cosine_similarity, lambda d, k: (d.n(4 + k, 3), d.n(5, 3)))
t("pairwise_euclidean", F.pairwise_euclidean_distance, lambda d, k: (d.n(4 + k, 3), d.n(5, 3)))
add("tm Accuracy module", lambda: torchmetrics.Accuracy("multiclass", num_classes=3), C)
add("tm MeanMetric module", lambda: torchmetrics.MeanMetric(), vec(3))
add("tm SSIM module", lambda: torchmetrics.image.StructuralSimilarityIndexMeasure(data_range=1.0), im)
add("tm PearsonCorrCoef module", lambda: torchmetrics.PearsonCorrCoef(), R)
add(
    "tm MetricCollection",
    lambda: torchmetrics.MetricCollection(
        [torchmetrics.Accuracy("multiclass", num_classes=3), torchmetrics.F1Score("multiclass", num_classes=3)]
    ),
    C,
)
