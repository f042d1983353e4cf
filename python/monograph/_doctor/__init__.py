"""`python -m monograph doctor script.py`: which names of torch a program and its imports use, and which of them are missing. Nothing of the program runs."""

from ._main import main

__all__ = ["main"]
