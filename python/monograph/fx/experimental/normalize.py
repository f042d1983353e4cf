"""torch.fx.experimental.normalize: calls with named arguments and all defaults, and one spelling for operators."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ... import _C
from ..graph_module import GraphModule
from ..interpreter import Transformer
from ..node import Node, map_aggregate
from ..operator_schemas import create_type_hint, normalize_function, normalize_module
from ..proxy import Proxy
from .schema_type_annotation import AnnotateTypesWithSchema


class NormalizeArgs(Transformer):
    """Writes the arguments of functions and layers by name, with their defaults.

    normalize_to_only_use_kwargs: False leaves arguments positional that are. node.meta["type"], which ShapeProp writes, tells overloads apart.
    """

    def __init__(self, module: GraphModule, normalize_to_only_use_kwargs: bool = True):
        super().__init__(module)
        self.node_map: dict[int, Node] = {}
        self.normalize_to_only_use_kwargs = normalize_to_only_use_kwargs
        self._types: tuple[Any, Any] = ((), {})

    def run_node(self, n: Node) -> Any:
        def kind(a: Any) -> Any:
            return a.meta.get("type") if isinstance(a, Node) else type(a)

        types = map_aggregate(n.args, kind), {k: map_aggregate(v, kind) for k, v in n.kwargs.items()}
        self._types = tuple(create_type_hint(t) for t in types[0]), {k: create_type_hint(t) for k, t in types[1].items()}
        made = super().run_node(n)
        if isinstance(made, Proxy) and n.op != "output":
            self.node_map[id(made)] = n
        return made

    def call_function(
        self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any], arg_types: Any = None, kwarg_types: Any = None
    ) -> Any:
        if not callable(target) or not isinstance(target, Callable):  # type: ignore[arg-type]
            return super().call_function(target, args, kwargs)
        types = self._types if arg_types is None else (arg_types, kwarg_types or {})
        found = normalize_function(target, args, kwargs, *types, self.normalize_to_only_use_kwargs)
        return super().call_function(target, *(found or (args, kwargs)))

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        found = normalize_module(self.module, target, args, kwargs, self.normalize_to_only_use_kwargs)
        return super().call_module(target, *(found or (args, kwargs)))


_FUNCTIONS = _C._functions()[""]


class NormalizeOperators(AnnotateTypesWithSchema):
    """Writes torch.add(x, y) as x + y, and the other functions of two arguments that are operators of Python."""

    binary_magic_method_remap: dict[Any, Any] = {
        _FUNCTIONS["add"]: operator.add,
        _FUNCTIONS["mul"]: operator.mul,
        _FUNCTIONS["sub"]: operator.sub,
        _FUNCTIONS["div"]: operator.truediv,
        _FUNCTIONS["floor_divide"]: operator.floordiv,
        _FUNCTIONS["remainder"]: operator.mod,
        _FUNCTIONS["eq"]: operator.eq,
        _FUNCTIONS["ne"]: operator.ne,
        _FUNCTIONS["lt"]: operator.lt,
        _FUNCTIONS["le"]: operator.le,
        _FUNCTIONS["gt"]: operator.gt,
        _FUNCTIONS["ge"]: operator.ge,
    }

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if target in self.binary_magic_method_remap and len(args) == 2 and not kwargs:
            return super().call_function(self.binary_magic_method_remap[target], args, {})
        return super().call_function(target, args, kwargs)
