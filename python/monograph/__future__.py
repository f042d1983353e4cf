"""torch.__future__: how modules take parameters that a conversion, such as module.double(), has changed."""

from __future__ import annotations

_overwrites = False
_swaps = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether a conversion of a module gives it new parameters, rather than new elements to those that it has."""
    global _overwrites
    _overwrites = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether a conversion of a module gives it new parameters. False is the default."""
    return _overwrites


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether a conversion of a module swaps its parameters with the converted ones, by torch.utils.swap_tensors."""
    global _swaps
    _swaps = value


def get_swap_module_params_on_conversion() -> bool:
    """Whether a conversion of a module swaps its parameters with the converted ones. False is the default."""
    return _swaps
