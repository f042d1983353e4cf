"""The losses of nn. Each is a Module that keeps its arguments, such as `reduction`, and calls the function of nn.functional."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ... import _C
from ..._tensor import Tensor
from .. import functional as F
from .distance import PairwiseDistance
from .linear import Linear
from .module import Module

if TYPE_CHECKING:
    from ..._C import dtype


class _Loss(Module):
    def __init__(self, size_average: object = None, reduce: object = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = F._reduction(reduction, size_average, reduce)  # type: ignore[arg-type]


class L1Loss(_Loss):
    """The absolute difference of input and target.

    Args:
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.L1Loss()
    >>> layer(torch.tensor([0.5, -1.0]), torch.tensor([1.0, 1.0]))
    tensor(1.2500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """The squared difference of input and target.

    Args:
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.MSELoss()
    >>> layer(torch.tensor([0.5, -1.0]), torch.tensor([1.0, 1.0]))
    tensor(2.1250)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class _WeightedLoss(_Loss):
    def __init__(self, weight: Tensor | None = None, size_average: object = None, reduce: object = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class BCELoss(_WeightedLoss):
    """Minus the logarithm of the probability that the input gives each target, 0 or 1.

    Args:
        weight: a factor for each element of the batch.
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.BCELoss()
    >>> layer(torch.tensor([0.25, 0.5]), torch.tensor([0.0, 1.0]))
    tensor(0.4904)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """BCELoss of sigmoid(input), computed as one, so that nothing overflows.

    Args:
        weight: a factor for each element of the batch.
        reduction: "mean", "sum", or "none" for each element.
        pos_weight: the factor of the targets that are 1, one for each class.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.BCEWithLogitsLoss()
    >>> layer(torch.tensor([0.5, -1.0]), torch.tensor([0.0, 1.0]))
    tensor(1.1437)
    """

    def __init__(
        self, weight: Tensor | None = None, size_average: object = None, reduce: object = None, reduction: str = "mean", pos_weight: Tensor | None = None
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction)


class NLLLoss(_WeightedLoss):
    """Minus the log-probability of each target class, from log-probabilities.

    Args:
        weight: a factor for each class.
        ignore_index: targets of this class are left out.
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.NLLLoss()
    >>> layer(torch.tensor([[0.25, 0.75]]).log(), torch.tensor([1]))
    tensor(0.2877)
    """

    def __init__(self, weight: Tensor | None = None, size_average: object = None, ignore_index: int = -100, reduce: object = None, reduction: str = "mean") -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """The old name of NLLLoss for images: NLLLoss takes them.

    >>> import monograph as torch
    >>> layer = torch.nn.NLLLoss2d()
    >>> layer(torch.tensor([[0.25, 0.75]]).log().reshape(1, 2, 1, 1), torch.tensor([[[1]]]))
    tensor(0.2877)
    """


class CrossEntropyLoss(_WeightedLoss):
    """Minus the log-probability of each target class, from logits. Targets are class numbers, or probabilities.

    Args:
        weight: a factor for each class.
        ignore_index: targets of this class are left out.
        reduction: "mean", "sum", or "none" for each element.
        label_smoothing: how much of each target is spread over all classes.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.CrossEntropyLoss()
    >>> layer(torch.tensor([[2.0, 0.0, 1.0]]), torch.tensor([0]))
    tensor(0.4076)
    """

    def __init__(
        self, weight: Tensor | None = None, size_average: object = None, ignore_index: int = -100, reduce: object = None, reduction: str = "mean", label_smoothing: float = 0.0
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(input, target, self.weight, ignore_index=self.ignore_index, reduction=self.reduction, label_smoothing=self.label_smoothing)


class SmoothL1Loss(_Loss):
    """The squared difference over 2 beta where the difference is below beta, and a line beyond.

    Args:
        reduction: "mean", "sum", or "none" for each element.
        beta: where the loss becomes a line.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.SmoothL1Loss()
    >>> layer(torch.tensor([0.5, -1.0]), torch.tensor([1.0, 1.0]))
    tensor(0.8125)
    """

    def __init__(self, size_average: object = None, reduce: object = None, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half the squared difference where it is below delta, and a line beyond.

    Args:
        reduction: "mean", "sum", or "none" for each element.
        delta: where the loss becomes a line.

    >>> import monograph as torch
    >>> layer = torch.nn.HuberLoss()
    >>> layer(torch.tensor([0.5, -1.0]), torch.tensor([1.0, 1.0]))
    tensor(0.8125)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class SoftMarginLoss(_Loss):
    """log(1 + exp(-target * x)), with targets 1 and -1.

    Args:
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.SoftMarginLoss()
    >>> layer(torch.tensor([0.5, -1.0]), torch.tensor([1.0, -1.0]))
    tensor(0.3937)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence from the input, which holds log-probabilities, to the target.

    Args:
        reduction: "mean", "sum", or "none" for each element.
        log_target: whether the target holds logarithms, too.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.KLDivLoss(reduction="sum")
    >>> layer(torch.tensor([0.5, 0.5]).log(), torch.tensor([0.25, 0.75]))
    tensor(0.1308)
    """

    def __init__(self, size_average: object = None, reduce: object = None, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """Minus the log-probability of each target count under a Poisson distribution.

    Args:
        log_input: whether the input is the logarithm of the rate.
        full: whether the part that does not depend on the input is added.
        eps: a small number that keeps a logarithm from 0.
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.PoissonNLLLoss()
    >>> layer(torch.tensor([0.5]), torch.tensor([2.0]))
    tensor(0.6487)
    """

    def __init__(
        self, log_input: bool = True, full: bool = False, size_average: object = None, eps: float = 1e-8, reduce: object = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction)


class GaussianNLLLoss(_Loss):
    """Minus the log-density of each target under a normal distribution with the input as mean, and a variance.

    Args:
        full: whether the part that does not depend on the input is added.
        eps: the smallest variance.
        reduction: "mean", "sum", or "none" for each element.

    >>> import monograph as torch
    >>> layer = torch.nn.GaussianNLLLoss()
    >>> layer(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 1.0]), torch.tensor([1.0, 2.0]))
    tensor(0.4233)
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class _MarginLoss(_Loss):
    def __init__(self, margin: float, size_average: object = None, reduce: object = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin


class HingeEmbeddingLoss(_MarginLoss):
    """x where the target is 1, and what x lacks to the margin where it is -1.

    Args:
        margin: how far apart the two sides should be.
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.HingeEmbeddingLoss()
    >>> layer(torch.tensor([0.5, 0.25]), torch.tensor([1.0, -1.0]))
    tensor(0.6250)
    """

    def __init__(self, margin: float = 1.0, size_average: object = None, reduce: object = None, reduction: str = "mean") -> None:
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_MarginLoss):
    """What is missing to the margin between two scores whose order the target says.

    Args:
        margin: how far apart the two sides should be.
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.MarginRankingLoss()
    >>> layer(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 1.0]), torch.tensor([1.0, 1.0]))
    tensor(1.)
    """

    def __init__(self, margin: float = 0.0, size_average: object = None, reduce: object = None, reduction: str = "mean") -> None:
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class CosineEmbeddingLoss(_MarginLoss):
    """1 less the cosine of two vectors where the target is 1, and what the cosine is above the margin where it is -1.

    Args:
        margin: how far apart the two sides should be.
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.CosineEmbeddingLoss()
    >>> layer(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]), torch.tensor([1]))
    tensor(0.2929)
    """

    def __init__(self, margin: float = 0.0, size_average: object = None, reduce: object = None, reduction: str = "mean") -> None:
        super().__init__(margin, size_average, reduce, reduction)

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(_MarginLoss):
    """What is missing to the margin between an anchor's distance to a positive and to a negative example.

    Args:
        margin: how far apart the two sides should be.
        p: the order of the norm.
        eps: a small number that keeps a divisor from being 0.
        swap: whether the distance of the two examples counts, where it is smaller.
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.TripletMarginLoss()
    >>> layer(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]), torch.tensor([[0.0, 1.0]]))
    tensor(0.5858)
    """

    def __init__(
        self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False, size_average: object = None, reduce: object = None, reduction: str = "mean"
    ) -> None:
        super().__init__(margin, size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.p, self.eps, self.swap = p, eps, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps, swap=self.swap, reduction=self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """F.triplet_margin_with_distance_loss as a layer.

    distance_function: what gives the distance of two tensors: a function or a Module; PairwiseDistance() where it is None.
    margin, swap, reduction: as in the function. Raises ValueError for a margin that is not above 0.

    Args:
        distance_function: a function of two tensors to their distances; None: pairwise_distance
        margin: how much nearer the positive must be
        swap: whether the distance from positive to negative counts where it is smaller
        reduction: "mean", "sum" or "none"

        >>> loss = nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: 1 - F.cosine_similarity(x, y), margin=0.5)
        >>> loss(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]]), torch.tensor([[1.0, 0.0]]))
        tensor(1.5000)
    """

    def __init__(
        self, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0, swap: bool = False, reduction: str = "mean"
    ) -> None:
        super().__init__(None, None, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead")
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin, self.swap = margin, swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin, swap=self.swap, reduction=self.reduction
        )


class MultiMarginLoss(_WeightedLoss):
    """What is missing to the margin between the score of each target class and those of the others, to a power.

    Args:
        p: the power, 1 or 2.
        margin: how far apart the two sides should be.
        weight: a factor for each class.
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.MultiMarginLoss()
    >>> layer(torch.tensor([[0.1, 0.8, 0.3]]), torch.tensor([1]))
    tensor(0.2667)
    """

    def __init__(
        self, p: int = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: object = None, reduce: object = None, reduction: str = "mean"
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p != 1 and p != 2:
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p, self.margin = p, margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction)


@dataclasses.dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """How PyTorch divides the batch of linear_cross_entropy into parts, to use less memory. Monograph takes the options, and computes all of it at once: the
    loss and the gradients are the same but for rounding.

    Args:
        allow_retain_graph: whether PyTorch allows several backward passes. Here they are always allowed.
        batch_chunk_size: how many rows a part has, or None.
        chunking_method: "auto", "aspect_ratio" or "aspect_ratio:N", or None.
        acc_policy: "auto", "accurate", "balanced" or "compact".
        acc_dtype: the dtype in which PyTorch adds up gradients, or None.

    >>> import monograph as torch
    >>> torch.nn.LinearCrossEntropyOptions(batch_chunk_size=64).acc_policy
    'auto'
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dtype | None = None

    def __post_init__(self) -> None:
        name, colon, factor = (self.chunking_method or "auto").partition(":")
        if self.acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}; use 'auto', 'accurate', 'balanced' or 'compact'")
        if not (name == "auto" and not colon or name == "aspect_ratio" and (not colon or factor.isdigit() and int(factor) > 0)):
            raise ValueError(f"invalid chunking_method: {self.chunking_method!r}; use 'auto', 'aspect_ratio' or 'aspect_ratio:N'")
        if self.batch_chunk_size is not None and not (isinstance(self.batch_chunk_size, int) and self.batch_chunk_size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {self.batch_chunk_size!r}")
        if self.acc_dtype is not None and self.acc_dtype not in [_C._dtypes[d] for d in ("float16", "bfloat16", "float32", "float64")]:
            raise ValueError(f"acc_dtype must be one of {{None, torch.float16, torch.bfloat16, torch.float32, torch.float64}}, got {self.acc_dtype!r}")


class LinearCrossEntropyLoss(_WeightedLoss):
    """CrossEntropyLoss behind a linear layer, which is a part of the loss.

    Args:
        in_features: how many features the input has.
        num_classes: how many classes there are.
        out_features: the sizes of a loss of several dims, behind the classes.
        bias: whether the linear layer has a bias.
        device: where the parameters lie.
        dtype: the dtype of the parameters.
        reduction: "mean", "sum", or "none" for each element.
        weight: a factor for each class.
        ignore_index: a class whose rows count nothing.
        label_smoothing: how much of each target is spread over all classes.
        options: how PyTorch divides the batch, which changes nothing here.

    >>> import monograph as torch
    >>> loss = torch.nn.LinearCrossEntropyLoss(2, 3)
    >>> _ = torch.nn.init.ones_(loss.linear.weight)
    >>> loss(torch.ones(1, 2), torch.tensor([1]))
    tensor(1.0986, grad_fn=<NllLossBackward0>)
    """

    def __init__(
        self, in_features: int, num_classes: int, *, out_features: tuple[int, ...] = (), bias: bool = False, device: Any = None, dtype: Any = None,
        reduction: str = "mean", weight: Tensor | None = None, ignore_index: int | None = None, label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:  # fmt: skip
        if weight is not None and tuple(weight.shape) != (num_classes,):
            raise RuntimeError(f"LinearCrossEntropyLoss: expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}")
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(f"LinearCrossEntropyLoss: expected label_smoothing to be in range [0, 1], got {label_smoothing}")
        super().__init__(weight, reduction=reduction)
        self.num_classes, self.out_features, self.ignore_index = num_classes, out_features, ignore_index
        self.label_smoothing, self.options = label_smoothing, options
        self.linear = Linear(in_features, math.prod(out_features, start=num_classes), bias=bias, device=device, dtype=dtype)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        shape, bias = (self.num_classes, *self.out_features), self.linear.bias
        return F.linear_cross_entropy(
            input, self.linear.weight.reshape((*shape, self.linear.in_features)), target, linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight, reduction=self.reduction, ignore_index=self.ignore_index, label_smoothing=self.label_smoothing, options=self.options,
        )  # fmt: skip

    def extra_repr(self) -> str:
        return (
            f"in_features={self.linear.in_features}, num_classes={self.num_classes}, out_features={self.out_features}, bias={self.linear.bias is not None}, "
            f"reduction={self.reduction}, ignore_index={self.ignore_index}, label_smoothing={self.label_smoothing}, options={self.options}"
        )


class MultiLabelMarginLoss(_Loss):
    """What is missing to 1 between the scores of the target classes of each row, ended by -1, and those of the others.

    Args:
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.MultiLabelMarginLoss()
    >>> layer(torch.tensor([0.1, 0.8, 0.3]), torch.tensor([1, -1, 0]))
    tensor(0.2667)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """BCEWithLogitsLoss, as the mean over the classes.

    Args:
        weight: a factor for each class.
        reduction: "mean", "sum", or "none" for each element.
        size_average, reduce: old names for reduction.

    >>> import monograph as torch
    >>> layer = torch.nn.MultiLabelSoftMarginLoss()
    >>> layer(torch.tensor([[0.5, -1.0]]), torch.tensor([[1.0, 0.0]]))
    tensor(0.3937)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


class CTCLoss(_Loss):
    """Minus the logarithm of the probability of each target sequence, summed over all ways to place it in the input (connectionist temporal classification).

    The call takes the logarithms of the probabilities, of shape (steps, batch, classes); the targets, of shape (batch, longest target) or one after the
    other; how many steps each input has; and how many classes each target has.

    Args:
        blank: the class that stands for no class. No target has it.
        reduction: "mean" of the losses, each divided by the length of its target; "sum"; or "none" for the loss of each sequence.
        zero_infinity: whether an infinite loss, of a target that is too long for its input, counts as 0 and has the gradient 0.

    >>> import monograph as torch
    >>> loss = torch.nn.CTCLoss()
    >>> log_probs = torch.full((4, 1, 3), 1 / 3).log()
    >>> loss(log_probs, torch.tensor([[1, 2]]), torch.tensor([4]), torch.tensor([2]))
    tensor(0.8432)
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor) -> Tensor:
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity)
