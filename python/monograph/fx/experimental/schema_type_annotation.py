"""torch.fx.experimental.schema_type_annotation: node.type of what schemas and annotations tell."""

from __future__ import annotations

import inspect
from typing import Any

from ..._tensor import Tensor
from ...nn import Module
from .._annotations import hints_of
from .._names import spelled_as_torch
from ..graph_module import GraphModule
from ..interpreter import Transformer

__all__ = ["AnnotateTypesWithSchema"]


class AnnotateTypesWithSchema(Transformer):
    """Writes types to nodes: of functions of torch.nn.functional and layers of torch.nn by the annotations of forward, of attributes."""

    def __init__(self, module: GraphModule, annotate_functionals: bool = True, annotate_modules: bool = True, annotate_get_attrs: bool = True):
        super().__init__(module)
        self.annotate_functionals = annotate_functionals
        self.annotate_modules = annotate_modules
        self.annotate_get_attrs = annotate_get_attrs

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made = super().call_function(target, args, kwargs)
        of_functional = spelled_as_torch(getattr(target, "__module__", None) or "").startswith("torch.nn.functional")
        return _typed(made, hints_of(target).get("return") if self.annotate_functionals and of_functional else None)

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made = super().call_module(target, args, kwargs)
        called = self.fetch_attr(target)
        if not self.annotate_modules or not spelled_as_torch(type(called).__module__).startswith("torch.nn"):
            return made
        kind = inspect.signature(called.forward).return_annotation
        return _typed(made, Tensor if kind in (Tensor, "Tensor") else kind if _is_type(kind) else None)

    def get_attr(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made = super().get_attr(target, args, kwargs)
        value = self.fetch_attr(target)
        return _typed(made, type(value) if self.annotate_get_attrs and not isinstance(value, Module) else None)


def _is_type(kind: Any) -> bool:
    return isinstance(kind, type) and kind is not inspect.Signature.empty


def _typed(proxy: Any, kind: Any) -> Any:
    if kind is not None and hasattr(proxy, "node") and proxy.node.type is None:
        proxy.node.type = kind
    return proxy
