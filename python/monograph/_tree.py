"""Flattening and rebuilding nested values, for captures and for torch.utils._pytree.

A node is a value of a registered type: tuple, list, dict, a namedtuple, OrderedDict, defaultdict, deque, torch.Size, torch.return_types, and
the types that register() adds. A TreeSpec is a tree without its leaves. With `subclasses`, a value whose type is derived from tuple, list or dict is a node too.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from . import _C

Leaf = Callable[[Any], bool] | None


class SequenceKey(NamedTuple("_Index", [("idx", int)])):
    """The step to an element of a sequence."""

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        return sequence[self.idx]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and tuple.__eq__(self, other)

    __hash__ = tuple.__hash__


class MappingKey(NamedTuple("_Key", [("key", Any)])):
    """The step to a value of a dict."""

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        return mapping[self.key]

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and tuple.__eq__(self, other)

    __hash__ = tuple.__hash__


class GetAttrKey(NamedTuple("_Attribute", [("name", str)])):
    """The step to an attribute."""

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        return getattr(obj, self.name)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and tuple.__eq__(self, other)

    __hash__ = tuple.__hash__


class NodeDef(NamedTuple):
    """How values of a type are flattened and built again."""

    type: Any
    flatten_fn: Callable[[Any], tuple[list[Any], Any]]
    unflatten_fn: Callable[[Any, Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None = None


NODES: dict[Any, NodeDef] = {}
DICTS = frozenset({dict, OrderedDict, defaultdict})
BUILTIN = frozenset({tuple, list, dict, namedtuple, OrderedDict, defaultdict, deque})


def _builtin(kind: Any, flatten: Any, unflatten: Any, keys: Callable[[Any, Any], list[Any]]) -> None:
    def with_keys(value: Any) -> tuple[list[tuple[Any, Any]], Any]:
        children, context = flatten(value)
        return list(zip(keys(value, context), children, strict=True)), context

    NODES[kind] = NodeDef(kind, flatten, unflatten, with_keys)


def _indices(value: Any, context: Any) -> list[Any]:
    return [SequenceKey(i) for i in range(len(value))]


def _keys(value: Any, context: Any) -> list[Any]:
    return [MappingKey(k) for k in value]


_builtin(tuple, lambda v: (list(v), None), lambda values, context: tuple(values), _indices)
_builtin(list, lambda v: (v, None), lambda values, context: list(values), _indices)
_builtin(dict, lambda v: (list(v.values()), list(v)), lambda values, keys: dict(zip(keys, values, strict=True)), _keys)
_builtin(namedtuple, lambda v: (list(v), type(v)), lambda values, kind: kind(*values), lambda v, kind: [GetAttrKey(name) for name in kind._fields])
_builtin(OrderedDict, lambda v: (list(v.values()), list(v)), lambda values, keys: OrderedDict(zip(keys, values, strict=True)), _keys)
_builtin(
    defaultdict,
    lambda v: (list(v.values()), [v.default_factory, list(v)]),
    lambda values, context: defaultdict(context[0], zip(context[1], values, strict=True)),
    _keys,
)
_builtin(deque, lambda v: (list(v), v.maxlen), lambda values, maxlen: deque(values, maxlen=maxlen), _indices)


# torch.Size and torch.return_types: nodes, of which torch.utils._pytree builds a Size again as a tuple, as PyTorch's does. Captures keep both kinds: to them each is
# a type that is derived from tuple.
RESULTS: set[Any] = set()


def register_result(kind: Any, make: Callable[[Any], Any]) -> None:
    _builtin(kind, lambda v: (list(v), None), lambda values, context: make(values), _indices)
    RESULTS.add(kind)


register_result(_C.Size, tuple)
for _kind in _C._return_types().values():
    register_result(_kind, _kind)


def is_namedtuple_class(cls: Any) -> bool:
    """Whether it is the class of a namedtuple."""
    fields = getattr(cls, "_fields", None) if isinstance(cls, type) and issubclass(cls, tuple) else None
    return isinstance(fields, tuple) and all(type(f) is str for f in fields) and callable(getattr(cls, "_make", None)) and callable(getattr(cls, "_asdict", None))


def node_type(value: Any) -> Any:
    """The type under which a value would be registered."""
    kind = type(value)
    return namedtuple if is_namedtuple_class(kind) else kind


class _Derived(NamedTuple):
    """The context of a value whose type is derived from tuple, list or dict."""

    kind: type
    keys: list[Any] | None


def _flatten_derived(value: Any, kind: Any) -> tuple[Any, list[Any], Any] | None:
    """For a value whose type is derived from tuple, list or dict: that base type, the children, and the context. None for other values."""
    if issubclass(kind, dict):
        return dict, list(value.values()), _Derived(kind, list(value))
    base = tuple if issubclass(kind, tuple) else list if issubclass(kind, list) else None
    return None if base is None else (base, list(value), _Derived(kind, None))


def _build(kind: Any, context: Any, children: list[Any]) -> Any:
    """The value of a node: the reverse of flattening."""
    if type(context) is _Derived:
        return context.kind(children) if context.keys is None else context.kind(zip(context.keys, children, strict=True))
    return NODES[kind].unflatten_fn(children, context)


class TreeSpec:
    """A tree without its leaves: the type of the node, its context (such as the keys of a dict), and the specs of its children."""

    __slots__ = ("_children", "_context", "num_children", "num_leaves", "num_nodes", "type")
    num_leaves: int
    num_nodes: int

    def __init__(self, type: Any, context: Any, children_specs: list[TreeSpec]) -> None:
        self.type, self._context, self._children = type, context, children_specs
        self.num_children = len(children_specs)
        self.num_nodes = 1 + sum(c.num_nodes for c in children_specs)
        self.num_leaves = 1 if type is None else sum(c.num_leaves for c in children_specs)

    @property
    def context(self) -> Any:
        """What flattening notes of the node besides its children: of a dict, the keys."""
        return self._context

    @property
    def children_specs(self) -> list[TreeSpec]:
        """The specs of the children."""
        return self._children

    def is_leaf(self) -> bool:
        """Whether it stands for a leaf."""
        return self.num_nodes == 1 and self.num_leaves == 1

    def children(self) -> list[TreeSpec]:
        """The specs of the children, as a list of their own."""
        return list(self._children)

    def child(self, index: int) -> TreeSpec:
        """The spec of one child."""
        return self._children[index]

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The parts of a tree where this one has leaves. Raises ValueError where the tree has another form above them."""
        parts: list[Any] = []
        _flatten_up_to(self, tree, parts)
        return parts

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree with these leaves. Raises ValueError for another number of them."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds {self.num_leaves} items ({self})."
            )
        return self._build_from(iter(leaves))

    def _build_from(self, leaves: Iterator[Any]) -> Any:
        if self.type is None:
            return next(leaves)
        return _build(self.type, self._context, [child._build_from(leaves) for child in self._children])

    def __repr__(self, indent: int = 0) -> str:
        if self.type is None:
            return "*"
        texts = [child.__repr__(indent + 2) for child in self._children]
        return f"TreeSpec({self.type.__name__}, {self._context}, [{(',' + chr(10) + ' ' * (indent + 2)).join(texts)}])"

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return str(self.type) == str(other.type) and bool(self._context == other._context) and self._children == other._children

    def __hash__(self) -> int:
        context = self._context
        if self.type is defaultdict:
            context = (context[0], tuple(context[1]))
        elif self.type in DICTS:
            context = tuple(context)
        elif self.type is not None and self.type not in BUILTIN:
            context = None  # the context of a user's type may not be hashable; without it, equal specs still have equal hashes
        return hash((self.type, context, tuple(self._children)))


class _LeafMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TreeSpec) and instance.is_leaf()


class LeafSpec(TreeSpec, metaclass=_LeafMeta):
    """The spec of a leaf. Deprecated: use spec.is_leaf()."""

    __slots__ = ()

    def __new__(cls) -> Any:
        return TreeSpec(None, None, [])

    def __init__(self) -> None: ...  # not called, since __new__ returns a TreeSpec


LEAF = TreeSpec(None, None, [])


def _flatten_up_to(spec: TreeSpec, tree: Any, parts: list[Any]) -> None:
    """Appends the parts of the tree at which the spec has leaves."""
    if spec.is_leaf():
        parts.append(tree)
        return
    kind = node_type(tree)
    both_dicts = spec.type in DICTS and kind in DICTS
    if kind != spec.type and not both_dicts:
        subject = "Node type" if spec.type in BUILTIN else "Type"
        raise ValueError(f"{subject} mismatch; expected {spec.type!r}, but got {kind!r}.")
    children, context = NODES[kind].flatten_fn(tree)
    if len(children) != spec.num_children:
        raise ValueError(f"Node arity mismatch; expected {spec.num_children}, but got {len(children)}.")
    if both_dicts:
        keys = spec._context[1] if spec.type is defaultdict else spec._context
        missing, extra = set(keys) - set(tree), set(tree) - set(keys)
        if missing or extra:
            text = (f"; missing key(s): {missing}" if missing else "") + (f"; extra key(s): {extra}" if extra else "")
            raise ValueError(f"Node keys mismatch{text}.")
        children = [tree[key] for key in keys]
    elif kind is not deque and context != spec._context:
        if kind in BUILTIN:
            raise ValueError(f"Node context mismatch for node type {kind!r}; expected {spec._context!r}, but got {context!r}.")
        raise ValueError(f"Node context mismatch for custom node type {kind!r}.")
    for child_spec, child in zip(spec._children, children, strict=True):
        _flatten_up_to(child_spec, child, parts)


def flatten(tree: Any, is_leaf: Leaf = None, subclasses: bool = False) -> tuple[list[Any], TreeSpec]:
    """The leaves of a tree in order, and the tree without them."""
    leaves: list[Any] = []

    def walk(value: Any) -> TreeSpec:
        if is_leaf is None or not is_leaf(value):
            kind = node_type(value)
            node = NODES.get(kind)
            if node is not None and not (subclasses and kind in RESULTS):
                children, context = node.flatten_fn(value)
                return TreeSpec(kind, context, [walk(c) for c in children])
            derived = _flatten_derived(value, kind) if subclasses else None
            if derived is not None:
                base, children, context = derived
                return TreeSpec(base, context, [walk(c) for c in children])
        leaves.append(value)
        return LEAF

    return leaves, walk(tree)


def leaves_of(tree: Any, is_leaf: Leaf = None, subclasses: bool = False) -> list[Any]:
    """The leaves of a tree in order."""
    return flatten(tree, is_leaf, subclasses)[0]


def mapped(f: Callable[[Any], Any], tree: Any, is_leaf: Leaf = None, subclasses: bool = False) -> Any:
    """The tree with f(leaf) in place of each leaf."""
    leaves, spec = flatten(tree, is_leaf, subclasses)
    return spec.unflatten(map(f, leaves))


def plain(tree: Any) -> Any:
    """The tree in tuples, lists and dicts only, as a graph can return it: any other node becomes a tuple."""
    kind = node_type(tree)
    node = NODES.get(kind)
    if node is None:
        derived = _flatten_derived(tree, kind)
        if derived is None:
            return tree
        kind, children, _ = derived
    else:
        children = list(node.flatten_fn(tree)[0])
    children = [plain(c) for c in children]
    if kind in DICTS:
        return dict(zip(tree, children, strict=True))
    return children if kind is list else tuple(children)


def named_parts(spec: TreeSpec) -> Any:
    """Where a tree has namedtuples and torch.return_types, in plain(): (the class or None, the parts as a list or dict); None where there are none."""
    if spec.is_leaf():
        return None
    context = spec._context
    parts: Any = [named_parts(child) for child in spec._children]
    kind = context if spec.type is namedtuple else None
    if type(context) is _Derived:
        kind = context.kind if hasattr(context.kind, "n_sequence_fields") else None
        if context.keys is not None:
            parts = dict(zip(context.keys, parts, strict=True))
    elif spec.type in DICTS:
        parts = dict(zip(context[1] if spec.type is defaultdict else context, parts, strict=True))
    inside = parts.values() if isinstance(parts, dict) else parts
    return (kind, parts) if kind is not None or any(part is not None for part in inside) else None


def parts_of(values: Any, spec: TreeSpec) -> list[Any]:
    """The parts of nested tuples, lists and dicts in the order of a spec's children."""
    if not isinstance(values, dict):
        return list(values)
    context = spec._context
    keys: Any = context.keys if type(context) is _Derived else context[1] if spec.type is defaultdict else context
    return [values[k] for k in keys]


class _AnyLength(NamedTuple):
    make: Callable[[Any], Any]


def of_any_length(make: Callable[[Any], Any]) -> TreeSpec:
    """The spec of a sequence of any length, for retyped(): `make` builds it from its values."""
    return TreeSpec(tuple, _AnyLength(make), [])


def retyped(values: Any, spec: TreeSpec) -> Any:
    """The reverse of plain(): nested tuples, lists and dicts, as a graph returns them, in the types of a spec."""
    if spec.type is None:
        return values
    if type(spec._context) is _AnyLength:
        return spec._context.make(values)
    return _build(spec.type, spec._context, [retyped(v, s) for v, s in zip(parts_of(values, spec), spec._children, strict=True)])
