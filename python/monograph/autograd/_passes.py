"""Backward passes: backward and grad, and the handle of a hook."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .. import _C
from ..overrides import handle_torch_function, has_torch_function
from .graph import GradientEdge, tensor_at

__all__ = ["backward", "grad"]


_restricted = threading.local()


@contextlib.contextmanager
def _for_some_inputs(on: bool) -> Iterator[None]:
    """Within the `with` block, a backward pass runs that does not add to .grad of every leaf."""
    before = getattr(_restricted, "on", False)
    _restricted.on = before or on
    try:
        yield
    finally:
        _restricted.on = before


def _is_checkpoint_valid() -> bool:
    """Whether the running backward pass adds to .grad of every leaf. Then a backward pass inside of it may do so too."""
    return not getattr(_restricted, "on", False)


def _tensor_at(x: Any) -> Any:
    """For a GradientEdge, a tensor at its end."""
    return tensor_at(x) if isinstance(x, GradientEdge) else x


def _without_edges(x: Any) -> Any:
    """With a tensor in place of each GradientEdge."""
    if isinstance(x, _C.TensorBase) or not isinstance(x, tuple | list):
        return x
    plain = _tensor_at(x)
    return plain if plain is not x else tuple(map(_tensor_at, x))


def _tuple(x: Any) -> tuple[Any, ...]:
    return () if x is None else tuple(x) if isinstance(x, Sequence) and not isinstance(x, _C.TensorBase) else (x,)


def _kept(x: Any) -> Any:
    """What may be read only once, such as module.parameters(), as a tuple."""
    plain = isinstance(x, (Sequence, _C.TensorBase)) or hasattr(type(x), "__torch_function__")
    return tuple(x) if not plain and isinstance(x, Iterable) else x


def _roots(tensors: Any, gradients: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    roots = _tuple(tensors)
    grads = _tuple(gradients) if gradients is not None else (None,) * len(roots)
    if len(grads) != len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(grads)} gradients")
    for root in roots:
        if not isinstance(root, _C.TensorBase):
            raise TypeError(f"expected a Tensor, or a list or tuple of Tensors, to take the gradient of, but got {type(root).__name__}")
    for root, grad in zip(roots, grads):
        if grad is not None and not isinstance(grad, _C.TensorBase):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(grad).__name__}")
        if grad is None and root._requires_grad and root.numel() != 1:
            raise RuntimeError(
                f"grad can be implicitly created only for scalar outputs, but this one has size {list(root.shape)}. "
                "Reduce it first, for example with sum(), or pass its gradient"
            )
        if grad is not None and grad.shape != root.shape:
            raise RuntimeError(f"Mismatch in shape: a gradient has a shape of {grad.shape} and its output has a shape of {root.shape}.")
    return roots, tuple(_implicit_gradient(root) if grad is None else grad for root, grad in zip(roots, grads))


def _implicit_gradient(root: Any) -> Any:
    """The implicit gradient of a GradientEdge, which has no data, and so no device of its own; None for a tensor."""
    device = getattr(root, "_device_at_edge", None) if root.is_meta else None
    if device is None:
        return None
    from .. import _VF

    return _VF.ones(root.shape, dtype=root.dtype, device=device)


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Adds the gradients of `tensors`, weighted by `grad_tensors`, to .grad of the leaves (only of `inputs` where given).

    Args:
        tensors: the tensors to differentiate
        grad_tensors: the gradient of each; None: 1, for a tensor of one element
        retain_graph: whether the tape is kept for another pass; None: as create_graph
        create_graph: whether the gradients can be differentiated again
        grad_variables: the old name of grad_tensors
        inputs: the leaves whose .grad is added to; None: all
    """
    tensors, inputs = _without_edges(_kept(tensors)), _without_edges(_kept(tuple(inputs.values()) if isinstance(inputs, Mapping) else inputs))
    asked = (*_tuple(tensors), *_tuple(inputs))
    if has_torch_function(asked):
        return handle_torch_function(
            backward, asked, tensors, grad_tensors=grad_tensors, retain_graph=retain_graph, create_graph=create_graph, grad_variables=grad_variables, inputs=inputs
        )
    if inputs is not None and len(_tuple(inputs)) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots, grads = _roots(tensors, grad_tensors if grad_tensors is not None else grad_variables)
    with _for_some_inputs(inputs is not None):
        _C._backward(roots, grads, create_graph if retain_graph is None else retain_graph, create_graph, _tuple(inputs))


def _grad_of_each_row(
    outputs: Any, inputs: Any, grad_outputs: Any, retain_graph: bool | None, create_graph: bool, allow_unused: bool | None, materialize_grads: bool
) -> tuple[Any, ...]:  # fmt: skip
    """The gradients for each row of grad_outputs, stacked."""
    from .. import _VF

    weights = _tuple(grad_outputs)
    counts = {w.size(0) for w in weights if w is not None}
    if len(counts) != 1:
        raise ValueError(f"is_grads_batched=True: expected grad_outputs to have one size in dim 0, but got {sorted(counts)}")
    (count,), rows = counts, []
    for i in range(count):
        keep = True if i < count - 1 else retain_graph
        row = tuple(None if w is None else w[i] for w in weights)
        rows.append(grad(outputs, inputs, row, keep, create_graph, True, allow_unused, False, materialize_grads))
    if not rows:
        return tuple(x.new_zeros((0, *x.shape)) for x in _tuple(inputs))
    return tuple(None if column[0] is None else _VF.stack(list(column)) for column in zip(*rows))


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False, only_inputs: bool = True,
    allow_unused: bool | None = None, is_grads_batched: bool = False, materialize_grads: bool = False,
) -> Any:  # fmt: skip
    """The gradients of `outputs` by `inputs`; .grad stays as it is.

    Args:
        outputs: the tensors to differentiate
        inputs: the tensors by which to differentiate; a dict of them gives a dict
        grad_outputs: the gradient of each output; None: 1, for a tensor of one element
        retain_graph: whether the tape is kept for another pass; None: as create_graph
        create_graph: whether the gradients can be differentiated again
        only_inputs: always True; no .grad is written
        allow_unused: whether an input that no output depends on gives None; otherwise it is an error
        is_grads_batched: whether the first dim of grad_outputs counts several passes
        materialize_grads: whether an input that no output depends on gives zeros
    """
    if isinstance(inputs, Mapping):
        found = grad(outputs, tuple(inputs.values()), grad_outputs, retain_graph, create_graph, only_inputs, allow_unused, is_grads_batched, materialize_grads)
        return dict(zip(inputs, found))
    outputs, inputs = _without_edges(_kept(outputs)), _without_edges(_kept(inputs))
    if len(_tuple(inputs)) == 0:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    asked = (*_tuple(outputs), *_tuple(inputs))
    if has_torch_function(asked):
        refuse = getattr(_C._capture_hook(), "refuse_unused", None)
        if allow_unused and not materialize_grads and refuse is not None:
            refuse()
        return handle_torch_function(
            grad, asked, outputs, inputs, grad_outputs=grad_outputs, retain_graph=retain_graph, create_graph=create_graph, only_inputs=only_inputs,
            allow_unused=allow_unused, is_grads_batched=is_grads_batched, materialize_grads=materialize_grads,
        )  # fmt: skip
    if is_grads_batched:
        return _grad_of_each_row(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
    roots, grads = _roots(outputs, grad_outputs)
    unused = materialize_grads if allow_unused is None else allow_unused
    if unused and not materialize_grads:
        _C._check_which_are_none(roots, _tuple(inputs))
    with _for_some_inputs(True):
        found = _C._gradients(roots, grads, _tuple(inputs), create_graph if retain_graph is None else retain_graph, create_graph, unused)
    if not materialize_grads:
        return found
    return tuple(g if g is not None else x.new_zeros(x.shape) for g, x in zip(found, _tuple(inputs)))
