"""torch.vmap: a function of one sample over a dim of samples.

The function is called once for each sample, on views of the arguments, and its results are stacked. So every operator takes part, with its gradients, in nested
transforms too, and a capture records all calls, for the example's number of samples. It is not faster than a loop.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from . import _C
from .autograd.grad_mode import no_grad
from .random import get_rng_state, set_rng_state
from .utils._pytree import tree_flatten, tree_unflatten

__all__ = ["vmap"]

_RANDOMNESS = ("error", "different", "same")


def _broadcast_to(dims: Any, tree: Any) -> list[Any] | None:
    """The dims of the leaves of a tree: one for all below a place. None where `dims` has another structure."""
    leaves, spec = tree_flatten(tree)
    if not isinstance(dims, (tuple, list, dict)) or dims == ():
        return [dims] * len(leaves)
    if type(dims) is not type(tree) and not (isinstance(dims, (tuple, list)) and isinstance(tree, (tuple, list))):
        return None
    if len(dims) != len(tree):
        return None
    below_each: Any = dims
    parts: Any = tree
    if isinstance(dims, dict):
        if dims.keys() != parts.keys():
            return None
        below_each, parts = list(dims.values()), [parts[key] for key in dims]
    found: list[Any] = []
    for below, part in zip(below_each, parts):
        each = _broadcast_to(below, part)
        if each is None:
            return None
        found += each
    return found


class _Mapped:
    """The arguments of one call of a mapped function: its leaves, and the dim of each that is mapped."""

    def __init__(self, func: Callable[..., Any], in_dims: Any, args: tuple[Any, ...]):
        self.name = getattr(func, "__name__", repr(func))
        call = f"vmap({self.name}, in_dims={in_dims}, ...)(<inputs>)"
        if not isinstance(in_dims, (int, tuple)):
            raise ValueError(
                f"{call}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}."
            )
        if not args:
            raise ValueError(
                f"vmap({self.name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function with no inputs. The latter "
                "is unsupported."
            )
        self.leaves, self.spec = tree_flatten(args)
        dims = _broadcast_to(in_dims, args)
        if dims is None:
            raise ValueError(
                f"{call}: in_dims is not compatible with the structure of `inputs`. in_dims has structure {tree_flatten(in_dims)[1]} but inputs has structure {self.spec}."
            )
        self.dims = [self._dim(call, leaf, dim) for leaf, dim in zip(self.leaves, dims)]
        sizes = [leaf.size(dim) for leaf, dim in zip(self.leaves, self.dims) if dim is not None]
        if not sizes:
            raise ValueError("vmap: Expected at least one Tensor to vmap over")
        if any(n != sizes[0] for n in sizes):
            raise ValueError(f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped dimension")
        self.count = sizes[0]

    @staticmethod
    def _dim(call: str, leaf: Any, dim: Any) -> int | None:
        if dim is None:
            return None
        if not isinstance(dim, int):
            raise ValueError(f"{call}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.")
        if not isinstance(leaf, _C.TensorBase):
            raise ValueError(
                f"{call}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over non-Tensor arguments, please use None as the "
                "respective in_dim"
            )
        n = leaf.dim()
        if not -n <= dim < n:
            raise ValueError(
                f"{call}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {n} so expected in_dim to satisfy -{n} <= in_dim < {n}."
            )
        return dim % n

    def sample(self, i: int) -> tuple[Any, ...]:
        return tree_unflatten([t if d is None else t.select(d, i) for t, d in zip(self.leaves, self.dims)], self.spec)

    def made_up(self) -> tuple[Any, ...]:
        """A sample of zeros, of a call that has none."""
        parts = [t if d is None else t.new_zeros([n for k, n in enumerate(t.shape) if k != d]) for t, d in zip(self.leaves, self.dims)]
        return tree_unflatten(parts, self.spec)


@contextmanager
def _random_numbers(randomness: str, first: Any) -> Iterator[None]:
    """One sample's draws: refused, from where the first sample drew, or from where the last one stopped."""
    before = get_rng_state() if randomness != "different" else None
    if randomness == "same":
        set_rng_state(first)
    yield
    if randomness == "error" and not bool((get_rng_state() == before).all()):
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness flags on vmap or perform the "
            "randomness operation out of vmap"
        )


def _stacked(mapped: _Mapped, results: list[Any], out_dims: Any, empty: bool) -> Any:
    from . import _VF

    flat = [tree_flatten(result) for result in results]
    leaves, spec = flat[0]
    for t in leaves:
        if not isinstance(t, _C.TensorBase):
            raise ValueError(
                f"vmap({mapped.name}, ...): `{mapped.name}` must only return Tensors, got type {type(t)}. Did you mean to set out_dims= to None for output?"
            )
    for other, other_spec in flat[1:]:
        if other_spec != spec or any(a.shape != b.shape for a, b in zip(leaves, other)):
            raise RuntimeError(
                f"vmap({mapped.name}, ...): expected results of the same structure and sizes for all samples, but one call gave {[list(t.shape) for t in leaves]} "
                f"and another one {[list(t.shape) for t in other]}"
            )
    whole = results[0]
    dims = _broadcast_to(out_dims, whole if isinstance(whole, (tuple, list, dict)) else (whole,))
    if dims is None and isinstance(out_dims, tuple) and len(out_dims) == 1 and isinstance(whole, _C.TensorBase):
        dims = [out_dims[0]]
    if dims is None or not all(d is None or isinstance(d, int) for d in dims):
        raise ValueError(
            f"vmap({mapped.name}, ..., out_dims={out_dims}): out_dims is not compatible with the structure of `outputs`. out_dims has structure "
            f"{tree_flatten(out_dims)[1]} but outputs has structure {spec}."
        )
    made = []
    for k, dim in enumerate(dims):
        if dim is None:
            made.append(leaves[k])
            continue
        n = leaves[k].dim() + 1
        if not -n <= dim < n:
            raise IndexError(f"vmap: out_dims has the dim {dim}, but the result has {n} dims with that of the samples")
        parts = [f[0][k] for f in flat]
        made.append(_VF.stack(parts, dim) if not empty else _VF.stack([parts[0]], dim).narrow(dim, 0, 0))
    return tree_unflatten(made, spec)


class VmapInfo(NamedTuple):
    """What the `vmap` of a torch.autograd.Function is told: the number of samples, and vmap's `randomness`."""

    batch_size: int
    randomness: str


def _with_rule(func: Callable[..., Any]) -> Any:
    """The torch.autograd.Function whose `apply` this is, if the program wrote its `vmap`."""
    from .autograd.function import Function

    function = getattr(func, "__self__", None)
    if not isinstance(function, type) or not issubclass(function, Function) or function.vmap is Function.vmap:
        return None
    if function.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {function.__name__}, but it has both generate_vmap_rule=True and an overriden vmap staticmethod. Please set "
            "generate_vmap_rule=False or delete the overriden vmap staticmethod to avoid ambiguity. "
        )
    return function


def _by_rule(function: Any, mapped: _Mapped, args: tuple[Any, ...], out_dims: Any, randomness: str) -> Any:
    """One call of the program's rule for all samples."""
    made, dims = function.vmap(VmapInfo(mapped.count, randomness), tree_unflatten(mapped.dims, mapped.spec), *args)
    leaves, spec = tree_flatten(made)
    of_made, wanted = _broadcast_to(dims, made if isinstance(made, (tuple, list)) else (made,)), _broadcast_to(out_dims, made if isinstance(made, (tuple, list)) else (made,))
    if of_made is None or wanted is None:
        raise ValueError(f"vmap({mapped.name}, ...): the vmap of {function.__name__} returned dims that do not fit its results, or out_dims do not: {dims}, {out_dims}")
    for k, (t, dim) in enumerate(zip(leaves, of_made)):
        if dim is None and wanted[k] is not None:
            t, dim = t.unsqueeze(0).expand(mapped.count, *t.shape), 0
        leaves[k] = t if wanted[k] is None else t.movedim(dim, wanted[k])
    return tree_unflatten(leaves, spec)


def vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Callable[..., Any]:
    """A function that calls `func` for each sample along a dim of its arguments, and stacks the results. `in_dims` says which dim of each argument the samples lie along,
    None for an argument that all share; `out_dims` says where the samples' dim stands in each result. `func` runs once for each sample: it may read numbers of
    tensors and branch on them. `randomness` says what random numbers it may draw: none, other ones or the same ones for each sample. `chunk_size` changes nothing.

    Args:
        func: a function of tensors to tensors
        in_dims: the dim of each input that counts the calls: a number, None (the same for all calls), or these in the structure of the inputs
        out_dims: where that dim stands in each result
        randomness: what random operators do: "error", "same" (for all calls) or "different"
        chunk_size: how many calls are computed at once; None: all

    >>> dot = torch.vmap(torch.dot)
    >>> dot(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.ones(2, 2))
    tensor([3., 7.])
    """
    if randomness not in _RANDOMNESS:
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        mapped = _Mapped(func, in_dims, args)
        if (function := _with_rule(func)) is not None:
            return _by_rule(function, mapped, args, out_dims, randomness)
        if mapped.count == 0:
            with no_grad(), _random_numbers("different", None):
                return _stacked(mapped, [func(*mapped.made_up(), **kwargs)], out_dims, empty=True)
        first = get_rng_state() if randomness == "same" else None
        results = []
        for i in range(mapped.count):
            with _random_numbers(randomness, first):
                results.append(func(*mapped.sample(i), **kwargs))
        return _stacked(mapped, results, out_dims, empty=False)

    return call
