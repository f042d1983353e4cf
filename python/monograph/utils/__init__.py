"""torch.utils: tools beside the tensors. Its modules are imported when they are first used."""

from __future__ import annotations

