"""Tensors of PyTorch and of Monograph that share their memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _C
from .._tensor import Tensor
from ..nn.parameter import Parameter


def _name(of: Any) -> str:
    """float32 of torch.float32, which both write so."""
    return str(of).removeprefix("torch.")


def to_ours(t: Any) -> Tensor:
    """A tensor of PyTorch, without what autograd knows of it."""
    import torch

    if t.device.type == "meta" and _name(t.dtype) in _C._dtypes:
        return _C._functions()[""]["empty_strided"](tuple(t.shape), t.stride(), dtype=_C._dtypes[_name(t.dtype)], device="meta")
    whole = t.device.type == "cpu" and t.layout is torch.strided and not t.is_quantized and not t.is_nested
    if not whole or _name(t.dtype) not in _C._dtypes or isinstance(t, torch._subclasses.FakeTensor):
        raise TypeError(
            f"Monograph cannot share a tensor of PyTorch of the type {type(t).__name__}, dtype {t.dtype}, layout {t.layout}, device {t.device}. "
            f"It takes dense tensors on the CPU of {', '.join(sorted(_C._dtypes))}"
        )
    return _C.from_dlpack(torch.utils.dlpack.to_dlpack(t.detach().resolve_conj().resolve_neg()))


def to_theirs(t: Tensor) -> Any:
    """A tensor of Monograph as one of PyTorch, without what autograd knows of it."""
    import torch

    if t.device.type == "meta":
        return torch.empty_strided(tuple(t.shape), t.stride(), dtype=getattr(torch, _name(t.dtype)), device="meta")
    return torch.from_dlpack(t.detach())


class Exchange:
    """Turns tensors and plain values of one library into those of the other. The same tensor gives the same tensor each time."""

    def __init__(self, to_ours: bool):
        self.to_ours = to_ours
        self._made: dict[int, tuple[Any, Any]] = {}  # both live as long as this

    def tensor(self, t: Any) -> Any:
        known = self._made.get(id(t))
        if known is None:
            known = self._made[id(t)] = (t, self._new(t))
        return known[1]

    def _new(self, t: Any) -> Any:
        import torch

        plain = to_ours(t) if self.to_ours else to_theirs(t)
        parameter: Any = Parameter if self.to_ours else torch.nn.Parameter
        if isinstance(t, torch.nn.Parameter if self.to_ours else Parameter):
            plain = parameter(plain, requires_grad=t.requires_grad)
        elif t.requires_grad and t.is_leaf:
            plain.requires_grad_()
        return plain

    def is_tensor(self, value: Any) -> bool:
        import torch

        return isinstance(value, torch.Tensor if self.to_ours else Tensor)

    def constant(self, value: Any) -> Any:
        """A dtype, device, layout or memory format; other values as they are."""
        import torch

        source: Any = torch if self.to_ours else _C
        if isinstance(value, source.dtype):
            found = _C._dtypes.get(_name(value)) if self.to_ours else getattr(torch, _name(value), None)
            if found is None:
                raise TypeError(f"Monograph has no {value}")
            return found
        if isinstance(value, source.device):
            return _C.device(str(value)) if self.to_ours else torch.device(str(value))
        if isinstance(value, (source.layout, source.memory_format)):
            found = getattr(_C if self.to_ours else torch, _name(value), None)
            if found is None:
                raise TypeError(f"Monograph has no layout {value}")
            return found
        return value

    def value(self, value: Any, leaf: Callable[[Any], Any] | None = None) -> Any:
        """The same of lists, tuples, dicts and slices of such. leaf: answers for what is none of these, and for tensors."""
        if self.is_tensor(value):
            return self.tensor(value) if leaf is None else leaf(value)
        if isinstance(value, (list, tuple)):
            parts = [self.value(v, leaf) for v in value]
            return type(value)(*parts) if hasattr(value, "_fields") else list(parts) if isinstance(value, list) else tuple(parts)
        if isinstance(value, dict):
            return {k: self.value(v, leaf) for k, v in value.items()}
        if isinstance(value, slice):
            return slice(self.value(value.start, leaf), self.value(value.stop, leaf), self.value(value.step, leaf))
        value = self.constant(value)
        return leaf(value) if leaf is not None else value
