"""The layout in memory of the weights of convolutions."""

from __future__ import annotations

from typing import Any, TypeVar

from ... import _C
from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]

M = TypeVar("M", bound=Module)


def _convert(module: M, kinds: tuple[type, ...], memory_format: _C.memory_format) -> M:
    if isinstance(module, kinds):
        weight: Any = module.weight
        data = weight.detach()
        weight.data = data.clone(memory_format=memory_format)
    for child in module.children():
        _convert(child, kinds, memory_format)
    return module


def convert_conv2d_weight_memory_format(module: M, memory_format: _C.memory_format) -> M:
    """Lays the weights of all Conv2d and ConvTranspose2d in the module out in memory this way; the module.

    Args:
        module: a layer, or a module with layers inside
        memory_format: the layout of its weights

    >>> layer = torch.nn.utils.convert_conv2d_weight_memory_format(torch.nn.Conv2d(2, 4, 3), torch.channels_last)
    >>> layer.weight.stride()
    (18, 1, 6, 2)
    """
    return _convert(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: M, memory_format: _C.memory_format) -> M:
    """Lays the weights of all Conv3d and ConvTranspose3d in the module out in memory this way; the module.

    Args:
        module: a layer, or a module with layers inside
        memory_format: the layout of its weights

    >>> layer = torch.nn.utils.convert_conv3d_weight_memory_format(torch.nn.Conv3d(2, 4, 3), torch.channels_last_3d)
    >>> layer.weight.stride()
    (54, 1, 18, 6, 2)
    """
    return _convert(module, (Conv3d, ConvTranspose3d), memory_format)
