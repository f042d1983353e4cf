"""torch._subclasses: what stands for PyTorch's fake tensors."""

from .fake_tensor import FakeTensor, FakeTensorMode

__all__ = ["FakeTensor", "FakeTensorMode"]
