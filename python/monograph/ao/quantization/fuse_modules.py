"""torch.ao.quantization.fuse_modules: layers of a network that follow each other as one layer, chosen by their names."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from ...nn import Identity, Module
from ...nn.utils.parametrize import type_before_parametrizations
from .fuser_method_mappings import fuse_conv_bn, fuse_conv_bn_relu, get_fuser_method

__all__ = ["fuse_conv_bn", "fuse_conv_bn_relu", "fuse_known_modules", "fuse_modules", "fuse_modules_qat", "get_fuser_method"]


def fuse_known_modules(mod_list: Sequence[Any], is_qat: bool, additional_fuser_method_mapping: dict[Any, Any] | None = None) -> list[Module]:
    """The fused layer, and an Identity for each of the others. Hooks before the first layer and behind the last one move to the fused layer."""
    fuse = get_fuser_method(tuple(type_before_parametrizations(m) for m in mod_list), additional_fuser_method_mapping)
    fused = fuse(is_qat, *mod_list)
    for hook in mod_list[0]._forward_pre_hooks.values():
        fused.register_forward_pre_hook(hook)
    mod_list[0]._forward_pre_hooks.clear()
    for hook in mod_list[-1]._forward_hooks.values():
        fused.register_forward_hook(hook)
    mod_list[-1]._forward_hooks.clear()
    others = [Identity() for _ in mod_list[1:]]
    for identity in others:
        identity.training = mod_list[0].training
    return [fused, *others]


def _fuse(
    model: Module, modules_to_fuse: Sequence[Any], is_qat: bool, inplace: bool, fuser_func: Callable[..., Any], config: dict[str, Any] | None
) -> Module:
    if not inplace:
        model = copy.deepcopy(model)
    one_list = all(isinstance(name, str) for name in modules_to_fuse)
    for names in [modules_to_fuse] if one_list else modules_to_fuse:
        layers = [model.get_submodule(name) for name in names]
        made = fuser_func(layers, is_qat, (config or {}).get("additional_fuser_method_mapping", {}))
        for name, layer in zip(names, made, strict=False):
            parent, _, last = name.rpartition(".")
            setattr(model.get_submodule(parent), last, layer)
    return model


def fuse_modules(
    model: Module,
    modules_to_fuse: Sequence[Any],
    inplace: bool = False,
    fuser_func: Callable[..., Any] = fuse_known_modules,
    fuse_custom_config_dict: dict[str, Any] | None = None,
) -> Module:
    """A copy of the network in which the named layers are one layer; Identity stands for the others.

    modules_to_fuse: A list of names, or a list of such lists: convolution and batch norm, each with or without ReLU, linear and batch norm or ReLU.
    inplace: Changes the network itself.
    fuser_func: Gives the new layers for a list of layers.
    fuse_custom_config_dict: "additional_fuser_method_mapping" in it says how other types are fused.

        >>> m = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU()).eval()
        >>> torch.ao.quantization.fuse_modules(m, ["0", "1", "2"])[0]
        ConvReLU2d(
          (0): Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1))
          (1): ReLU()
        )
    """
    return _fuse(model, modules_to_fuse, False, inplace, fuser_func, fuse_custom_config_dict)


def fuse_modules_qat(
    model: Module,
    modules_to_fuse: Sequence[Any],
    inplace: bool = False,
    fuser_func: Callable[..., Any] = fuse_known_modules,
    fuse_custom_config_dict: dict[str, Any] | None = None,
) -> Module:
    """fuse_modules for training: layers and their batch norms stay together as a Sequential."""
    return _fuse(model, modules_to_fuse, True, inplace, fuser_func, fuse_custom_config_dict)
