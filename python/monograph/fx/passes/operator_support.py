"""torch.fx.passes.operator_support: which nodes a backend takes.

    class Mine(OperatorSupport):
        def is_node_supported(self, submodules, node):
            return node.op == "call_function" and node.target in (torch.relu, operator.add)
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ... import _C
from ...nn import Module
from ..node import Node
from .shape_prop import TensorMetadata
from .tools_common import CALLABLE_NODE_OPS, get_node_target

__all__ = ["OperatorSupportBase", "OperatorSupport", "create_op_support", "chain", "OpSupports", "any_chain"]

TargetTypeName = str
# The dtypes that an operator takes: of the positional arguments one list each (None: any), of the named ones by name. None: any at all.
SupportedArgumentDTypes = tuple[Sequence[Sequence[_C.dtype]], dict[str, Sequence[_C.dtype]]] | None
SupportDict = Mapping[TargetTypeName, SupportedArgumentDTypes]
IsNodeSupported = Callable[[Mapping[str, Module], Node], bool]


class OperatorSupportBase(abc.ABC):
    """Tells whether a backend takes a node."""

    @abc.abstractmethod
    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        """submodules: dict(gm.named_modules())"""
        raise NotImplementedError


class OperatorSupport(OperatorSupportBase):
    """Takes what a table names: {get_node_target(...): None or (dtypes of args, dtypes of kwargs)}.

    The dtypes are those of node.meta["tensor_meta"], so ShapeProp has to run before. Nodes that call nothing are taken.
    """

    _support_dict: SupportDict

    def __init__(self, support_dict: SupportDict | None = None):
        self._support_dict = support_dict or {}

    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        rule = self._support_dict[target]
        if rule is None:
            return True
        of_args, of_kwargs = rule
        asked = [*zip(node.args, of_args), *((node.kwargs[k], dtypes) for k, dtypes in of_kwargs.items() if k in node.kwargs)]
        return all(dtypes is None or not isinstance(arg, Node) or _get_arg_dtype(arg) in dtypes for arg, dtypes in asked)


def create_op_support(is_node_supported: IsNodeSupported) -> OperatorSupportBase:
    """An OperatorSupportBase of a function."""

    class FunctionalOperatorSupport(OperatorSupportBase):
        def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
            return is_node_supported(submodules, node)

    return FunctionalOperatorSupport()


def chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Takes a node if all of these do."""
    return create_op_support(lambda submodules, node: all(s.is_node_supported(submodules, node) for s in op_support))


def any_chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Takes a node if one of these does."""
    return create_op_support(lambda submodules, node: any(s.is_node_supported(submodules, node) for s in op_support))


class OpSupports:
    """Rules to combine with `chain`."""

    @classmethod
    def decline_if_input_dtype(cls, dtype: _C.dtype) -> OperatorSupportBase:
        """Declines a node that reads a tensor of this dtype."""
        return create_op_support(lambda submodules, node: all(_get_arg_dtype(arg) != dtype for arg in node.all_input_nodes))

    @classmethod
    def decline_if_node_in_names(cls, disallow_set: set[str]) -> OperatorSupportBase:
        """Declines the nodes of these names."""
        return create_op_support(lambda submodules, node: node.name not in disallow_set)


def _get_arg_dtype(arg: Node) -> Any:
    """The dtype of the tensor that a node gives; the Python type of what is no tensor."""
    if not isinstance(arg, Node):
        raise AssertionError(f"Expected torch.fx.Node, got {type(arg)}")
    found = arg.meta.get("tensor_meta")
    return found.dtype if isinstance(found, TensorMetadata) else arg.meta["type"]
