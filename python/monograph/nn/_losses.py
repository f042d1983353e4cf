"""The losses of torch.nn.functional, which takes them from here: in the language of TorchScript, as all of it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import _C, _VF, _nn
from .._jit_internal import is_scripting
from .._overridable import leaves_out, overridable
from .._tensor import Tensor
from .._VF import pairwise_distance

if TYPE_CHECKING:
    from .modules.loss import LinearCrossEntropyOptions

# The home of these functions: graphs, errors and pickles name them by it.
__name__ = "monograph.nn.functional"


def _reduction(reduction: str, size_average: bool | None, reduce: bool | None) -> str:
    """The reduction, which two older arguments name as well."""
    if size_average is None and reduce is None:
        return reduction
    named = "mean"
    if reduce is not None and not reduce:
        named = "none"
    elif size_average is not None and not size_average:
        named = "sum"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{named}' instead.", stacklevel=2)
    return named


def _code(reduction: str) -> int:
    """The reduction as records count it."""
    if reduction == "none":
        return 0
    if reduction == "mean":
        return 1
    if reduction == "sum":
        return 2
    raise ValueError(f"{reduction} is not a valid value for reduction; use 'none', 'mean' or 'sum'")


def _weighted(loss: Tensor, weight: Tensor, reduction: str) -> Tensor:
    """The loss times its weights; a mean is over the weights."""
    if weight.size() != loss.size():
        raise ValueError(f"Weights and input must have the same size, but they have {weight.size()} and {loss.size()}.")
    code = _code(reduction)
    loss = loss * weight
    if code == 0:
        return loss
    if code == 1:
        return loss.sum() / weight.sum()
    return loss.sum()


def _check_same_size(input: Tensor, target: Tensor) -> None:
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")


@overridable
def mse_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", weight: Tensor | None = None
) -> Tensor:
    _warn_of_sizes(input, target)
    reduction = _reduction(reduction, size_average, reduce)
    if weight is None:
        return _nn.mse_loss(input, target, _code(reduction))
    return _weighted(_nn.mse_loss(input, target, 0), weight, reduction)


@overridable
@leaves_out("weight")
def l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", weight: Tensor | None = None
) -> Tensor:
    _warn_of_sizes(input, target)
    reduction = _reduction(reduction, size_average, reduce)
    if weight is None:
        return _nn.l1_loss(input, target, _code(reduction))
    return _weighted(_nn.l1_loss(input, target, 0), weight, reduction)


@overridable
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    _check_same_size(input, target)
    return _nn.binary_cross_entropy(input, target, weight, _code(_reduction(reduction, size_average, reduce)))


@overridable
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    _check_same_size(input, target)
    return _VF.binary_cross_entropy_with_logits(input, target, weight, pos_weight, _code(_reduction(reduction, size_average, reduce)))


@overridable
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    return _nn.nll_loss(input, target, weight, _code(_reduction(reduction, size_average, reduce)), ignore_index)


@overridable
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    return _nn.cross_entropy_loss(input, target, weight, _code(_reduction(reduction, size_average, reduce)), ignore_index, label_smoothing)


@overridable
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Tensor:
    if input.dim() < 1 or input.dim() > 2:
        raise RuntimeError(f"linear_cross_entropy: expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(f"linear_cross_entropy: expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}")
    features, given = linear_weight.shape[-1], input.shape[-1]
    if features != given:
        raise RuntimeError(
            "linear_cross_entropy: expected equal input and linear_weight last dimensions (in_features), "
            f"got {given} and {features}, respectively"
        )
    outputs = list(linear_weight.shape[:-1])  # classes, and what a loss of several dims has behind them
    if linear_bias is not None and list(linear_bias.shape) != outputs:
        raise RuntimeError(f"linear_cross_entropy: expected linear_bias shape {tuple(outputs)}, got {tuple(linear_bias.shape)}")
    if len(outputs) > 1 and input.dim() == 1:
        raise RuntimeError(
            f"linear_cross_entropy: K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires batched input, "
            f"(N, {features}), got unbatched input with shape {tuple(input.shape)}"
        )
    shape = list(input.shape[:-1]) + outputs
    if ignore_index is not None and list(target.shape) == shape:
        raise RuntimeError("linear_cross_entropy: ignore_index cannot be specified when target contains probabilities")
    bias = None if linear_bias is None else linear_bias.reshape(-1)
    logits = _nn.linear(input, linear_weight.reshape(-1, features), bias).reshape(shape)
    return cross_entropy(
        logits, target, weight, ignore_index=-100 if ignore_index is None else ignore_index, reduction=reduction, label_smoothing=label_smoothing
    )


def _code_of(reduction: str, size_average: bool | None, reduce: bool | None) -> int:
    return _code(_reduction(reduction, size_average, reduce))


def _warn_of_sizes(input: Tensor, target: Tensor) -> None:
    if not is_scripting(): _warn_outside_of_captures(input, target)  # noqa: E701


def _warn_outside_of_captures(input: Tensor, target: Tensor) -> None:
    # In a capture the question would become a guard, and the graph would take sizes like those of the example only.
    if not _C._is_capturing() and target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size ({input.size()}). This will likely lead to incorrect results due to "
            "broadcasting. Please ensure they have the same size.",
            stacklevel=4,
        )


@overridable
def smooth_l1_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0
) -> Tensor:
    _warn_of_sizes(input, target)
    code = _code_of(reduction, size_average, reduce)
    if beta == 0.0:
        return _nn.l1_loss(input, target, code)
    return _nn.smooth_l1_loss(input, target, code, beta)


def _reduced(loss: Tensor, reduction: str) -> Tensor:
    """The mean or sum of a loss, or all of it."""
    code = _code(reduction)
    if code == 0:
        return loss
    return loss.mean() if code == 1 else loss.sum()


@overridable
def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None) -> Tensor:
    _warn_of_sizes(input, target)
    if weight is None:
        return _nn.huber_loss(input, target, _code(reduction), delta)
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    return _reduced(_nn.huber_loss(input, target, 0, delta) * weight, reduction)


@overridable
def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    return _nn.soft_margin_loss(input, target, _code_of(reduction, size_average, reduce))


@overridable
def kl_div(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    if size_average is None and reduce is None:
        if reduction == "mean":
            warnings.warn(
                "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by the batch size, and aligns with the "
                "KL div math definition.'mean' will be changed to behave the same as 'batchmean' in the next major release.",
                stacklevel=2,
            )
        if reduction == "batchmean":
            total = _VF.kl_div(input, target, 2, log_target=log_target)
            return total / input.size(0) if input.dim() != 0 else total
    return _VF.kl_div(input, target, _code_of(reduction, size_average, reduce), log_target=log_target)


@overridable
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    return _VF.poisson_nll_loss(input, target, log_input, full, eps, _code_of(reduction, size_average, reduce))


@overridable
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor | float, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> Tensor:
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        spread = var * _VF.ones_like(input)
    else:
        spread = var
    if spread.size() != input.size():
        if input.size()[:-1] == spread.size():
            spread = _VF.unsqueeze(spread, -1)
        elif input.dim() != spread.dim() or sum([0 if input.size(k) == spread.size(k) else spread.size(k) for k in range(spread.dim())]) != 1:
            raise ValueError("var is of incorrect size")
    if bool(_VF.any(spread < 0)):
        raise ValueError("var has negative entry/entries")
    floor = spread.detach()
    spread = spread + (floor.clamp(min=eps) - floor)
    loss = 0.5 * (_VF.log(spread) + (input - target) ** 2 / spread)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return _reduced(loss, reduction)


@overridable
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    return _VF.hinge_embedding_loss(input, target, margin, _code_of(reduction, size_average, reduce))


@overridable
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError(
            f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {input1.size()}, input2: {input2.size()}, target: {target.size()} "
        )
    return _VF.margin_ranking_loss(input1, input2, target, margin, _code_of(reduction, size_average, reduce))


@overridable
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    return _VF.cosine_embedding_loss(input1, input2, target, margin, _code_of(reduction, size_average, reduce))


@overridable
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    return _VF.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, _code_of(reduction, size_average, reduce))


# The function as an argument makes it Python's own: TorchScript has none.
def triplet_margin_with_distance_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0, swap: bool = False, reduction: str = "mean"
) -> Tensor:
    """How much nearer the anchor is to the positive example than to the negative one, by a distance of your own: max(0, margin + d(a, p) - d(a, n)).

    anchor, positive, negative: tensors with as many dims each.
    distance_function: what gives the distance of two tensors; F.pairwise_distance where it is None.
    margin: the difference of the distances from which the loss is zero, above 0.
    swap: takes the smaller one of d(a, n) and d(p, n).
    reduction: "mean", "sum" or "none".
    Raises ValueError for another reduction or a margin that is not above 0, RuntimeError where the tensors have unlike numbers of dims.

        >>> a, p, n = torch.zeros(1, 2), torch.ones(1, 2), torch.full((1, 2), 2.0)
        >>> F.triplet_margin_with_distance_loss(a, p, n, distance_function=lambda x, y: (x - y).abs().sum(1))
        tensor(0.)
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if anchor.dim() != positive.dim() or positive.dim() != negative.dim():
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.dim()}D, positive {positive.dim()}D, and negative {negative.dim()}D inputs"
        )
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = _VF.minimum(far, distance(positive, negative))
    loss = _VF.clamp_min(margin + near - far, 0)
    return loss if reduction == "none" else loss.mean() if reduction == "mean" else loss.sum()


@overridable
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    if p != 1 and p != 2:
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.dim() != 1:
        raise ValueError("weight must be one-dimensional")
    return _nn.multi_margin_loss(input, target, p, margin, weight, _code_of(reduction, size_average, reduce))


@overridable
def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    return _nn.multilabel_margin_loss(input, target, _code_of(reduction, size_average, reduce))


@overridable
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
) -> Tensor:
    code = _code_of(reduction, size_average, reduce)
    loss = -(target * _nn.log_sigmoid(input) + (1 - target) * _nn.log_sigmoid(-input))
    if weight is not None:
        loss = loss * weight
    loss = loss.sum(dim=input.dim() - 1) / input.size(input.dim() - 1)
    if code == 1:
        return loss.mean()
    if code == 2:
        return loss.sum()
    return loss


@overridable
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Tensor,
    target_lengths: Tensor,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    return _VF.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, _code(reduction), zero_infinity)
