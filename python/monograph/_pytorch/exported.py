"""Programs of torch.export: their graphs have the leaves of lists and dicts as inputs, and hold for some sizes and dtypes only."""

from __future__ import annotations

import operator
from typing import Any

from ..functional import _assert
from ..fx.graph import Graph
from ..fx.node import Node
from ..fx.proxy import Proxy
from .tensors import Exchange


def _children(spec: Any) -> list[Any]:
    return list(spec.children() if callable(getattr(spec, "children", None)) else spec.children_specs)


class Inputs:
    """The arguments and results of a function whose graph has the leaves of its lists and dicts as placeholders."""

    def __init__(self, info: Any):
        import torch

        self.info, self.tree = info, torch.utils._pytree
        self.made: dict[str, Node] = {}
        positional, named = _children(info.in_spec)
        names = [n for n in info.orig_args if n != "self"]
        self.paths: list[tuple[str, list[Any]]] = []  # of each leaf: the argument, and where in it the leaf is
        for name, spec in zip(names, [*_children(positional), *_children(named)], strict=True):
            self._walk(name, spec, [])
        self.leaves: dict[str, Any] = {}  # the arguments, as proxies of their leaves

    def _walk(self, name: str, spec: Any, path: list[Any]) -> None:
        if spec.is_leaf():
            self.paths.append((name, path))
            return
        if spec.type not in (list, tuple, dict):
            raise NotImplementedError(f"the input {name} is a {spec.type.__name__}; from_torch takes lists, tuples and dicts of tensors")
        keys = spec.context if spec.type is dict else range(len(_children(spec)))
        for key, child in zip(keys, _children(spec), strict=True):
            self._walk(name, child, [*path, key])

    def placeholder(self, graph: Graph, node: Any, kind: Any, args: Any) -> Node:
        """The node for a placeholder of PyTorch's graph."""
        name, path = self.paths.pop(0)
        if not path:
            made = graph.create_node("placeholder", name, args, {}, node.name, kind)
            self.leaves[name] = Proxy(made)
            return made
        if name not in self.made:
            last = next((n for n in reversed(list(graph.nodes)) if n.op == "placeholder"), None)
            with graph.inserting_after(last) if last is not None else graph.inserting_before():
                self.made[name] = graph.placeholder(name)
        at = self.made[name]
        for key in path:
            at = graph.call_function(operator.getitem, (at, key))
        within = self.leaves.setdefault(name, {})
        for key in path[:-1]:
            within = within.setdefault(key, {})
        within[path[-1]] = Proxy(at)
        return at

    def result(self, flat: Any) -> Any:
        """What the function returns, of the flat results of the graph."""
        if self.info.out_spec is None:
            return flat
        return self.tree.tree_unflatten(list(flat) if isinstance(flat, (list, tuple)) else [flat], self.info.out_spec)


class Checks:
    """What an exported program assumes of its inputs, as nodes that check it."""

    def __init__(self, program: Any):
        self.program = program

    def skips(self, function: Any) -> bool:
        """Whether a call only checks a dtype inside the graph, which those of the inputs decide."""
        return str(getattr(getattr(function, "_schema", None), "name", "")) == "aten::_assert_tensor_metadata"

    def insert(self, inputs: Inputs, leaves: list[tuple[Any, Node]]) -> None:
        """leaves: placeholders of PyTorch's graph, with the nodes here."""
        import torch

        exchange = Exchange(to_ours=True)
        symbols: dict[Any, Any] = {}
        for old, new in leaves:
            value, proxy = old.meta.get("val"), Proxy(new)
            if not isinstance(value, torch.Tensor):
                if value is not None and not isinstance(value, torch.SymInt):
                    _require(proxy == value, f"{new.name} must be {value!r}, as in the example of torch.export")
                continue
            _require(proxy.ndim == value.ndim, f"{new.name} must have {value.ndim} dimensions, as in the example of torch.export")
            _require(
                proxy.dtype == exchange.constant(value.dtype), f"{new.name} must be of {value.dtype}, as in the example of torch.export"
            )
            for dim, size in enumerate(value.shape):
                if isinstance(size, int):
                    _require(proxy.shape[dim] == size, f"size {dim} of {new.name} must be {size}, as in the example of torch.export")
                elif size.node.expr.is_symbol:
                    symbols.setdefault(size.node.expr, (proxy.shape[dim], f"size {dim} of {new.name}"))
        for symbol, bounds in self.program.range_constraints.items():
            if symbol in symbols:
                size, name = symbols[symbol]
                self._check_bounds(size, name, bounds)
        for guard in self.program._guards_code:
            _require(eval(guard, {"L": inputs.leaves}), f"torch.export assumed {guard}")

    def _check_bounds(self, size: Any, name: str, bounds: Any) -> None:
        for limit, holds, word in ((bounds.lower, size.__ge__, "least"), (bounds.upper, size.__le__, "most")):
            if limit.is_Integer and int(limit) > 0:
                _require(holds(int(limit)), f"{name} must be at {word} {limit}, as torch.export was told")


def _require(condition: Any, message: str) -> None:
    if isinstance(condition, Proxy):
        condition.tracer.create_proxy("call_function", _assert, (condition, message), {})
    elif not condition:
        raise RuntimeError(message)
