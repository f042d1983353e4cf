"""The functions by which pickles of PyTorch rebuild tensors, where Python's own unpickler reads them (torch.load with weights_only=False)."""

from __future__ import annotations

from typing import Any

from . import _C, _VF
from ._tensor import Tensor


def _rebuild_tensor(storage: Any, storage_offset: int, size: Any, stride: Any) -> Tensor:
    return _C._tensor_over(storage._untyped_storage._bytes, storage.dtype, storage_offset, size, stride)


def _rebuild_tensor_v2(
    storage: Any, storage_offset: int, size: Any, stride: Any, requires_grad: bool, backward_hooks: Any, metadata: Any = None
) -> Tensor:
    return _marked(_rebuild_tensor(storage, storage_offset, size, stride), requires_grad, backward_hooks, metadata)


def _rebuild_tensor_v3(
    storage: Any, storage_offset: int, size: Any, stride: Any, requires_grad: bool, backward_hooks: Any, dtype: Any, metadata: Any = None
) -> Tensor:
    made = _C._tensor_over(storage._untyped_storage._bytes, dtype, storage_offset, size, stride)
    return _marked(made, requires_grad, backward_hooks, metadata)


def _marked(made: Tensor, requires_grad: bool, backward_hooks: Any, metadata: Any) -> Tensor:
    marks = [name for name, on in (metadata or {}).items() if on]
    if backward_hooks or marks:
        what = f"the mark {marks[0]!r}" if marks else "backward hooks"
        raise NotImplementedError(f"load: a tensor with {what}, which Monograph does not read; in PyTorch, save a plain tensor")
    made.requires_grad = requires_grad
    return made


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Any:
    from .nn.parameter import Parameter

    return _marked_parameter(Parameter(data, requires_grad), backward_hooks)


def _rebuild_parameter_with_state(data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any) -> Any:
    return _with_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


def _marked_parameter(made: Any, backward_hooks: Any) -> Any:
    if backward_hooks:
        raise NotImplementedError("load: a parameter with backward hooks, which Monograph does not read; in PyTorch, remove them")
    return made


def _rebuild_meta_tensor_no_storage(dtype: Any, size: Any, stride: Any, requires_grad: bool) -> Tensor:
    from . import _VF

    # One byte more than nothing is never taken: the meta device has no memory.
    reached = 0 if 0 in size else 1 + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    made = _VF.empty([reached], dtype=dtype, device="meta").as_strided(size, stride)
    made.requires_grad = requires_grad
    return made


def _with_state(made: Any, state: Any) -> Any:
    attributes, slots = state if isinstance(state, tuple) else (state, None)
    made.__dict__.update(attributes or {})
    for name, value in (slots or {}).items():
        setattr(made, name, value)
    return made


def _rebuild_from_type_v2(func: Any, new_type: Any, args: Any, state: Any) -> Any:
    made = func(*args)
    if type(made) is not new_type:
        made = made.as_subclass(new_type)
    set_state = getattr(new_type, "__setstate__", None)
    return _with_state(made, state) if set_state is None else (set_state(made, state), made)[1]


def _flatten_dense_tensors(tensors: Any) -> Tensor:
    """The elements of tensors of one dtype, one after the other."""
    return _VF.cat([tensor.reshape(-1) for tensor in tensors]) if len(tensors) != 1 else tensors[0].reshape(-1).clone()


def _unflatten_dense_tensors(flat: Tensor, tensors: Any) -> tuple[Tensor, ...]:
    """Views of what _flatten_dense_tensors made, in the sizes of these tensors."""
    pieces = flat.split([tensor.numel() for tensor in tensors])
    return tuple(piece.view_as(tensor) for piece, tensor in zip(pieces, tensors, strict=True))
