"""FakeTensorMode: makes tensors on the meta device of tensors, for ShapeProp and FakeTensorProp."""

from __future__ import annotations

from typing import Any, NoReturn

from .._tensor import Tensor


class _IsOnMeta(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, Tensor) and bool(value.is_meta)


class FakeTensor(Tensor, metaclass=_IsOnMeta):
    """A tensor on the meta device, for isinstance(): FakeTensorMode makes such tensors."""


def is_fake(x: object) -> bool:
    """Whether x is a tensor without values, that of a compiler's run with fake tensors. A tensor on the meta device is one here."""
    return isinstance(x, FakeTensor)


class FakeTensorMode:
    """Gives for a tensor one on the meta device, which has its sizes, strides and dtype, and no values."""

    shape_env = None

    def __init__(self, *, allow_fallback_kernels: bool = True, allow_non_fake_inputs: bool = False, shape_env: Any = None, static_shapes: Any = None):
        from ..fx.passes._on_meta import MetaCopies

        if shape_env is not None:
            raise NotImplementedError("FakeTensorMode(shape_env=...): sizes here are those of the example; graph.canonical() and the meta device know symbolic sizes")
        self.copies = MetaCopies()

    def from_tensor(self, tensor: Tensor, *, static_shapes: Any = None) -> Tensor:
        return self.copies.tensor(tensor)

    def __enter__(self) -> NoReturn:
        raise NotImplementedError('with FakeTensorMode(): is not there; make tensors on the meta device: torch.empty(2, 3, device="meta"), or mode.from_tensor(x)')

    def __exit__(self, *exc: object) -> None: ...
