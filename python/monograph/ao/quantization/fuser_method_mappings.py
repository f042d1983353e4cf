"""torch.ao.quantization.fuser_method_mappings: which layers fuse_modules puts together, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...nn import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    Linear,
    Module,
    ReLU,
)
from ...nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval
from ..nn.intrinsic import fused_type

__all__ = ["fuse_conv_bn", "fuse_conv_bn_relu", "fuse_convtranspose_bn", "fuse_linear_bn", "get_fuser_method"]


def _check_modes(*layers: Module) -> None:
    if len({layer.training for layer in layers}) > 1:
        names = ", ".join(type(layer).__name__ for layer in layers)
        raise AssertionError(f"The layers {names} must be in the same mode (train or eval)")


def _as_one_layer(is_qat: bool, *layers: Module) -> Module:
    """The layers as one Sequential."""
    made = fused_type(tuple(type(layer) for layer in layers))
    if made is None:
        raise NotImplementedError(f"Cannot fuse {'train' if is_qat else 'eval'} modules: {layers}")
    return made(*layers)


def _for_training(features: int, *layers: Any) -> Module:
    bn = layers[1]
    if bn.num_features != features:
        raise AssertionError(f"the layer has {features} outputs, and its batch norm {bn.num_features} features; they must be as many")
    if not (bn.affine and bn.track_running_stats):
        raise AssertionError("a batch norm can be fused for training only with affine=True and track_running_stats=True")
    return _as_one_layer(True, *layers)


def fuse_conv_bn(is_qat: bool, conv: Any, bn: Any) -> Module:
    """A convolution and its batch norm as one convolution (eval), or as a pair that can be trained (is_qat)."""
    _check_modes(conv, bn)
    return _for_training(conv.out_channels, conv, bn) if is_qat else fuse_conv_bn_eval(conv, bn)


def fuse_conv_bn_relu(is_qat: bool, conv: Any, bn: Any, relu: Any) -> Module:
    """A convolution, its batch norm and a ReLU as a pair (eval), or as a triple that can be trained (is_qat)."""
    _check_modes(conv, bn, relu)
    return _for_training(conv.out_channels, conv, bn, relu) if is_qat else _as_one_layer(False, fuse_conv_bn_eval(conv, bn), relu)


def fuse_linear_bn(is_qat: bool, linear: Any, bn: Any) -> Module:
    """A linear layer and its batch norm as one linear layer (eval), or as a pair that can be trained (is_qat)."""
    _check_modes(linear, bn)
    return _for_training(linear.out_features, linear, bn) if is_qat else fuse_linear_bn_eval(linear, bn)


def fuse_convtranspose_bn(is_qat: bool, convt: Any, bn: Any) -> Module:
    """A transposed convolution and its batch norm as one."""
    _check_modes(convt, bn)
    if is_qat:
        raise Exception("Fusing ConvTranspose+BatchNorm not yet supported in QAT.")  # the class that PyTorch raises
    return fuse_conv_bn_eval(convt, bn, transpose=True)


_RULES: dict[tuple[Any, ...], Callable[..., Module]] = {
    **dict.fromkeys(((Conv1d, BatchNorm1d), (Conv2d, BatchNorm2d), (Conv3d, BatchNorm3d)), fuse_conv_bn),
    **{(conv, bn, ReLU): fuse_conv_bn_relu for conv, bn in ((Conv1d, BatchNorm1d), (Conv2d, BatchNorm2d), (Conv3d, BatchNorm3d))},
    **dict.fromkeys(((ConvTranspose1d, BatchNorm1d), (ConvTranspose2d, BatchNorm2d), (ConvTranspose3d, BatchNorm3d)), fuse_convtranspose_bn),
    **{(layer, ReLU): _as_one_layer for layer in (Conv1d, Conv2d, Conv3d, Linear, BatchNorm2d, BatchNorm3d)},
    (Linear, BatchNorm1d): fuse_linear_bn,
}


def get_fuser_method(op_list: tuple[Any, ...], additional_fuser_method_mapping: dict[tuple[Any, ...], Any] | None = None) -> Callable[..., Module]:
    """The function that fuses layers of these types. It takes is_qat and the layers."""
    found = {**_RULES, **(additional_fuser_method_mapping or {})}.get(tuple(op_list))
    if found is None:
        raise AssertionError(f"did not find fuser method for: {op_list} ")
    return found
