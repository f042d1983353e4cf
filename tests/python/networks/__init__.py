"""Networks in plain spelling, in the structures that people write. Their source is also valid for PyTorch: with `monograph` read as `torch`, test_networks.py
runs it there and compares the results."""

from . import convolution, detection, language, models, sequences, staples, tables, vision  # noqa: F401
from .registry import NETWORKS

__all__ = ["NETWORKS"]
