"""Runs a graph on the meta device: shapes and dtypes without values. Of an If whose condition is a value both arms run, of a Loop that depends on values one
iteration."""

from __future__ import annotations

import copy
from typing import Any

from ... import _C
from ..._tensor import Tensor
from ...nn import Module, Parameter
from .._kept import raise_error
from .._lowering import _NO_LIMIT
from .._recorded import without_values
from ..interpreter import Interpreter
from ..node import Node

_META = _C.device("meta")


class MetaCopies:
    """Tensors and modules on the meta device, each made once."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, Any]] = {}  # with the original, whose id stays taken

    def tensor(self, t: Tensor) -> Tensor:
        if t.device == _META:
            return t
        if id(t) not in self._made:
            self._made[id(t)] = t, _on_meta(t)
        return self._made[id(t)][1]

    def module(self, module: Module) -> Module:
        if id(module) not in self._made:
            memo: dict[int, Any] = {id(t): self.tensor(t) for t in (*module.parameters(), *module.buffers())}
            self._made[id(module)] = module, copy.deepcopy(module, memo)
        return self._made[id(module)][1]

    def tree(self, value: Any) -> Any:
        """A result with its tensors on the meta device."""
        if isinstance(value, Tensor):
            return self.tensor(value)
        if isinstance(value, tuple):
            parts = [self.tree(v) for v in value]
            return value if all(a is b for a, b in zip(parts, value, strict=True)) else type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        if isinstance(value, list):
            return [self.tree(v) for v in value]
        if isinstance(value, dict):
            return {k: self.tree(v) for k, v in value.items()}
        return value


def _on_meta(t: Tensor) -> Tensor:
    """A tensor of the same sizes, strides and dtype that has no values."""
    made = without_values(t)
    return Parameter(made, t.requires_grad) if t._is_parameter else made.requires_grad_(t.requires_grad)


class OnMeta(Interpreter):
    """An Interpreter whose tensors have sizes and no values. What would need a value raises an error."""

    def __init__(self, module: Module, copies: MetaCopies | None = None):
        super().__init__(module)
        self.copies = copies or MetaCopies()
        self._unknown = 0  # arms around, of which nobody knows whether they run

    def run_node(self, n: Node) -> Any:
        blocks = _C._blocks(n)
        if not blocks:
            return self.copies.tree(super().run_node(n))
        results = self._run_both_blocks(n, blocks) if len(blocks) == 2 else self._one_iteration(n, blocks[0])
        return results[0] if len(results) == 1 else results

    def _run_both_blocks(self, n: Node, blocks: list[Any]) -> tuple[Any, ...]:
        holds = self.map_nodes_to_values(n.args, n)[0]
        if not isinstance(holds, Tensor):  # of sizes
            return self._run_block(*blocks[0 if holds else 1])
        self._unknown += 1
        one, other = (self._run_block(*block) for block in blocks)
        self._unknown -= 1
        self._check_equal(n, one, other, "one branch gives {}, the other {}")
        return tuple(b if a is None else a for a, b in zip(one, other, strict=True))

    def _one_iteration(self, n: Node, block: Any) -> tuple[Any, ...]:
        count, holds, *initial = self.map_nodes_to_values(n.args, n)
        placeholders, nodes, results = block
        if type(count) is int and count < _NO_LIMIT and holds is True:
            for k in range(count):
                again, *carried = self._run_block(placeholders, nodes, results, (k, *initial))
                if again is not True:
                    break
                initial = carried
            else:
                return tuple(initial)
            initial = self.map_nodes_to_values(n.args, n)[2:]  # it may be left early
        _, *carried = self._run_block(placeholders, nodes, results, (0, *initial))
        self._check_equal(n, tuple(initial), tuple(carried), "a value that the loop carries is {} before it and {} after an iteration")
        return tuple(carried)

    def _check_equal(self, n: Node, one: tuple[Any, ...], other: tuple[Any, ...], words: str) -> None:
        for a, b in zip(one, other, strict=True):
            if a is None or b is None:  # nobody reads it there
                continue
            forms = [(str(v.dtype), list(v.shape)) if isinstance(v, Tensor) else (type(v).__name__, []) for v in (a, b)]
            if forms[0] != forms[1]:
                told = [f"{kind} {sizes}" if sizes else kind for kind, sizes in forms]
                raise RuntimeError(f"{n.name} has two different shapes: {words.format(*told)}")

    def fetch_attr(self, target: str) -> Any:
        found = super().fetch_attr(target)
        return self.copies.module(found) if isinstance(found, Module) else self.copies.tree(found)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if target is raise_error and self._unknown:
            return None
        return super().call_function(target, *_with_meta_device(args, kwargs))

    def call_method(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if target == "cpu" and isinstance(args[0], Tensor):
            return args[0]
        if target == "to" and len(args) > 1 and isinstance(args[1], str):
            args = (args[0], _META, *args[2:])
        return super().call_method(target, *_with_meta_device(args, kwargs))


def _with_meta_device(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call with the meta device where they name a device."""
    named = {k: _META if k == "device" and v is not None else v for k, v in kwargs.items()}
    return tuple(_META if isinstance(a, _C.device) else a for a in args), named
