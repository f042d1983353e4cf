"""torch.ao.quantization: of it the marks in a network where its quantized part begins and ends. Tools that quantize are not there."""

from . import stubs
from .stubs import DeQuantStub, QuantStub, QuantWrapper

__all__ = ["DeQuantStub", "QuantStub", "QuantWrapper", "stubs"]
