"""torch.utils.dlpack: tensors of other libraries, over the same memory."""

from __future__ import annotations

import enum
from typing import Any

from .._C import from_dlpack
from .._tensor import Tensor

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """The kinds of devices in DLPack: the first number that `__dlpack_device__` returns.

        >>> torch.utils.dlpack.DLDeviceType(torch.ones(1).__dlpack_device__()[0]).name
        'kDLCPU'
    """

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def to_dlpack(tensor: Tensor) -> Any:
    """Makes a DLPack capsule over the memory of the tensor, from which another library makes an array. A capsule can be used once.

        >>> x = torch.ones(2)
        >>> y = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))
        >>> y.data_ptr() == x.data_ptr()
        True
    """
    taken: Any = tensor
    return taken.__dlpack__()
