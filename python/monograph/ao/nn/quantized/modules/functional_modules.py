"""torch.ao.nn.quantized.modules.functional_modules"""

from .....nn.quantized import FloatFunctional, FXFloatFunctional

__all__ = ["FXFloatFunctional", "FloatFunctional"]
