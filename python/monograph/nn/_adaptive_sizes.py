"""The sizes that adaptive pools are asked for, in the language of TorchScript."""

from __future__ import annotations

from .._jit_internal import BroadcastingList2, BroadcastingList3
from .._tensor import Tensor

# The home of these functions: graphs, errors and pickles name them by it.
__name__ = "monograph.nn.functional"


def _asked_sizes(output_size: list[int], input: Tensor) -> list[int]:
    """The sizes wanted of the last dims. None, which no int of TorchScript is, stands for the input's own size."""
    sizes: list[int] = []
    for k, size in enumerate(output_size):
        if size is None:
            if input.dim() <= len(output_size):
                raise ValueError(f"Input dimension should be at least {len(output_size) + 1}, but got a tensor of {input.dim()} dims")
            sizes.append(input.size(k - len(output_size)))
        else:
            sizes.append(size)
    return sizes


def _two_sizes(output_size: BroadcastingList2[int], input: Tensor) -> list[int]:
    """The sizes wanted of the last two dims; one number stands for both."""
    if isinstance(output_size, (list, tuple)):
        return _asked_sizes(output_size, input)  # type: ignore[arg-type]
    return [output_size, output_size]  # type: ignore[list-item]


def _sizes_of_dims(output_size: BroadcastingList3[int], input: Tensor, dims: int) -> list[int]:
    """The same of the last `dims` dims."""
    if isinstance(output_size, (list, tuple)):
        return _asked_sizes(output_size, input)  # type: ignore[arg-type]
    return [output_size for _ in range(dims)]  # type: ignore[misc]
