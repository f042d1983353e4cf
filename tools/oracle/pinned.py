"""Import this before torch: PyTorch then computes with its AVX2 kernels, whatever the processor has. With AVX-512 both ATen and oneDNN take
other kernels, whose results differ in the last bits, and in more: oneDNN's `gelu(inf)` is NaN there.

Benchmarks do not import it: a peer is measured at its best."""

import os
import sys

ENVIRONMENT = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2"}

if "torch" in sys.modules:
    raise ImportError("torch has chosen its kernels already: import pinned before it")
os.environ.update(ENVIRONMENT)
