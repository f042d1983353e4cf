"""torch.utils._pytree: nested tuples, lists, dicts and registered types as trees. The walk is that of the captures (monograph._tree)."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import json
import warnings
from collections import defaultdict, namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple

from .. import _tree
from .._tree import (  # noqa: F401
    BUILTIN as BUILTIN_TYPES,
    DICTS as STANDARD_DICT_TYPES,
    NODES as SUPPORTED_NODES,
    GetAttrKey,
    LeafSpec,
    MappingKey,
    NodeDef,
    SequenceKey,
    TreeSpec,
    is_namedtuple_class,
    node_type as _get_node_type,
)

PyTree = Any
Context = Any
KeyPath = tuple[Any, ...]
PyTreeSpec = TreeSpec
Leaf = Callable[[Any], bool] | None
DEFAULT_TREESPEC_SERIALIZATION_PROTOCOL = 1
NO_SERIALIZED_TYPE_NAME_FOUND = "NO_SERIALIZED_TYPE_NAME_FOUND"
_LEAF_SPEC = _tree.LEAF


class _Text(NamedTuple):
    """How a type's name and context are written as JSON."""

    typ: Any
    serialized_type_name: str
    to_dumpable_context: Callable[[Any], Any] | None
    from_dumpable_context: Callable[[Any], Any] | None


SUPPORTED_SERIALIZED_TYPES: dict[Any, _Text] = {}
SERIALIZED_TYPE_TO_PYTHON_TYPE: dict[str, Any] = {}
CONSTANT_NODES: set[type] = set()


# The functions that flatten and unflatten Python's types. Packages that register their own types call them.
_builtin: Any
for _builtin in BUILTIN_TYPES:
    _node, _short = SUPPORTED_NODES[_builtin], _builtin.__name__.lower()
    globals().update({f"_{_short}_flatten": _node.flatten_fn, f"_{_short}_flatten_with_keys": _node.flatten_with_keys_fn, f"_{_short}_unflatten": _node.unflatten_fn})


# Types -----------------------------------------------------------------------------------------------------------------------------------


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[list[Any], Any]],
    unflatten_fn: Callable[[Iterable[Any], Any], Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Any], Any] | None = None,
    from_dumpable_context: Callable[[Any], Any] | None = None,
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None = None,
) -> None:
    """Registers a type, so that its values are nodes of trees. Captures use this too: a traced function may return such a value.

    flatten_fn: gives the children of a value, and a context. unflatten_fn: makes a value of children and a context.
    serialized_type_name, to_dumpable_context, from_dumpable_context: the name and the context in treespec_dumps().
    flatten_with_keys_fn: gives (key, child) pairs and the context, for tree_flatten_with_path().
    Raises ValueError for a type that is registered, or for one of the two context functions alone.

        >>> class Pair:
        ...     def __init__(self, a, b):
        ...         self.a, self.b = a, b
        >>> register_pytree_node(Pair, lambda p: ([p.a, p.b], None), lambda children, context: Pair(*children))
        >>> tree_leaves([Pair(1, 2), 3])
        [1, 2, 3]
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _private_register_pytree_node(
        cls,
        flatten_fn,
        unflatten_fn,
        serialized_type_name=serialized_type_name,
        to_dumpable_context=to_dumpable_context,
        from_dumpable_context=from_dumpable_context,
        flatten_with_keys_fn=flatten_with_keys_fn,
    )


def _private_register_pytree_node(
    cls: Any,
    flatten_fn: Any,
    unflatten_fn: Any,
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Any = None,
    from_dumpable_context: Any = None,
    flatten_with_keys_fn: Any = None,
) -> None:
    if (to_dumpable_context is None) != (from_dumpable_context is None):
        raise ValueError(f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered.")
    if cls in SUPPORTED_NODES and cls not in BUILTIN_TYPES:
        warnings.warn(f"{cls} is already registered as pytree node. Overwriting the previous registration.", stacklevel=3)
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, flatten_with_keys_fn)
    _name(cls, serialized_type_name, to_dumpable_context, from_dumpable_context)


def _name(cls: Any, name: str | None, to_dumpable: Any = None, from_dumpable: Any = None) -> None:
    name = NO_SERIALIZED_TYPE_NAME_FOUND if name is None else name
    SUPPORTED_SERIALIZED_TYPES[cls] = _Text(cls, name, to_dumpable, from_dumpable)
    SERIALIZED_TYPE_TO_PYTHON_TYPE[name] = cls


for _of_torch in _tree.RESULTS:
    _name(_of_torch, "torch.Size" if _of_torch.__name__ == "Size" else None)


def _register_pytree_node(
    cls: type, flatten_fn: Any, unflatten_fn: Any, to_str_fn: Any = None, maybe_from_str_fn: Any = None, **kwargs: Any
) -> None:
    """The old name of register_pytree_node. If the type is registered already, it warns and registers it again."""
    warnings.warn(
        "`torch.utils._pytree._register_pytree_node` is deprecated. Please use `torch.utils._pytree.register_pytree_node` instead.", FutureWarning, stacklevel=2
    )
    _private_register_pytree_node(cls, flatten_fn, unflatten_fn, **kwargs)


def _register_namedtuple(cls: type, *, serialized_type_name: str) -> None:
    """Gives a namedtuple a name for treespec_dumps(). A namedtuple is a node also without this call."""
    _name(cls, serialized_type_name, _namedtuple_serialize, _namedtuple_deserialize)


def _deregister_pytree_node(cls: type) -> None:
    del SUPPORTED_NODES[cls]
    SERIALIZED_TYPE_TO_PYTHON_TYPE.pop(SUPPORTED_SERIALIZED_TYPES.pop(cls).serialized_type_name, None)
    CONSTANT_NODES.discard(cls)


def register_dataclass(
    cls: type, *, field_names: list[str] | None = None, drop_field_names: list[str] | None = None, serialized_type_name: str | None = None
) -> None:
    """Makes instances of a dataclass nodes: their children are the fields that are not None.

    field_names: the fields, those of __init__ where it is None. drop_field_names: fields that are left out. Raises ValueError where both do not make up
    the fields of __init__, and for a type that is no dataclass without field_names.

        >>> import dataclasses
        >>> @dataclasses.dataclass
        ... class Point:
        ...     x: int
        ...     y: int
        >>> register_dataclass(Point)
        >>> tree_map(lambda v: v + 1, Point(1, 2))
        Point(x=2, y=3)
    """
    drop = drop_field_names or []
    if not dataclasses.is_dataclass(cls):
        if field_names is None:
            raise ValueError(f"field_names must be specified with a list of all fields used to initialize {cls}, as it is not a dataclass.")
        names = field_names
    else:
        fields = [f.name for f in dataclasses.fields(cls) if f.init]
        names = fields if field_names is None else field_names
        missing, unexpected = set(fields) - set(drop) - set(names), set(names) - (set(fields) - set(drop))
        if field_names is not None and (missing or unexpected):
            raise ValueError(
                "field_names does not include all dataclass fields.\n"
                + (f"Missing fields in `field_names`: {missing}. If you want to include these fields in the pytree, please add them to `field_names`, otherwise please add them to `drop_field_names`.\n" if missing else "")
                + (f"Unexpected fields in `field_names`: {unexpected}. Please remove these fields, or add them to `drop_field_names`.\n" if unexpected else "")
            )

    def flatten_fn(obj: Any) -> tuple[list[Any], Any]:
        given = [n for n in names if getattr(obj, n) is not None]
        return [getattr(obj, n) for n in given], [given, [n for n in names if n not in given]]

    def with_keys(obj: Any) -> tuple[list[tuple[Any, Any]], Any]:
        children, context = flatten_fn(obj)
        return [(GetAttrKey(n), c) for n, c in zip(context[0], children, strict=True)], context

    def unflatten_fn(children: Iterable[Any], context: Any) -> Any:
        return cls(**dict(zip(context[0], children, strict=True)), **dict.fromkeys(context[1]))

    _private_register_pytree_node(cls, flatten_fn, unflatten_fn, serialized_type_name=serialized_type_name, flatten_with_keys_fn=with_keys)


@dataclasses.dataclass(frozen=True)
class ConstantNode:
    """The context of a node that has no children."""

    value: Any


def register_constant(cls: type) -> None:
    """Makes values of a type nodes without children. The type needs __eq__ and __hash__ of its own: TypeError where it has none.

        >>> class Mode(str):
        ...     pass
        >>> register_constant(Mode)
        >>> tree_leaves([Mode("a"), 1])
        [1]
    """
    if cls.__eq__ is object.__eq__:
        raise TypeError("register_constant(cls) expects `cls` to have a non-default `__eq__` implementation.")
    if cls.__hash__ is None:
        raise TypeError("register_constant(cls) expects `cls` to have a non-default `__hash__` implementation.")
    _private_register_pytree_node(cls, lambda v: ([], ConstantNode(v)), lambda values, context: context.value, flatten_with_keys_fn=lambda v: ([], ConstantNode(v)))
    CONSTANT_NODES.add(cls)


def is_constant_class(cls: Any) -> bool:
    """Whether register_constant() was called with it."""
    return isinstance(cls, type) and cls in CONSTANT_NODES


def is_namedtuple(obj: Any) -> bool:
    """Whether it is a namedtuple or the class of one."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_namedtuple_instance(obj: Any) -> bool:
    """Whether it is a namedtuple.

        >>> is_namedtuple_instance((1, 2))
        False
    """
    return is_namedtuple_class(type(obj))


def is_structseq_class(cls: Any) -> bool:
    """Whether it is a struct sequence type of Python, such as time.struct_time."""
    return (
        isinstance(cls, type) and cls.__bases__ == (tuple,) and all(isinstance(getattr(cls, n, None), int) for n in ("n_sequence_fields", "n_fields", "n_unnamed_fields"))
    )


def is_structseq_instance(obj: Any) -> bool:
    """Whether it is a struct sequence, such as a time.struct_time."""
    return is_structseq_class(type(obj))


def is_structseq(obj: Any) -> bool:
    """Whether it is a struct sequence such as a time.struct_time, or the type of one."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


# Trees -----------------------------------------------------------------------------------------------------------------------------------


def tree_is_leaf(tree: PyTree, is_leaf: Leaf = None) -> bool:
    """Whether a value is a leaf. is_leaf: a function that returns True for further values that count as leaves.

        >>> tree_is_leaf(None), tree_is_leaf([1]), tree_is_leaf((1,), is_leaf=lambda v: isinstance(v, tuple))
        (True, False, True)
    """
    return (is_leaf is not None and is_leaf(tree)) or _get_node_type(tree) not in SUPPORTED_NODES


_is_leaf = tree_is_leaf
_is_namedtuple_instance = is_namedtuple_instance


def tree_flatten(tree: PyTree, is_leaf: Leaf = None) -> tuple[list[Any], TreeSpec]:
    """The leaves of a tree, and the TreeSpec of its structure.

        >>> tree_flatten({"a": 1, "b": (2, 3)})
        ([1, 2, 3], TreeSpec(dict, ['a', 'b'], [*,
          TreeSpec(tuple, None, [*,
            *])]))
    """
    return _tree.flatten(tree, is_leaf)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> PyTree:
    """Builds a tree of this structure from leaves. Raises TypeError if `treespec` is no TreeSpec, ValueError for a wrong number of leaves.

        >>> tree_unflatten([3, 4], tree_structure((1, 2)))
        (3, 4)
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    return treespec.unflatten(leaves)


def tree_iter(tree: PyTree, is_leaf: Leaf = None) -> Iterator[Any]:
    """The leaves one by one."""
    return iter(_tree.leaves_of(tree, is_leaf))


def tree_leaves(tree: PyTree, is_leaf: Leaf = None) -> list[Any]:
    """The leaves of a tree.

        >>> tree_leaves([1, (2, None)])
        [1, 2, None]
    """
    return _tree.leaves_of(tree, is_leaf)


def tree_structure(tree: PyTree, is_leaf: Leaf = None) -> TreeSpec:
    """The TreeSpec of a tree: its structure without the leaves.

        >>> tree_structure([1]) == tree_structure([2])
        True
    """
    return _tree.flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Leaf = None) -> PyTree:
    """A tree of func(leaf, *rest), where `rest` has the parts of `rests` at the same position. These may be subtrees.

    Raises ValueError where a rest has another form.

        >>> tree_map(lambda a, b: a + b, {"x": 1}, {"x": 2})
        {'x': 3}
    """
    leaves, spec = _tree.flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *(spec.flatten_up_to(r) for r in rests)))


def tree_map_(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Leaf = None) -> PyTree:
    """Calls func on each leaf for its effect, and returns the tree itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def map_only(type_or_types_or_pred: Any, /) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """A decorator: the function for values of these types, or for which the predicate holds; other values as they are. Raises TypeError for anything else.

        >>> map_only(int)(lambda x: x + 1)(1), map_only(int)(lambda x: x + 1)("a")
        (2, 'a')
    """
    types = type_or_types_or_pred
    if isinstance(types, type) or type(types).__name__ == "UnionType" or (isinstance(types, tuple) and all(isinstance(t, type) for t in types)):

        def holds(value: Any) -> bool:
            return isinstance(value, types)

    elif callable(types):
        holds = types
    else:
        raise TypeError("Argument must be a type, a tuple of types, or a callable.")
    return lambda func: functools.wraps(func)(lambda value: func(value) if holds(value) else value)


def tree_map_only(type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: PyTree, is_leaf: Leaf = None) -> PyTree:
    """tree_map of the leaves of these types.

        >>> tree_map_only(int, lambda v: v * 2, [1, "a"])
        [2, 'a']
    """
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred: Any, /, func: Callable[[Any], Any], tree: PyTree, is_leaf: Leaf = None) -> PyTree:
    """tree_map_ of the leaves of these types."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Leaf = None) -> bool:
    """Whether the predicate holds for all leaves.

        >>> tree_all(lambda v: v > 0, [1, (2, 3)])
        True
    """
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Leaf = None) -> bool:
    """Whether the predicate holds for a leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types: Any, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: Leaf = None) -> bool:
    """tree_all of the leaves of these types."""
    return all(pred(v) for v in tree_iter(tree, is_leaf) if isinstance(v, type_or_types))


def tree_any_only(type_or_types: Any, /, pred: Callable[[Any], bool], tree: PyTree, is_leaf: Leaf = None) -> bool:
    """tree_any of the leaves of these types."""
    return any(pred(v) for v in tree_iter(tree, is_leaf) if isinstance(v, type_or_types))


def arg_tree_leaves(*args: PyTree, **kwargs: PyTree) -> list[Any]:
    """The leaves of all arguments."""
    return _tree.leaves_of((*args, *kwargs.values()))


def _broadcast_to_and_flatten(tree: PyTree, treespec: TreeSpec, is_leaf: Leaf = None) -> list[Any] | None:
    """Repeats each leaf of `tree` for all leaves that the spec has in its place. None if the structures do not match."""
    leaves, prefix = _tree.flatten(tree, is_leaf)
    try:
        parts = prefix.flatten_up_to(treespec.unflatten([0] * treespec.num_leaves))
    except ValueError:
        return None
    return [leaf for leaf, part in zip(leaves, parts, strict=True) for _ in tree_leaves(part, is_leaf)]


# Paths -----------------------------------------------------------------------------------------------------------------------------------


def tree_flatten_with_path(tree: PyTree, is_leaf: Leaf = None) -> tuple[list[tuple[KeyPath, Any]], TreeSpec]:
    """tree_flatten with the path of each leaf: a tuple of keys. Raises ValueError for a type registered without flatten_with_keys_fn.

        >>> pairs, _ = tree_flatten_with_path({"a": [1]})
        >>> keystr(pairs[0][0])
        "['a'][0]"
    """
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree: PyTree, is_leaf: Leaf = None) -> list[tuple[KeyPath, Any]]:
    """The leaves with their paths."""
    return list(_with_paths((), tree, is_leaf))


def _with_paths(path: KeyPath, tree: PyTree, is_leaf: Leaf) -> Iterator[tuple[KeyPath, Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    with_keys = SUPPORTED_NODES[_get_node_type(tree)].flatten_with_keys_fn
    if with_keys is None:
        raise ValueError(
            f"Did not find a flatten_with_keys_fn for type: {_get_node_type(tree)}. Please pass a flatten_with_keys_fn argument to register_pytree_node."
        )
    for key, child in with_keys(tree)[0]:
        yield from _with_paths((*path, key), child, is_leaf)


def tree_map_with_path(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Leaf = None) -> PyTree:
    """tree_map of func(path, leaf, *rests).

        >>> tree_map_with_path(lambda path, v: keystr(path), {"a": [1]})
        {'a': ["['a'][0]"]}
    """
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    return spec.unflatten(map(func, [p for p, _ in pairs], [v for _, v in pairs], *(spec.flatten_up_to(r) for r in rests)))


def keystr(kp: KeyPath) -> str:
    """A path as Python code that would follow the name of the tree."""
    return "".join(map(str, kp))


def key_get(obj: Any, kp: KeyPath) -> Any:
    """The part of a tree at a path.

        >>> key_get([1, {"a": 2}], (SequenceKey(1), MappingKey("a")))
        2
    """
    for key in kp:
        obj = key.get(obj)
    return obj


# Specs as text ---------------------------------------------------------------------------------------------------------------------------


def treespec_leaf() -> TreeSpec:
    """The spec of a leaf."""
    return _LEAF_SPEC


def treespec_tuple(iterable: Iterable[TreeSpec] = (), /) -> TreeSpec:
    """The spec of a tuple of these specs. Raises ValueError if one is no spec."""
    children = list(iterable)
    if not all(isinstance(c, TreeSpec) for c in children):
        raise ValueError(f"Expected a tuple of TreeSpec values, got: {children!r}.")
    return TreeSpec(tuple, None, children)


def treespec_dict(mapping: Mapping[Any, TreeSpec] | Iterable[tuple[Any, TreeSpec]] = (), /, **kwargs: TreeSpec) -> TreeSpec:
    """The spec of a dict of these specs. Raises ValueError if one is no spec."""
    children = dict(mapping, **kwargs)
    if not all(isinstance(c, TreeSpec) for c in children.values()):
        raise ValueError(f"Expected a dictionary of TreeSpec values, got: {children!r}.")
    return TreeSpec(dict, list(children), list(children.values()))


class EnumEncoder(json.JSONEncoder):
    """A JSON encoder that writes an enum as {"__enum__": true, "fqn": its class, "name": its name}."""

    def default(self, obj: Any) -> Any:
        if isinstance(obj, Enum):
            return {"__enum__": True, "fqn": f"{type(obj).__module__}:{type(obj).__qualname__}", "name": obj.name}
        return super().default(obj)


def enum_object_hook(obj: dict[str, Any]) -> Any:
    """The inverse of EnumEncoder."""
    if "__enum__" not in obj:
        return obj
    module, _, name = obj["fqn"].partition(":")
    found: Any = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    return found[obj["name"]]


def _namedtuple_serialize(context: Any) -> Any:
    text = SUPPORTED_SERIALIZED_TYPES.get(context)
    if text is None or text.serialized_type_name == NO_SERIALIZED_TYPE_NAME_FOUND:
        raise NotImplementedError(
            f"Can't serialize TreeSpec of namedtuple class {context} because we didn't register a serializated_type_name. Please register using `_register_namedtuple`."
        )
    return text.serialized_type_name


def _namedtuple_deserialize(name: Any) -> Any:
    if name not in SERIALIZED_TYPE_TO_PYTHON_TYPE:
        raise NotImplementedError(f"Can't deserialize TreeSpec of namedtuple class {name} because we couldn't find a serializated name.")
    return SERIALIZED_TYPE_TO_PYTHON_TYPE[name]


def _defaultdict_serialize(context: Any) -> Any:
    factory, keys = context
    return {"default_factory_module": factory.__module__, "default_factory_name": factory.__qualname__, "dict_context": keys}


def _defaultdict_deserialize(text: Any) -> Any:
    return [getattr(importlib.import_module(text["default_factory_module"]), text["default_factory_name"]), text["dict_context"]]


_kind: Any
for _kind in BUILTIN_TYPES - {namedtuple, defaultdict}:
    _name(_kind, f"{_kind.__module__}.{_kind.__qualname__}")
_name(namedtuple, "collections.namedtuple", _namedtuple_serialize, _namedtuple_deserialize)
_name(defaultdict, "collections.defaultdict", _defaultdict_serialize, _defaultdict_deserialize)


def _to_json(spec: TreeSpec) -> dict[str, Any]:
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    if spec.type not in SUPPORTED_SERIALIZED_TYPES:
        raise NotImplementedError(f"Serializing {spec.type} in pytree is not registered.")
    text = SUPPORTED_SERIALIZED_TYPES[spec.type]
    if text.serialized_type_name == NO_SERIALIZED_TYPE_NAME_FOUND:
        raise NotImplementedError(
            f"No registered serialization name for {spec.type} found. Please update your _register_pytree_node call with a `serialized_type_name` kwarg."
        )
    if text.to_dumpable_context is None:
        try:
            context = json.dumps(spec.context, cls=EnumEncoder)
        except TypeError as error:
            raise TypeError(
                "Unable to serialize context. Please make the context json dump-able, or register a custom serializer using _register_pytree_node."
            ) from error
    else:
        context = text.to_dumpable_context(spec.context)
    return {"type": text.serialized_type_name, "context": context, "children_spec": [_to_json(c) for c in spec.children()]}


def _from_json(record: Any) -> TreeSpec:
    if record["type"] is None and record["context"] is None and not record["children_spec"]:
        return _LEAF_SPEC
    if record["type"] not in SERIALIZED_TYPE_TO_PYTHON_TYPE:
        raise NotImplementedError(f"Deserializing {record['type']} in pytree is not registered.")
    kind = SERIALIZED_TYPE_TO_PYTHON_TYPE[record["type"]]
    read = SUPPORTED_SERIALIZED_TYPES[kind].from_dumpable_context
    context = json.loads(record["context"], object_hook=enum_object_hook) if read is None else read(record["context"])
    return TreeSpec(kind, context, [_from_json(c) for c in record["children_spec"]])


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A spec as JSON, which treespec_loads() and PyTorch read. protocol: 1.

    Raises NotImplementedError for a type without a serialized_type_name, TypeError for a context that JSON has no text for.

        >>> treespec_dumps(tree_structure([1]))
        '[1, {"type": "builtins.list", "context": "null", "children_spec": [{"type": null, "context": null, "children_spec": []}]}]'
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of PyTreeSpec but got item of type {type(treespec)}.")
    if protocol not in (None, 1):
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [1]")
    return json.dumps((1, _to_json(treespec)), cls=EnumEncoder)


def treespec_loads(serialized: str) -> TreeSpec:
    """Reads a spec from the text that treespec_dumps() wrote. Raises ValueError for another protocol, NotImplementedError for a type that is not registered.

        >>> treespec_loads(treespec_dumps(tree_structure({"a": 1}))) == tree_structure({"a": 2})
        True
    """
    protocol, record = json.loads(serialized)
    if protocol != 1:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [1]")
    return _from_json(record)


class _Asterisk(str):
    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    """The tree as Python shows it, with * for each leaf.

        >>> treespec_pprint(tree_structure({"a": (1, 2)}))
        "{'a': (*, *)}"
    """
    return repr(tree_unflatten([_Asterisk("*")] * treespec.num_leaves, treespec))


def pytree_to_str(treespec: TreeSpec) -> str:
    """The old name of treespec_dumps."""
    return treespec_dumps(treespec)


def str_to_pytree(json: str) -> TreeSpec:
    """The old name of treespec_loads."""
    return treespec_loads(json)
