"""Attributes by their path from a module: "layers.0.weight". Those with an underscore are what torch.fx.graph_module has for packages."""

from __future__ import annotations

from typing import Any

from .. import _C
from .._tensor import Tensor
from ..nn import Module, Parameter

_MISSING = object()


def fetch(root: Any, path: str) -> Any:
    if isinstance(root, Module):
        found = _C._submodule(root, path)  # the most frequent case
        if found is not None:
            return found
    for name in path.split("."):
        found = getattr(root, name, _MISSING)
        if found is _MISSING:
            raise RuntimeError(f"the graph refers to {path!r}, but {type(root).__name__} has no attribute {name!r}")
        root = found
    return root


def _get_attr_via_attr_list(model: Any, attr_list: list[str]) -> Any:
    """What stands at a path, given as its parts; `model` for an empty one."""
    for name in attr_list[:-1]:
        model = getattr(model, name, None)
        if model is None:
            raise AssertionError(f"Attribute {name!r} not found in model")
    return getattr(model, attr_list[-1]) if attr_list else model


def _get_attr(model: Any, attr_name: str) -> Any:
    """What stands at a path."""
    return _get_attr_via_attr_list(model, attr_name.split("."))


def _has_attr(model: Any, attr_name: str) -> bool:
    """Whether something stands at a path."""
    for name in attr_name.split("."):
        model = getattr(model, name, _MISSING)
    return model is not _MISSING


def _del_attr(model: Any, attr_name: str) -> None:
    """Deletes what stands at a path."""
    prefix, _, name = attr_name.rpartition(".")
    delattr(_get_attr(model, prefix) if prefix else model, name)


def _assign_attr(from_obj: Any, to_module: Module, target: str) -> None:
    """Puts an object at a path. Modules that the path lacks are made. A tensor that is no Parameter becomes a buffer."""
    *prefix, name = target.split(".")
    for part in prefix:
        found = getattr(to_module, part, None)
        if found is None:
            found = Module()
            setattr(to_module, part, found)
        to_module = found
    if isinstance(from_obj, Tensor) and not isinstance(from_obj, Parameter):
        to_module.register_buffer(name, from_obj)
    else:
        setattr(to_module, name, from_obj)
