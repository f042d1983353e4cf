"""torch.ao.nn.intrinsic: pairs and triples of layers that fuse_modules puts together. Each is a Sequential, and computes what its layers compute."""

from __future__ import annotations

from typing import Any, ClassVar

from ....nn import BatchNorm1d, BatchNorm2d, BatchNorm3d, Conv1d, Conv2d, Conv3d, LeakyReLU, Linear, Module, ReLU, Sequential, Tanh
from ....nn.utils.parametrize import type_before_parametrizations

__all__ = [
    "BNReLU2d", "BNReLU3d", "ConvBn1d", "ConvBn2d", "ConvBn3d", "ConvBnReLU1d", "ConvBnReLU2d", "ConvBnReLU3d", "ConvReLU1d", "ConvReLU2d",
    "ConvReLU3d", "LinearBn1d", "LinearLeakyReLU", "LinearReLU", "LinearTanh",
]  # fmt: skip


class _FusedModule(Sequential):
    """Layers of the types `parts`, one after the other."""

    parts: ClassVar[tuple[type[Module], ...]] = ()

    def __init__(self, *layers: Module):
        if self.parts:
            given = [type_before_parametrizations(layer) for layer in layers]
            if given != list(self.parts):
                wanted, got = (", ".join(t.__name__ for t in types) for types in (self.parts, given))
                raise AssertionError(f"{type(self).__name__} takes layers of the types {wanted}, but got {got}")
        super().__init__(*layers)


class ConvReLU1d(_FusedModule):
    """Conv1d and ReLU."""

    parts = (Conv1d, ReLU)


class ConvReLU2d(_FusedModule):
    """Conv2d and ReLU."""

    parts = (Conv2d, ReLU)


class ConvReLU3d(_FusedModule):
    """Conv3d and ReLU."""

    parts = (Conv3d, ReLU)


class LinearReLU(_FusedModule):
    """Linear and ReLU."""

    parts = (Linear, ReLU)


class ConvBn1d(_FusedModule):
    """Conv1d and BatchNorm1d, for training."""

    parts = (Conv1d, BatchNorm1d)


class ConvBn2d(_FusedModule):
    """Conv2d and BatchNorm2d, for training."""

    parts = (Conv2d, BatchNorm2d)


class ConvBn3d(_FusedModule):
    """Conv3d and BatchNorm3d, for training."""

    parts = (Conv3d, BatchNorm3d)


class ConvBnReLU1d(_FusedModule):
    """Conv1d, BatchNorm1d and ReLU, for training."""

    parts = (Conv1d, BatchNorm1d, ReLU)


class ConvBnReLU2d(_FusedModule):
    """Conv2d, BatchNorm2d and ReLU, for training."""

    parts = (Conv2d, BatchNorm2d, ReLU)


class ConvBnReLU3d(_FusedModule):
    """Conv3d, BatchNorm3d and ReLU, for training."""

    parts = (Conv3d, BatchNorm3d, ReLU)


class BNReLU2d(_FusedModule):
    """BatchNorm2d and ReLU."""

    parts = (BatchNorm2d, ReLU)


class BNReLU3d(_FusedModule):
    """BatchNorm3d and ReLU."""

    parts = (BatchNorm3d, ReLU)


class LinearBn1d(_FusedModule):
    """Linear and BatchNorm1d, for training."""

    parts = (Linear, BatchNorm1d)


class LinearLeakyReLU(_FusedModule):
    """Linear and LeakyReLU."""

    parts = (Linear, LeakyReLU)


class LinearTanh(_FusedModule):
    """Linear and Tanh."""

    parts = (Linear, Tanh)


def fused_type(types: tuple[Any, ...]) -> type[_FusedModule] | None:
    """The class that holds layers of these types."""
    return next((c for c in _FusedModule.__subclasses__() if c.parts == types), None)
