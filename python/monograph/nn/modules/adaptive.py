"""nn.AdaptiveLogSoftmaxWithLoss: a softmax over many classes, whose seldom ones stand in clusters with fewer features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ... import _VF
from ..._tensor import Tensor
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """The logarithm of the probability of each target, and its mean with the other sign. Classes are numbered from frequent to seldom; `cutoffs` are the
    first classes of the clusters behind the head."""

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0, head_bias: bool = False, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if len(cutoffs) == 0:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (
            cutoffs != sorted(cutoffs)
            or min(cutoffs) <= 0
            or max(cutoffs) > n_classes - 1
            or len(set(cutoffs)) != len(cutoffs)
            or any(int(c) != c for c in cutoffs)
        ):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is between 1 and n_classes-1")
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, [*cutoffs, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = self.cutoffs[0], len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            hidden = int(in_features // (div_value ** (i + 1)))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            project = Linear(in_features, hidden, bias=False, device=device, dtype=dtype)
            self.tail.append(Sequential(project, Linear(hidden, size, bias=False, device=device, dtype=dtype)))

    def reset_parameters(self) -> None:
        self.head.reset_parameters()
        for project, out in self.tail:  # type: ignore[misc]
            project.reset_parameters()
            out.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        input, target, batched = input_, target_, target_.dim() > 0
        if target.dim() == 1:
            if input.shape[0] != target.shape[0]:
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input.dim() != 2:
                raise RuntimeError(f"1D target tensor expects 2D input tensors, but found inputs with size {input.size()}")
        elif target.dim() == 0:
            if input.dim() != 1:
                raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with size {input.size()}")
            input, target = input.unsqueeze(0), target.unsqueeze(0)
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        used = 0
        output = input.new_zeros(target.size(0))
        places = target.new_empty(target.size(0))
        edges = [0, *self.cutoffs]
        for i in range(len(edges) - 1):
            mask = (target >= edges[i]) & (target < edges[i + 1])
            rows = mask.nonzero().squeeze()
            if rows.numel() == 0:
                continue
            if i == 0:
                places.index_copy_(0, rows, target[mask])
            else:
                inside = target[mask] - edges[i]
                logs = F.log_softmax(self.tail[i - 1](input.index_select(0, rows)), dim=1)
                places.index_fill_(0, rows, self.shortlist_size + i - 1)
                output.index_copy_(0, rows, logs.gather(1, inside.unsqueeze(1)).squeeze(1))
            used += rows.numel()
        if used != target.size(0):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, {target.max().item()}] were found. "
            )
        output = output + F.log_softmax(self.head(input), dim=1).gather(1, places.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        head = F.log_softmax(head_output, dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i in range(self.n_clusters):
            cluster = F.log_softmax(self.tail[i](input), dim=1)
            parts.append(cluster + head[:, self.shortlist_size + i].unsqueeze(1))
        return _VF.cat(parts, 1)

    def log_prob(self, input: Tensor) -> Tensor:
        """The logarithms of the probabilities of all classes."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The most probable class of each row. The clusters are computed only where one of them is likelier than the head's classes."""
        head = self.head(input)
        output = head.argmax(dim=1)
        far = output >= self.shortlist_size
        if not bool(far.any()):
            return output
        if bool(far.all()):
            return self._get_full_log_prob(input, head).argmax(dim=1)
        output[far] = self._get_full_log_prob(input[far], head[far]).argmax(dim=1)
        return output
