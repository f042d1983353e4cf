"""torch.ao.quantization.stubs: modules that mark where a quantized part begins and ends. In a network that is not quantized they give what they get."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ...nn import Module


class _Stub(Module):
    def __init__(self, qconfig: Any = None):
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Tensor) -> Tensor:
        return x


class QuantStub(_Stub):
    """Marks where tensors would become quantized. qconfig: how, for a tool that quantizes; without it the module has no such attribute."""


class DeQuantStub(_Stub):
    """Marks where tensors would become floating again."""


class QuantWrapper(Module):
    """A module between a QuantStub and a DeQuantStub."""

    def __init__(self, module: Module):
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.add_module("quant", QuantStub(qconfig))
        self.add_module("dequant", DeQuantStub(qconfig))
        self.add_module("module", module)
        self.train(module.training)

    def forward(self, X: Tensor) -> Tensor:
        return self.dequant(self.module(self.quant(X)))


__all__ = ["DeQuantStub", "QuantStub", "QuantWrapper"]
