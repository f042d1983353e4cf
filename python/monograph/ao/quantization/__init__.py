"""torch.ao.quantization: of it the marks in a network where its quantized part begins and ends, and fuse_modules. Tools that quantize are not there."""

from . import fuser_method_mappings, stubs
from .fuse_modules import fuse_conv_bn, fuse_conv_bn_relu, fuse_known_modules, fuse_modules, fuse_modules_qat, get_fuser_method
from .stubs import DeQuantStub, QuantStub, QuantWrapper

__all__ = [
    "DeQuantStub", "QuantStub", "QuantWrapper", "fuse_conv_bn", "fuse_conv_bn_relu", "fuse_known_modules", "fuse_modules", "fuse_modules_qat",
    "fuser_method_mappings", "get_fuser_method", "stubs",
]  # fmt: skip
