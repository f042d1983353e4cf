"""torch.ops: every operator by namespace and name, users' own ones too: torch.ops.aten.relu, torch.ops.mine.leaky.

torch.ops.aten.add is an operator with all its overloads, torch.ops.aten.add.Tensor one of them; "default" is the one without a name.
"""

from __future__ import annotations

from typing import Any

from . import _C, _absent
from ._C import OpOverload, OpOverloadPacket  # noqa: F401


def _is_of_pytorch(namespace: str, name: str) -> bool:
    from ._pytorch_operators import OPERATORS

    return name in OPERATORS.get(namespace, "").split()


class _Namespace:
    def __init__(self, name: str):
        self.name = name

    def __getattr__(self, op: str) -> Any:
        if op.startswith("__") and op not in dir(self):  # aten has __and__ and __getitem__; Python asks for others
            raise AttributeError(op)
        try:
            found = _C._find_packet(f"{self.name}::{op}")
        except AttributeError:
            # Standing in for torch: packages name operators in tables when they are imported.
            if not _absent.stands_in() or op.startswith("__") or not _is_of_pytorch(self.name, op):
                raise
            return _absent.stand_in_for(f"torch.ops.{self.name}.{op}")
        setattr(self, op, found)
        return found

    def __dir__(self) -> list[str]:
        return _C._operator_names(self.name)

    def __repr__(self) -> str:
        return f"<module 'torch.ops.{self.name}'>"

    def __reduce__(self) -> Any:
        return getattr, (ops, self.name)


class _Ops:
    loaded_libraries: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self._refused: list[str] = []  # what load_library was asked for

    def load_library(self, path: Any) -> None:
        """Raises OSError: a library of operators for PyTorch needs PyTorch's C++ libraries. Packages that ask go on without it."""
        self._refused.append(str(path))
        raise OSError(
            f"Could not load this library: {path}. It holds operators for PyTorch's C++ library, which is not here; "
            "torch.library.custom_op makes an operator from a Python function"
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        namespace = _Namespace(name)
        setattr(self, name, namespace)
        return namespace

    def __reduce__(self) -> str:
        return "ops"


ops = _Ops()


def _tables() -> list[dict[str, Any]]:
    """The dicts that keep the operators that were looked up."""
    return [vars(ops), *(vars(found) for found in list(vars(ops).values()) if isinstance(found, _Namespace))]


def _find(namespace: str, name: str) -> Any:
    """The operator "relu", or the overload "relu.default", of a namespace: what pickle asks for."""
    found = getattr(ops, namespace)
    for part in name.split("."):
        found = getattr(found, part)
    return found
