"""torch.ao: of it what networks in floating point name, such as FloatFunctional and QuantStub."""

from . import nn, quantization

__all__ = ["nn", "quantization"]
