"""torch.nn: layers and what they are made of."""

from . import attention, functional, init, modules, parameter, utils
from .modules import *  # noqa: F403
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter

from . import quantized  # isort: skip

utils._late()

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "attention", "functional", "init", "modules", "parameter", "quantized", "utils", *modules.__all__]
