"""Monograph: the graph toolkit for PyTorch-style programs. `import monograph as torch`."""

__version__ = "0.1.0"
