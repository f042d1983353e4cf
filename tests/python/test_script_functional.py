"""Each function of torch.nn.functional compiles in a script, and gives what it gives when it is called: the same bits, from the same seed.

CALLS has a call or more of each function; a function of torch.nn.functional without one fails the test. The names in a call are tensors of VALUES, which the
script takes as arguments.
"""

from __future__ import annotations

import ast
import linecache
import math
from typing import Any

import monograph as torch
import monograph.nn.functional as F
import pytest
from monograph import nn
from monograph._pytorch_names import NAMES


def grid(*sizes: int) -> Any:
    count = math.prod(sizes)
    return (torch.arange(count, dtype=torch.float32).view(*sizes) * 37 % 19 - 9) / 8


VALUES = {
    "v": grid(6), "x": grid(4, 6), "y": grid(4, 6) * 0.5, "r": grid(2, 3, 8), "m": grid(2, 3, 8, 8), "c": grid(2, 3, 6, 6, 6), "p": torch.softmax(grid(4, 6), 1),
    "t": torch.tensor([0, 2, 5, 1]), "ids": torch.tensor([[0, 2, 1], [4, 3, 0]]), "w": grid(5, 6), "b": grid(5), "sign": torch.tensor([1.0, -1.0, 1.0, -1.0]),
    "table": grid(6, 3), "k1": grid(4, 3, 3), "k2": grid(4, 3, 3, 3), "k3": grid(4, 3, 3, 3, 3), "kt1": grid(3, 4, 3), "kt2": grid(3, 4, 3, 3), "kt3": grid(3, 4, 3, 3, 3),
    "mean": grid(3) * 0.1, "var": grid(3).abs() + 1, "scale": grid(3) + 2, "shift": grid(3), "bi": grid(5, 6, 6), "one": torch.ones(4, 6), "zero": torch.zeros(4, 6),
    "q": grid(2, 2, 4, 8), "log": torch.log_softmax(grid(5, 2, 4), 2), "targets": torch.tensor([[1, 2], [3, 1]]), "lengths": torch.tensor([5, 5]),
    "target_lengths": torch.tensor([2, 2]), "f4": grid(4), "multi": torch.tensor([[0, 2, -1, 1, 3, 4]] * 4), "seq": grid(3, 2, 8), "w_in": grid(24, 8), "b_in": grid(24),
    "w_out": grid(8, 8), "b_out": grid(8), "theta": grid(2, 2, 3), "flow": grid(2, 5, 5, 2) * 0.5, "ctb": grid(5, 2, 3), "tbc": grid(3, 3, 4), "tbias": grid(4),
    "pooled": grid(2, 3, 4, 4), "where": torch.arange(0, 64, 4).view(1, 1, 4, 4).expand(2, 3, 4, 4).contiguous(), "pooled1": grid(2, 3, 4),
    "where1": torch.arange(0, 8, 2).view(1, 1, 4).expand(2, 3, 4).contiguous(), "pooled3": grid(2, 3, 3, 3, 3),
    "where3": torch.arange(0, 216, 8).view(1, 1, 3, 3, 3).expand(2, 3, 3, 3, 3).contiguous(), "cols": grid(2, 12, 16), "shuffle": grid(2, 4, 3, 3),
    "small": grid(2, 4, 2, 2), "keep": torch.tensor([True, False, True, True, True, False]), "e3": grid(2, 3, 8) + 1, "scores": grid(4, 6) + 0.25,
}  # fmt: skip

# One tensor to one tensor.
POINTWISE = "celu elu gelu hardsigmoid hardswish leaky_relu logsigmoid mish relu relu6 selu sigmoid silu softplus softsign tanh tanhshrink hardshrink softshrink hardtanh".split()
CALLS = [
    *(f"F.{name}(x)" for name in POINTWISE), "F.celu(x, alpha=0.5)", "F.elu(x, 0.5)", "F.gelu(x, approximate='tanh')", "F.hardtanh(x, -0.5, 0.25)",
    "F.celu_(x)", "F.elu_(x, alpha=0.5)", "F.hardtanh_(x)", "F.leaky_relu_(x, 0.2)", "F.relu_(x)", "F.selu_(x)", "F.rrelu_(x, training=True)", "F.threshold_(x, 0.1, 2.0)",
    "F.relu(x, inplace=True)", "F.threshold(x, 0.1, 2.0)", "F.rrelu(x)", "F.rrelu(x, 0.1, 0.3, training=True)", "F.prelu(m, scale)", "F.glu(x)", "F.glu(x, dim=0)",
    "F.softmax(x, dim=1)", "F.softmin(x, dim=0)", "F.log_softmax(x, dim=1)", "F.softmax(x, dim=1, dtype=torch.float64)", "F.gumbel_softmax(x, tau=0.5)", "F.gumbel_softmax(x, hard=True)",
    "F.adaptive_avg_pool1d(r, 3)", "F.adaptive_avg_pool2d(m, (3, 2))", "F.adaptive_avg_pool3d(c, 2)",
    "F.adaptive_max_pool1d(r, 3)", "F.adaptive_max_pool2d(m, 3)", "F.adaptive_max_pool3d(c, 2)", "F.adaptive_max_pool2d(m, 3, return_indices=True)",
    "F.adaptive_max_pool1d_with_indices(r, 3)", "F.adaptive_max_pool2d_with_indices(m, [2, 3])", "F.adaptive_max_pool3d_with_indices(c, 2)",
    "F.avg_pool1d(r, 2)", "F.avg_pool2d(m, 3, 2, 1)", "F.avg_pool2d(m, 3, count_include_pad=False, padding=1)", "F.avg_pool3d(c, 2)",
    "F.max_pool1d(r, 2)", "F.max_pool2d(m, 2)", "F.max_pool2d(m, 3, stride=2, padding=1, return_indices=True)", "F.max_pool3d(c, 2)", "F.max_pool1d_with_indices(r, 2)",
    "F.max_pool2d_with_indices(m, 2)", "F.max_pool3d_with_indices(c, 2)", "F.max_unpool1d(pooled1, where1, 2)", "F.max_unpool2d(pooled, where, 2)", "F.max_unpool3d(pooled3, where3, 2)",
    "F.lp_pool1d(r, 2.0, 3)", "F.lp_pool2d(m, 2.0, 3, stride=2)", "F.lp_pool3d(c, 2.0, 2)", "F.fractional_max_pool2d(m, 3, output_size=(4, 4))",
    "F.fractional_max_pool2d_with_indices(m, 2, output_ratio=(0.5, 0.5))", "F.fractional_max_pool3d(c, 2, output_size=3)", "F.fractional_max_pool3d_with_indices(c, 2, output_size=(3, 3, 3))",
    "F.conv1d(r, k1)", "F.conv2d(m, k2, stride=2, padding=1)", "F.conv2d(m, k2, padding='same')", "F.conv3d(c, k3)", "F.conv_tbc(ctb, tbc, tbias)",
    "F.conv_transpose1d(r, kt1)", "F.conv_transpose2d(m, kt2, stride=2, output_padding=1)", "F.conv_transpose3d(c, kt3)", "F.linear(x, w, b)", "F.bilinear(x, y, bi, b)",
    "F.batch_norm(m, mean, var, scale, shift)", "F.batch_norm(m, mean, var, training=True, momentum=0.2)", "F.instance_norm(m)", "F.instance_norm(m, mean, var, scale, shift, use_input_stats=False)",
    "F.layer_norm(x, [6])", "F.layer_norm(x, (6,), v, v, 1e-3)", "F.rms_norm(x, [6], v)", "F.group_norm(m, 3, scale, shift)", "F.local_response_norm(m, 2)", "F.normalize(x)", "F.normalize(x, p=1.0, dim=0)",
    "F.alpha_dropout(x, 0.5, True)", "F.dropout(x)", "F.dropout(x, 0.3, False)", "F.dropout1d(r, 0.5)", "F.dropout2d(m, 0.5)", "F.dropout3d(c, 0.5)", "F.feature_alpha_dropout(m, 0.5, True)",
    "F.embedding(ids, table)", "F.embedding(ids, table, padding_idx=0)", "F.embedding_bag(ids, table)", "F.embedding_bag(ids, table, mode='max')", "F.one_hot(t)", "F.one_hot(ids, num_classes=7)",
    "F.fold(cols, [5, 5], 2)", "F.unfold(m, 2, stride=2)", "F.pad(m, [1, 2])", "F.pad(m, (1, 1, 2, 0), mode='reflect')", "F.pad(r, [2, 1], 'replicate')", "F.pad(r, [2, 1], mode='circular')", "F.pad(x, [1, 1], value=2.5)",
    "F.pixel_shuffle(shuffle, 2)", "F.pixel_unshuffle(m, 2)", "F.channel_shuffle(shuffle, 2)", "F.native_channel_shuffle(shuffle, 2)",
    "F.interpolate(m, scale_factor=2.0)", "F.interpolate(m, size=[5, 7], mode='bilinear', align_corners=False)", "F.interpolate(r, size=5, mode='linear')", "F.interpolate(m, scale_factor=0.5, mode='bicubic')",
    "F.interpolate(m, size=4, mode='bilinear', antialias=True)", "F.interpolate(c, scale_factor=[0.5, 1.0, 2.0], mode='trilinear')", "F.interpolate(m, size=4, mode='area')", "F.interpolate(m, size=5, mode='nearest-exact')",
    "F.upsample(m, scale_factor=2)", "F.upsample_nearest(m, scale_factor=2)", "F.upsample_bilinear(m, size=(4, 4))",
    "F.affine_grid(theta, [2, 3, 5, 5], align_corners=False)", "F.grid_sample(m, flow, align_corners=False)", "F.grid_sample(m, flow, mode='nearest', padding_mode='border', align_corners=True)",
    "F.binary_cross_entropy(p, one)", "F.binary_cross_entropy(p, one, weight=p, reduction='sum')", "F.binary_cross_entropy_with_logits(x, p)", "F.binary_cross_entropy_with_logits(x, p, pos_weight=v.abs())",
    "F.cosine_embedding_loss(x, y, sign)", "F.cosine_similarity(x, y)", "F.cross_entropy(x, t)", "F.cross_entropy(x, t, label_smoothing=0.1, reduction='none')", "F.cross_entropy(x, p)",
    "F.ctc_loss(log, targets, lengths, target_lengths)", "F.gaussian_nll_loss(x, y, p)", "F.gaussian_nll_loss(x, y, p, full=True, reduction='none')", "F.hinge_embedding_loss(x, sign.unsqueeze(1))",
    "F.huber_loss(x, y)", "F.huber_loss(x, y, delta=0.5, reduction='sum')", "F.kl_div(x, p, reduction='batchmean')", "F.kl_div(x, x, log_target=True)", "F.l1_loss(x, y)", "F.l1_loss(x, y, reduction='none')",
    "F.margin_ranking_loss(f4, f4 * 2, sign)", "F.mse_loss(x, y)", "F.mse_loss(x, y, weight=p)", "F.multi_margin_loss(x, t)", "F.multilabel_margin_loss(x, multi)", "F.multilabel_soft_margin_loss(x, one)",
    "F.nll_loss(x, t)", "F.nll_loss(x, t, weight=v, ignore_index=2, reduction='sum')", "F.poisson_nll_loss(x, p)", "F.poisson_nll_loss(x, p, log_input=False, full=True)", "F.smooth_l1_loss(x, y, beta=0.5)",
    "F.soft_margin_loss(x, one)", "F.triplet_margin_loss(x, y, p)", "F.triplet_margin_loss(x, y, p, swap=True, p=1.0)", "F.pairwise_distance(x, y)", "F.pairwise_distance(x, y, p=1.0, keepdim=True)",
    "F.pdist(x)", "F.scaled_dot_product_attention(q, q, q)", "F.scaled_dot_product_attention(q, q, q, is_causal=True, scale=0.3)",
    "F.multi_head_attention_forward(seq, seq, seq, 8, 2, w_in, b_in, None, None, False, 0.0, w_out, b_out)",
    "F.triplet_margin_with_distance_loss(x, y, p)",
]  # fmt: skip

# Calls that jit.script of PyTorch 2.13 refuses too, with a part of the error here.
REFUSED = {
    "F.adaptive_avg_pool2d(m, [3, None])": "has type int, but this value has type None",
    "F.linear_cross_entropy(x, w, t % 5)": "is not a type of a script",
}

# Functions without a call, with the reason.
NOT_FOR_SCRIPTS = {
    "linear_cross_entropy": "REFUSED",
    "grad": "a module of functions", "handle_torch_function": "a helper of Python", "has_torch_function": "a helper of Python", "has_torch_function_unary": "a helper of Python",
    "has_torch_function_variadic": "a helper of Python", "boolean_dispatch": "a helper of Python", "assert_int_or_pair": "a helper of Python",
    "grouped_mm": "not here (docs/api_coverage.md)", "scaled_grouped_mm": "not here", "scaled_mm": "not here",
}  # fmt: skip


def arguments_of(call: str) -> list[str]:
    names = {node.id for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Name)}
    return [name for name in VALUES if name in names]


def scripted(call: str) -> Any:
    """The function whose body is the call, from a text that inspect finds."""
    text = f"def called({', '.join(arguments_of(call))}):\n    return {call}\n"
    name = f"<{call}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names: dict[str, Any] = {"torch": torch, "F": F, "nn": nn}
    exec(compile(text, name, "exec"), names)
    return names["called"]


def parts(value: Any) -> list[Any]:
    return [p for v in value for p in parts(v)] if isinstance(value, (tuple, list)) else [value]


def result(function: Any, call: str) -> list[Any]:
    torch.manual_seed(3)
    return parts(function(*(VALUES[name].clone() for name in arguments_of(call))))


@pytest.mark.parametrize("call", CALLS)
def test_a_script_gives_what_the_call_gives(call: str) -> None:
    function = scripted(call)
    expected, got = result(function, call), result(torch.jit.script(function), call)
    assert len(expected) == len(got)
    for e, g in zip(expected, got, strict=True):
        assert (e is None and g is None) or (e.dtype == g.dtype and e.shape == g.shape and torch.equal(torch.nan_to_num(e), torch.nan_to_num(g)))


@pytest.mark.parametrize("call", REFUSED)
def test_what_pytorch_refuses_is_an_error(call: str) -> None:
    with pytest.raises(RuntimeError, match=REFUSED[call]) as error:
        torch.jit.script(scripted(call))
    assert "<--- HERE" in str(error.value)


def test_each_function_has_a_call() -> None:
    functions = {n for n in NAMES["torch.nn.functional"].split() if n.islower() and callable(getattr(F, n, None))}
    called = {call.partition("(")[0].removeprefix("F.") for call in CALLS}
    assert sorted(functions - called - set(NOT_FOR_SCRIPTS)) == []
