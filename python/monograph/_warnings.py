"""Warnings that several parts of the package give."""

from __future__ import annotations


class TracerWarning(Warning):
    """The traced function may give other results than the function itself."""
