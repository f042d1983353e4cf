"""torch.jit.annotations: names of types that programs for TorchScript import from here."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, Union  # noqa: UP035 - PyTorch's names

from .._jit_internal import BroadcastingList1, BroadcastingList2, BroadcastingList3
from . import Future

__all__ = ["Any", "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "Dict", "Future", "List", "Optional", "Tuple", "Union"]
