"""Warnings that several parts of the package give."""

from __future__ import annotations


class TracerWarning(Warning):
    """The traced program may differ from the program."""
