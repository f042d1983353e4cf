"""torch.nn: layers and what they are made of."""

from . import attention, functional, init, modules, parameter, utils
from .modules import *  # noqa: F403
from .parameter import Buffer, Parameter

utils._late()

__all__ = ["Buffer", "Parameter", "attention", "functional", "init", "modules", "parameter", "utils", *modules.__all__]
