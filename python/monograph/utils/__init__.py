"""torch.utils: tools beside the tensors. Its modules are imported when they are first used."""

from __future__ import annotations

from .. import _absent

__getattr__ = _absent.of_module(__name__)
