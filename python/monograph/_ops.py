"""torch.ops: every operator by namespace and name, users' own ones too: torch.ops.aten.relu, torch.ops.mine.leaky."""

from __future__ import annotations

from typing import Any

from . import _C


class _Namespace:
    def __init__(self, name: str):
        self.name = name

    def __getattr__(self, op: str) -> Any:
        if op.startswith("__"):
            raise AttributeError(op)
        found = _C._find_overloads(f"{self.name}::{op}")
        setattr(self, op, found)
        return found

    def __repr__(self) -> str:
        return f"<module 'torch.ops.{self.name}'>"


class _Ops:
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        namespace = _Namespace(name)
        setattr(self, name, namespace)
        return namespace


ops = _Ops()
