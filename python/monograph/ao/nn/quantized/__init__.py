"""torch.ao.nn.quantized: the same as torch.nn.quantized."""

from . import modules
from .modules import FloatFunctional, FXFloatFunctional

__all__ = ["FXFloatFunctional", "FloatFunctional", "modules"]
