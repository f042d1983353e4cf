"""torch.hub: where PyTorch keeps downloaded files. Monograph downloads nothing."""

import os

from . import _absent


def _get_torch_home() -> str:
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.getenv("TORCH_HOME", os.path.join(cache, "torch")))


def get_dir() -> str:
    """The folder of downloaded models: TORCH_HOME/hub."""
    return os.path.join(_get_torch_home(), "hub")


__getattr__ = _absent.of_module(__name__)
