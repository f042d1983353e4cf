"""torch.backends: which of PyTorch's backends are there: none but the CPU's own kernels. Settings of the others are kept, and change nothing."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from types import ModuleType
from typing import Any


class _Backend(ModuleType):
    """A backend that is not there. Attributes can be set, as programs do before they ask."""

    def __init__(self, name: str, **settings: Any):
        super().__init__(f"{__name__}.{name}", "A backend of PyTorch that is not in Monograph. Its settings change nothing.")
        self.__dict__.update(settings)
        sys.modules[self.__name__] = self

    def is_available(self) -> bool:
        return False

    def is_built(self) -> bool:
        return False

    @contextmanager
    def flags(self, **settings: Any) -> Any:
        before = {k: self.__dict__.get(k) for k in settings}
        self.__dict__.update(settings)
        try:
            yield
        finally:
            self.__dict__.update(before)


class _Matmul:
    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


cudnn = _Backend("cudnn", enabled=True, benchmark=False, deterministic=False, allow_tf32=True, version=lambda: None)
cuda = _Backend("cuda", matmul=_Matmul(), flash_sdp_enabled=lambda: False, mem_efficient_sdp_enabled=lambda: False, math_sdp_enabled=lambda: True)
mps, mkl, mkldnn, openmp, xeon, opt_einsum, miopen = (_Backend(n) for n in ("mps", "mkl", "mkldnn", "openmp", "xeon", "opt_einsum", "miopen"))
