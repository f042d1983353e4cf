"""torch.version: the version of PyTorch whose names these are, and what it would be built with."""

from .torch_version import TorchVersion

__version__ = TorchVersion("2.13.0")
debug = False
cuda: str | None = None
hip: str | None = None
xpu: str | None = None
git_version = "monograph"
