"""torch.ao.nn: quantized, and intrinsic for layers that were fused."""

from . import intrinsic, quantized

__all__ = ["intrinsic", "quantized"]
