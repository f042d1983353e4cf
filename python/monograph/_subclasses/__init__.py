"""torch._subclasses: what stands for PyTorch's fake tensors."""

from .fake_tensor import FakeTensorMode

__all__ = ["FakeTensorMode"]
