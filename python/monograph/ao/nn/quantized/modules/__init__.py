"""torch.ao.nn.quantized.modules"""

from . import functional_modules
from .functional_modules import FloatFunctional, FXFloatFunctional

__all__ = ["FXFloatFunctional", "FloatFunctional", "functional_modules"]
