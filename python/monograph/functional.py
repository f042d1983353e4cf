"""Functions that PyTorch writes in Python (torch.functional): typed, in the language of TorchScript where that can say them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import _C
from ._overridable import as_given, overridable

if TYPE_CHECKING:
    from ._C import Size
    from ._tensor import Tensor

__all__ = ["broadcast_shapes", "split"]


@overridable
def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of `tensor` cut along `dim`, into pieces of one size or of the sizes given."""
    return tensor.split(split_size_or_sections, dim)


def broadcast_shapes(*shapes: int | Sequence[int]) -> Size:
    """The shape to which all of them broadcast."""
    sizes = [shape if isinstance(shape, Sequence) else (shape,) for shape in shapes]
    n = max(map(len, sizes), default=0)
    result = [1] * n
    for size in sizes:
        for i, s in enumerate(size, n - len(size)):
            if s != 1 and result[i] not in (1, s):
                raise RuntimeError(f"Shape mismatch: objects cannot be broadcast to a single shape: {sizes}")
            result[i] = s if result[i] == 1 else result[i]
    return _C.Size(result)


@as_given
def _assert(condition: bool, message: str) -> None:
    """`assert condition, message` as a call, which a symbolic trace records."""
    assert condition, message


_assert.__module__ = "monograph"  # generated code names functions by their modules
