"""Beside real PyTorch: graphs, modules and tensors go from one to the other.

`fx.from_torch`, `fx.to_torch` and the backend "monograph" of torch.compile. Tensors share memory by DLPack. Nothing else of Monograph imports PyTorch.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any


def pytorch(asked: str) -> Any:
    """The module torch, of PyTorch itself. asked: what needs it."""
    try:
        found = importlib.import_module("torch")
    except ImportError:
        raise ImportError(f"{asked} needs PyTorch, which is not installed here: pip install torch") from None
    if found is sys.modules[__name__.partition(".")[0]]:
        raise ImportError(f"{asked} needs PyTorch, but `import torch` means Monograph in this process, since install_as_torch() was called")
    importlib.import_module("torch.fx")
    return found
