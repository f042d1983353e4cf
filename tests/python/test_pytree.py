"""torch.utils._pytree: live beside PyTorch, frozen, and as the walk of the captures."""

from __future__ import annotations

import collections
import doctest

import monograph as torch
import pytest
from beside import TRY, both
from monograph.utils import _pytree as P

BEGIN = (
    TRY
    + """
import collections, dataclasses
P = torch.utils._pytree
N = collections.namedtuple("N", "a b", module="m")
class Pair:
    __module__ = "m"
    def __init__(self, a, b): self.a, self.b = a, b
class Old:
    __module__ = "m"
    def __init__(self, a): self.a = a
P.register_pytree_node(Pair, lambda p: ([p.a, p.b], "ctx"), lambda v, c: Pair(*v), serialized_type_name="x.Pair",
    to_dumpable_context=lambda c: [c], from_dumpable_context=lambda c: c[0], flatten_with_keys_fn=lambda p: ([(P.GetAttrKey("a"), p.a), (P.GetAttrKey("b"), p.b)], "ctx"))
P.register_pytree_node(Old, lambda p: ([p.a], None), lambda v, c: Old(*v))
@dataclasses.dataclass
class Point:
    __module__ = "builtins"
    x: int
    y: object = None
P.register_dataclass(Point)
trees = [1, None, [], (), {}, [1, 2], (1, [2, {"a": 3, "b": (4, None)}]), N(1, [2]), collections.OrderedDict(b=1, a=[2]), collections.defaultdict(list, x=[1]),
         collections.deque([1, (2,)], maxlen=3), Pair(1, [2]), [Old(3)], Point(1, [2]), Point(1), {"k": Pair(N(1, 2), ())}]
"""
)
CASES = [
    "[P.tree_leaves(t) for t in trees]", "[repr(P.tree_structure(t)) for t in trees[:11]]", "[(s.num_leaves, s.num_nodes, s.num_children, s.is_leaf()) for s in map(P.tree_structure, trees)]",
    "[P.tree_leaves(P.tree_map(lambda v: (v or 0) + 1, t)) for t in trees]", "[repr(P.tree_map(lambda v: (v or 0) + 1, t)) for t in trees[:11]]",
    "[attempt(lambda: P.treespec_dumps(P.tree_structure(t))) for t in trees]", "[P.treespec_loads(P.treespec_dumps(P.tree_structure(t))) == P.tree_structure(t) for t in trees[:7]]",
    "[attempt(lambda: [(P.keystr(p), v) for p, v in P.tree_flatten_with_path(t)[0]]) for t in trees]", "[[P.key_get(t, p) == v for p, v in P.tree_leaves_with_path(t)] for t in trees[:12]]",
    "[P.treespec_pprint(P.tree_structure(t)) for t in trees[:11]]", "P.tree_map_only(int, lambda v: v * 2, [1, 'a', (2, 3.0)])", "P.tree_map_only((int, str), lambda v: v * 2, [1, 'a', 3.0])",
    "P.tree_map_only(lambda v: v == 1, lambda v: 'one', [1, 2])", "attempt(lambda: P.tree_map_only(3, abs, [1]))", "(P.tree_all(bool, [1, (2,)]), P.tree_any(bool, [0, (0,)]))",
    "(P.tree_all_only(int, bool, [1, '']), P.tree_any_only(str, bool, [1, '']))", "P.tree_leaves([1, (2, 3)], is_leaf=lambda v: isinstance(v, tuple))",
    "attempt(lambda: P.tree_map(lambda a, b: (a, b), [1, 2], [(3,), [4]]))", "attempt(lambda: P.tree_map(lambda a, b: 0, [1, 2], [3]))", "attempt(lambda: P.tree_map(lambda a, b: 0, [1], (3,)))",
    "attempt(lambda: P.tree_map(lambda a, b: (a, b), {'a': 1, 'b': 2}, {'b': 3, 'a': 4}))", "attempt(lambda: P.tree_map(lambda a, b: 0, {'a': 1}, {'b': 3}))",
    "attempt(lambda: P.tree_map(lambda a, b: a + b, {'a': 1}, collections.OrderedDict(a=3)))", "attempt(lambda: P.tree_unflatten([1], P.tree_structure([1, 2])))", "attempt(lambda: P.tree_unflatten([1], 3))",
    "attempt(lambda: P.register_pytree_node(Pair, None, None))",
    "attempt(lambda: P.register_constant(object))", "[P.tree_is_leaf(t) for t in trees]",
    "P.tree_map_with_path(lambda p, v: P.keystr(p), {'a': [1, (2,)]})", "P.arg_tree_leaves([1], 2, a=(3,))", "P._broadcast_to_and_flatten([1, 2], P.tree_structure([(0, 0), {'a': 0}]))",
    "P._broadcast_to_and_flatten([1, 2], P.tree_structure([0]))", "[P.tree_structure(t) == P.tree_structure(u) for t in trees[:11] for u in trees[:11]]",
    "hash(P.tree_structure({'a': [1]})) == hash(P.tree_structure({'a': [2]}))", "P.treespec_dict(a=P.treespec_leaf()) == P.tree_structure({'a': 1})", "P.treespec_tuple([P.treespec_leaf()]) == P.tree_structure((1,))",
    "(P.is_namedtuple_instance(N(1, 2)), P.is_namedtuple_class(N), P.is_namedtuple_instance((1,)))", "P.tree_structure({'a': 1, 'b': [2]}).context", "isinstance(P.tree_structure(1), P.LeafSpec)",
    "[type(P.tree_map(bool, t)).__name__ for t in trees]", "P.tree_structure([1, (2,)]).flatten_up_to([[5], (6,)])", "attempt(lambda: P.treespec_loads('[2, {}]'))",
]  # fmt: skip


@pytest.mark.oracle
def test_trees_are_pytorchs(oracle):
    for case in CASES:
        try:
            both(oracle, BEGIN + f"result = {case}")
        except AssertionError as error:
            raise AssertionError(case) from error
        finally:
            for name in ("Pair", "Old", "Point"):
                for kind in [k for k in P.SUPPORTED_NODES if k.__name__ == name]:
                    P._deregister_pytree_node(kind)


def test_a_spec_is_pytorchs_text():
    text = '[1, {"type": "builtins.dict", "context": "[\\"a\\"]", "children_spec": [{"type": "builtins.tuple", "context": "null", "children_spec": [{"type": null, "context": null, "children_spec": []}]}]}]'
    assert P.treespec_dumps(P.tree_structure({"a": (1,)})) == text and P.treespec_loads(text) == P.tree_structure({"a": (2,)})


Named = collections.namedtuple("Named", "a b")


class Kept(collections.OrderedDict):
    pass


class Custom:
    def __init__(self, a, b):
        self.a, self.b = a, b


def results(x):
    return Named(x, [x + 1, {"k": x * 2}]), Kept(a=x, b=(x,)), collections.OrderedDict(z=x)


def test_a_trace_returns_the_functions_own_types():
    x = torch.ones(2)
    got = torch.jit.trace(results, x, strict=False)(x)
    assert type(got[0]) is Named and type(got[1]) is Kept and type(got[2]) is collections.OrderedDict and torch.equal(got[0].b[1]["k"], x * 2)


def test_a_trace_returns_a_registered_type():
    P.register_pytree_node(Custom, lambda p: ([p.a, p.b], None), lambda v, c: Custom(*v))
    try:
        got = torch.jit.trace(lambda x: [Custom(x, x + 1)], torch.ones(2), strict=False)(torch.zeros(2))
        assert type(got) is list and type(got[0]) is Custom and got[0].b.tolist() == [1, 1]
    finally:
        P._deregister_pytree_node(Custom)


def test_it_is_there_without_an_import():
    assert torch.utils._cxx_pytree.tree_map is torch.utils._pytree.tree_map is P.tree_map


@pytest.fixture
def registry():
    before = dict(P.SUPPORTED_NODES)
    yield
    P.SUPPORTED_NODES.clear()
    P.SUPPORTED_NODES.update(before)


def test_the_examples_in_docstrings_run(registry):
    assert doctest.testmod(P, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0
