"""torch.fx._pytree: arguments of a function taken apart as a spec says, where concrete_args holds values of registered types."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Callable
from typing import Any

from .. import _tree
from .._tree import TreeSpec

FlattenFnSpec = Callable[[Any, TreeSpec], list[Any]]
FlattenFnExactMatchSpec = Callable[[Any, TreeSpec], bool]
FlattenFuncSpec, FlattenFuncExactMatchSpec = FlattenFnSpec, FlattenFnExactMatchSpec  # their old names


def _tuple_flatten_spec(d: Any, spec: TreeSpec) -> list[Any]:
    """The children of a tuple, list or namedtuple that the spec has."""
    return [d[k] for k in range(spec.num_children)]


def _dict_flatten_spec(d: Any, spec: TreeSpec) -> list[Any]:
    """The values of a dict, in the order of the spec's keys. Packages register their types with these."""
    return [d[key] for key in spec.context]


def _values(values: Any, spec: TreeSpec) -> list[Any]:
    return [values[key] for key in spec.context[1]] if spec.type is defaultdict else _dict_flatten_spec(values, spec)


def _has_length_of(values: Any, spec: TreeSpec) -> bool:
    return len(values) == spec.num_children


_list_flatten_spec = _namedtuple_flatten_spec = _tuple_flatten_spec
_dict_flatten_spec_exact_match = _list_flatten_spec_exact_match = _tuple_flatten_spec_exact_match = _namedtuple_flatten_spec_exact_match = _has_length_of


SUPPORTED_NODES: dict[Any, FlattenFnSpec] = {
    dict: _values, OrderedDict: _values, defaultdict: _values, list: _tuple_flatten_spec, tuple: _tuple_flatten_spec,
    namedtuple: _tuple_flatten_spec,
}  # fmt: skip
SUPPORTED_NODES_EXACT_MATCH: dict[Any, FlattenFnExactMatchSpec | None] = {kind: _has_length_of for kind in SUPPORTED_NODES}  # noqa: C420


def register_pytree_flatten_spec(
    cls: type[Any], flatten_fn_spec: FlattenFnSpec, flatten_fn_exact_match_spec: FlattenFnExactMatchSpec | None = None
) -> None:
    """Says how values of a registered type are taken apart for a spec: flatten_fn_spec(value, spec) gives the children that the spec has.

    A value of a type without it must have the very spec.
    """
    SUPPORTED_NODES[cls], SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_spec, flatten_fn_exact_match_spec


def _deregister_pytree_flatten_spec(cls: type[Any]) -> None:
    del SUPPORTED_NODES[cls], SUPPORTED_NODES_EXACT_MATCH[cls]


def _other_structure(pytree: Any, spec: TreeSpec) -> str:
    given, expected = (" ".join(str(s).split()) for s in (_tree.flatten(pytree)[1], spec))
    return f"an argument is {given}, but the function was traced with concrete_args that are {expected}. Pass the same structure, or trace the function again"


def tree_flatten_spec(pytree: Any, spec: TreeSpec) -> list[Any]:
    """The parts of a value where the spec has leaves."""
    if spec.is_leaf():
        return [pytree]
    children_of = SUPPORTED_NODES.get(spec.type)
    if children_of is not None:
        try:
            children = children_of(pytree, spec)
        except (IndexError, KeyError, TypeError) as error:  # the message is PyTorch's
            error.add_note(_other_structure(pytree, spec))
            raise
        return [leaf for part, inner in zip(children, spec.children(), strict=False) for leaf in tree_flatten_spec(part, inner)]
    leaves, real = _tree.flatten(pytree)
    if real != spec:
        raise RuntimeError(_other_structure(pytree, spec))
    return leaves
