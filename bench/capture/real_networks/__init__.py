"""Real networks, of other people's packages and in plain spelling, and programs of these packages."""

from . import libraries, plain, timm_models, torchvision_models, transformers_models  # noqa: F401
from .registry import NETWORKS, PROGRAMS, Draw

__all__ = ["NETWORKS", "PROGRAMS", "Draw"]
