"""Functions that PyTorch writes in Python (torch.functional): typed, in the language of TorchScript where that can say them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import _C, _VF
from ._assumed_dims import symbolically as _symbolically
from ._overridable import as_given, leaves_out, overridable

if TYPE_CHECKING:
    from ._C import Size
    from ._tensor import Tensor

__all__ = [
    "adjoint",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "cartesian_prod",
    "cdist",
    "chain_matmul",
    "einsum",
    "lu",
    "meshgrid",
    "nonzero",
    "norm",
    "split",
    "stft",
    "tensordot",
    "unique",
    "unique_consecutive",
    "unravel_index",
]


@overridable
def split(tensor: Tensor, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of `tensor` cut along `dim`, into pieces of one size or of the sizes given.

    Args:
        tensor: a tensor
        split_size_or_sections: the size of each piece, or a list of sizes
        dim: the dim to cut
    """
    return tensor.split(split_size_or_sections, dim)


@_C._natively
def _is_one(size: int) -> bool:
    return not isinstance(size, _C.SymInt) and size == 1


def broadcast_shapes(*shapes: int | Sequence[int]) -> Size:
    """The shape to which all of them broadcast."""
    sizes = [shape if isinstance(shape, Sequence) else (shape,) for shape in shapes]
    n = max(map(len, sizes), default=0)
    result = [1] * n
    for size in sizes:
        for i, s in enumerate(size, n - len(size)):
            # A size that a capture follows is asked about only where another one stands against it.
            if _is_one(result[i]):
                result[i] = s
            elif not _is_one(s) and result[i] != s:
                if result[i] == 1:
                    result[i] = s
                elif s != 1:
                    raise RuntimeError(f"Shape mismatch: objects cannot be broadcast to a single shape: {sizes}")
    return _C.Size(result)


# These take tensors one by one; the operators take a list.


def _list(tensors: tuple[Tensor | Sequence[Tensor], ...]) -> list[Tensor]:
    """The tensors of a call that may give them as one list."""
    return list(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors)


@as_given
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str | None = None) -> tuple[Tensor, ...]:
    """For each vector, a tensor that goes through its elements along a dim of its own.

    Args:
        tensors: vectors or numbers
        indexing: "ij": the first vector runs along the first dim; "xy": along the second
    """
    return _VF.meshgrid(_list(tensors)) if indexing is None else _VF.meshgrid(_list(tensors), indexing=indexing)


@as_given
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Views of the tensors in the size that all of them broadcast to."""
    return _VF.broadcast_tensors(_list(tensors))


@as_given
def block_diag(*tensors: Tensor) -> Tensor:
    """Zeros with the matrices along the diagonal."""
    return _VF.block_diag(list(tensors))


@as_given
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All rows that take one element of each vector."""
    return _VF.cartesian_prod(list(tensors))


@as_given
@leaves_out("out")
def chain_matmul(*matrices: Tensor, out: Tensor | None = None) -> Tensor:
    """The product of the matrices."""
    return _VF.chain_matmul(list(matrices)) if out is None else _VF.chain_matmul(list(matrices), out=out)


def _letters(subscripts: Sequence[object]) -> str:
    """The letters of a list of subscripts: 0 to 51 are A to Z and a to z."""
    text = ""
    for s in subscripts:
        if s is Ellipsis:
            text += "..."
        elif isinstance(s, int) and 0 <= s < 52:
            text += chr(ord("A") + s if s < 26 else ord("a") + s - 26)
        else:
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
    return text


@as_given
def einsum(*args: str | Tensor | Sequence[Tensor] | Sequence[int]) -> Tensor:
    """The sums of products that an equation names: `einsum("ij,jk->ik", a, b)` is a matrix product. Lists of numbers may stand for the letters of each tensor
    and of the result: `einsum(a, [0, 1], b, [1, 2], [0, 2])`."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list"
        )
    if args[0] is None or isinstance(args[0], (list, tuple)):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(args[0]).__name__}; the equation comes first")
    if isinstance(args[0], str):
        equation, operands = args[0], args[1:]
    else:
        equation = ",".join(_letters(s) for s in args[1::2])  # type: ignore[arg-type]
        operands = args[: len(args) // 2 * 2 : 2]
        if len(args) % 2:
            equation += "->" + _letters(args[-1])  # type: ignore[arg-type]
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        return einsum(equation, *operands[0])
    return _VF.einsum(equation, list(operands))  # type: ignore[arg-type]


@as_given
@leaves_out("out", "as_tuple")
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Tensor | tuple[Tensor, ...]:
    """The places of elements that are not zero: a row each, or with `as_tuple=True` a tensor for each dim, which indexes them."""
    if not isinstance(as_tuple, bool):
        raise TypeError(f"nonzero(): argument 'as_tuple' must be bool, not {type(as_tuple).__name__}")
    if as_tuple:
        return tuple(_VF.nonzero_numpy(input))
    return _VF.nonzero(input) if out is None else _VF.nonzero(input, out=out)


@as_given
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    """Views with a dim of size 1 where there is none."""
    return _VF.atleast_1d(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], _C.TensorBase) else _VF.atleast_1d(_list(tensors))


@as_given
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    """Views with dims of size 1 in front, up to two dims."""
    return _VF.atleast_2d(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], _C.TensorBase) else _VF.atleast_2d(_list(tensors))


@as_given
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Tensor | tuple[Tensor, ...]:
    """Views with dims of size 1 around, up to three dims."""
    return _VF.atleast_3d(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], _C.TensorBase) else _VF.atleast_3d(_list(tensors))


@overridable
def tensordot(a: Tensor, b: Tensor, dims: int | Tensor | Sequence[Sequence[int]] = 2, out: Tensor | None = None) -> Tensor:
    """The sums of products over `dims`: the last ones of `a` and the first ones of `b`, or two lists of dims.

    Args:
        a: a tensor
        b: a tensor
        dims: how many dims to sum over, or a list of those of a and a list of those of b
        out: the tensor to write
    """
    if isinstance(dims, _C.TensorBase):
        dims = dims.tolist() if dims.numel() > 1 else dims.item()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        of_a, of_b = list(range(-dims, 0)), list(range(dims))
    elif isinstance(dims, (list, tuple)):
        of_a, of_b = dims
    else:
        raise RuntimeError(f"tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, but got dims={dims}")
    return _VF.tensordot(a, b, of_a, of_b) if out is None else _VF.tensordot(a, b, of_a, of_b, out=out)


@overridable
def adjoint(input: Tensor) -> Tensor:
    """The last two dims exchanged, and of complex numbers their conjugates: `input.mH`."""
    return input.mH


@overridable
def lu(
    A: Tensor, pivot: bool = True, get_infos: bool = False, out: tuple[Tensor, ...] | None = None
) -> tuple[Tensor, Tensor] | tuple[Tensor, Tensor, Tensor]:
    """linalg.lu_factor in its old spelling: LU and the pivots; with `get_infos` also the number of a pivot that is 0, in place of an error."""
    factors, pivots, infos = _VF._lu_with_info(A, pivot, not get_infos)
    if out is None:
        return (factors, pivots, infos) if get_infos else (factors, pivots)
    found = [factors, pivots, infos][: 3 if get_infos else 2]
    if len(out) != len(found):
        raise TypeError(f"expected tuple of {len(found)} elements but got {len(out)}")
    for target, value in zip(out, found, strict=True):
        target.copy_(value)
    return (out[0], out[1], out[2]) if get_infos else (out[0], out[1])


@overridable
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    out: Tensor | None = None,
    dtype: _C.dtype | None = None,
) -> Tensor:
    """The norm of order `p` over `dim`, of all elements where none is named: linalg.vector_norm.

    Args:
        input: a tensor
        p: the order of the norm
        dim: the dims; None: all
        keepdim: whether the dims stay, with size 1
        out: the tensor to write
        dtype: the dtype to compute in
    """
    if p == "nuc":
        kept = input if dtype is None else input.to(dtype)
        if dim is None:
            return _VF.nuclear_norm(kept, keepdim) if out is None else _VF.nuclear_norm(kept, keepdim, out=out)
        places = list(dim) if isinstance(dim, Sequence) else [dim]
        return _VF.nuclear_norm(kept, places, keepdim) if out is None else _VF.nuclear_norm(kept, places, keepdim, out=out)
    if isinstance(p, str):
        if p != "fro":
            raise RuntimeError(f"Only valid string values are 'fro' and 'nuc', found {p}")
        if dim is not None and not isinstance(dim, int) and len(dim) > 2:
            raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {list(dim)}")
        p = 2.0
    order = 2.0 if p is None else p
    dims = [dim] if isinstance(dim, int) else dim
    if out is None:
        return _C._linalg.linalg_vector_norm(input, order, dims, keepdim, dtype=dtype)
    return _C._linalg.linalg_vector_norm(input, order, dims, keepdim, dtype=dtype, out=out)


@overridable
@_symbolically(lambda **given: _VF.stft(**{"self" if name == "input" else name: value for name, value in given.items()}))
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """The Fourier transforms of pieces of a signal, `hop_length` apart: a row for each frequency, a column for each piece. With `center`, the signal is padded
    so that the pieces are centered at multiples of `hop_length`.

    Args:
        input: signals, of shape (time) or (batch, time)
        n_fft: how many samples a transform has
        hop_length: how many samples lie between two windows; None: n_fft // 4
        win_length: how many samples a window has; None: n_fft
        window: the weights of the samples; None: ones
        center: whether the signal is padded at both ends
        pad_mode: how it is padded
        normalized: whether the result is divided by the root of n_fft
        onesided: whether only half of the frequencies are returned; None: for real signals
        return_complex: True, or the result is pairs of real numbers
        align_to_window: whether the first window begins at the first sample (with center=False)
    """
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    if center:
        dims = input.dim()
        padded = _C._nn.pad(input.view([1] * (3 - dims) + list(input.size())), [n_fft // 2, n_fft // 2], pad_mode)
        input = padded.view(padded.shape[-dims:])
    return _VF.stft(input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window)


def _requested_parts(found: tuple[Tensor, Tensor, Tensor], return_inverse: bool, return_counts: bool) -> Tensor | tuple[Tensor, ...]:
    parts = [found[0], *([found[1]] if return_inverse else []), *([found[2]] if return_counts else [])]
    return parts[0] if len(parts) == 1 else tuple(parts)


@overridable
def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Tensor | tuple[Tensor, ...]:
    """Each element that occurs, or each slice along `dim`, once and in order; where each stands among them, and how often each occurs, where that is asked for.

    Args:
        input: a tensor
        sorted: always sorted
        return_inverse: whether to return where each element went
        return_counts: whether to return how often each occurs
        dim: the dim whose slices are compared; None: elements
    """
    if dim is not None:
        return _requested_parts(_VF.unique_dim(input, dim, sorted, return_inverse, return_counts), return_inverse, return_counts)
    return _requested_parts(_VF._unique2(input, sorted, return_inverse, return_counts), return_inverse, return_counts)


@overridable
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The distances between the rows of `x1` and those of `x2`, in the p-norm. Every mode of PyTorch's computes the same here.

    Args:
        x1: rows, of shape (..., P, M)
        x2: rows, of shape (..., R, M)
        p: the order of the norm
        compute_mode: "use_mm_for_euclid_dist_if_necessary" computes with a matrix product for more than 25 rows
    """
    if compute_mode == "use_mm_for_euclid_dist_if_necessary":
        return _VF.cdist(x1, x2, p, None)
    if compute_mode == "use_mm_for_euclid_dist":
        return _VF.cdist(x1, x2, p, 1)
    if compute_mode == "donot_use_mm_for_euclid_dist":
        return _VF.cdist(x1, x2, p, 2)
    raise ValueError(f"{compute_mode} is not a valid value for compute_mode")


@overridable
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Tensor | tuple[Tensor, ...]:
    """The elements, or the slices along `dim`, without those that equal the one before them.

    Args:
        input: a tensor
        return_inverse: whether to return where each element went
        return_counts: whether to return how long each run is
        dim: the dim whose slices are compared; None: elements
    """
    return _requested_parts(_VF.unique_consecutive(input, return_inverse, return_counts, dim), return_inverse, return_counts)


@overridable
def unravel_index(indices: Tensor, shape: int | Sequence[int]) -> tuple[Tensor, ...]:
    """The coordinates, in a tensor of this shape, of places in its elements as a row: a tensor for each dim.

    indices: integers.
    Raises TypeError for other indices, ValueError for a negative size.

    Args:
        indices: positions in row-major order
        shape: the sizes

        >>> torch.unravel_index(torch.tensor([1, 5]), (2, 3))
        (tensor([0, 1]), tensor([1, 2]))
    """
    if indices.is_floating_point() or indices.is_complex() or indices.dtype == _C._dtypes["bool"]:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    sizes = [shape] if isinstance(shape, int) else list(shape)
    for size in sizes:
        if not isinstance(size, (int, _C.SymInt)):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(size)}")
    if any(size < 0 for size in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    indices = indices.long()
    coordinates: list[Tensor] = []
    step = 1
    for size in reversed(sizes):
        coordinates.insert(0, _VF.remainder(_VF.floor_divide(indices, step), size))
        step *= size
    return tuple(coordinates)


@as_given
def _assert(condition: bool, message: str) -> None:
    """`assert condition, message` as a call, which a symbolic trace records."""
    assert condition, message


_assert.__module__ = nonzero.__module__ = adjoint.__module__ = "monograph"  # generated code names functions by their modules
