"""Reads by native code: what a C function, an operator or an index can reach from its arguments through containers is a part of what a capture holds for."""

from __future__ import annotations

import array
import collections
import copy
import functools
import itertools
import json
import math
import operator
import os
import random
import types

import monograph as torch
import numpy as np
import pytest
from monograph import _C, nn
from monograph._compile import compiled_of

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")
SEED = int(os.environ.get("MONOGRAPH_SEED", "0"))
CHANGED = "has changed since"
CAPTURES = {
    "trace": lambda f, x: torch.jit.trace(f, x),
    "symbolic": lambda f, x: torch.fx.symbolic_trace(f),
    "compile": lambda f, x: torch.compile(f, backend="eager"),
}


class Held(nn.Module):
    """Holds containers in containers."""

    def __init__(self, reads):
        super().__init__()
        self.reads = reads
        self.l, self.n, self.t, self.mask = [1, 0, 1], [[1], [2]], ([1], 2), [True, False, True]  # noqa: E741
        self.d, self.s, self.deep = {"a": [1], "b": [2]}, [{1}, {2}], [1]
        for _ in range(12):
            self.deep = [self.deep]
        self.space = types.SimpleNamespace(z=[1], y=types.SimpleNamespace(x=[2]))
        self.array, self.of_arrays = np.array([1, 0]), [np.array([1.0, 2.0]), np.array(1)]
        self.bytes, self.raw = bytearray(b"ab"), [array.array("i", [1, 2])]
        self.proxy = types.MappingProxyType(self.d)
        self.queue = collections.deque([[1]])

    def forward(self, x):
        return self.reads(self, x)


def X():  # noqa: N802
    return torch.arange(6.0).reshape(2, 3) + 1


def written(m, x, key, value):
    y = x.clone()
    y[key] = value
    return y


def by_slice(values):
    z = [0]
    z[:] = values
    return sum(z)


def yields(values):
    yield from values


def set_at(container, key, value):
    return lambda m: operator.setitem(container(m), key, value)


def n9(m):
    m.n[0].append(9)


def l9(m):
    m.l.append(9)


def d9(m):
    m.d["a"].append(9)


ROWS = {
    # Indices.
    "x[list]": (lambda m, x: x[m.l], lambda m: m.l.pop()),
    "x[:, list]": (lambda m, x: x[:, m.l], set_at(lambda m: m.l, 0, 2)),
    "x[..., list in dict]": (lambda m, x: x[..., m.d["a"]], lambda m: m.d["a"].append(2)),
    "x[mask]": (lambda m, x: x[:, m.mask], set_at(lambda m: m.mask, 1, True)),
    "x[nested]": (lambda m, x: x.repeat(3, 3)[m.n], set_at(lambda m: m.n[0], 0, 0)),
    "x[:, array]": (lambda m, x: x[:, m.array], set_at(lambda m: m.array, 0, 2)),
    "x[:array]": (lambda m, x: x[: m.array[0]], set_at(lambda m: m.array, 0, 2)),
    "x[:array of no dims]": (lambda m, x: x[: m.of_arrays[1]], lambda m: m.of_arrays[1].fill(2)),
    "y[:, list] = 0": (lambda m, x: written(m, x, (slice(None), m.l), 0.0), lambda m: m.l.append(2)),
    "y[0] = list": (lambda m, x: written(m, x, 0, torch.tensor(m.l) * 1.0), set_at(lambda m: m.l, 0, 7)),
    "y[list] += 1": (lambda m, x: operator.iadd(x.clone()[m.l], 1), lambda m: m.l.pop()),
    "getitem": (lambda m, x: operator.getitem(x, (slice(None), m.l)), set_at(lambda m: m.l, 0, 2)),
    "__getitem__": (lambda m, x: x.__getitem__((..., m.l)), set_at(lambda m: m.l, 0, 2)),
    # Contents of contents.
    "in list": (lambda m, x: x * (2 if [1] in m.n else 3), n9),
    "in tuple": (lambda m, x: x * (2 if [1] in m.t else 3), lambda m: m.t[0].append(9)),
    "in values": (lambda m, x: x * (2 if [1] in m.d.values() else 3), d9),
    "in items": (lambda m, x: x * (2 if ("a", [1]) in m.d.items() else 3), d9),
    "in values of a proxy": (lambda m, x: x * (2 if [1] in m.proxy.values() else 3), d9),
    "set in list": (lambda m, x: x * (2 if {1} in m.s else 3), lambda m: m.s[0].add(9)),
    "index": (lambda m, x: x * (2 + m.n.index([2])), set_at(lambda m: m.n[0], 0, 2)),
    "count": (lambda m, x: x * (2 + m.n.count([1])), n9),
    "list.index": (lambda m, x: x * (2 + list.index(m.n, [2])), set_at(lambda m: m.n[0], 0, 2)),
    "tuple.count": (lambda m, x: x * (2 + m.t.count([1])), lambda m: m.t[0].append(9)),
    "z[:] = L": (lambda m, x: x * by_slice(m.l), l9),
    "copy ==": (lambda m, x: x * (2 if m.n[:] == [[1], [2]] else 3), n9),
    "zip*": (lambda m, x: x * sum(next(zip(*m.n, strict=True))), set_at(lambda m: m.n[0], 0, 7)),
    "chain*": (lambda m, x: x * sum(itertools.chain(*m.n)), n9),
    "product*": (lambda m, x: x * len(list(itertools.product(*m.n))), n9),
    "zip* of a generator": (lambda m, x: x * sum(next(zip(*(v for v in m.n), strict=True))), set_at(lambda m: m.n[0], 0, 7)),
    "union*": (lambda m, x: x * len(set().union(*m.s)), lambda m: m.s[0].add(9)),
    "deep": (lambda m, x: x * len(str(m.deep)), lambda m: functools.reduce(lambda v, _: v[0], range(12), m.deep).append(100)),
    "deque in a list": (lambda m, x: x * len(str([m.queue])), lambda m: m.queue.append(100)),
    # An older object in a new container.
    "(L,) ==": (lambda m, x: x * (2 if (m.l,) == ([1, 0, 1],) else 3), l9),
    "dict ==": (lambda m, x: x * (2 if {"k": m.l} == {"k": [1, 0, 1]} else 3), l9),
    "in new": (lambda m, x: x * (2 if [1, 0, 1] in [m.l, 5] else 3), l9),
    "f-string": (lambda m, x: x * len(f"{[m.l]}"), l9),
    "format": (lambda m, x: x * len("{}".format([m.l])), l9),  # noqa: UP032
    "%": (lambda m, x: x * len("%s" % [[m.l]]), l9),  # noqa: UP031
    "sorted": (lambda m, x: x * sorted([m.l, [0, 5]])[0][0], set_at(lambda m: m.l, 0, -4)),
    "new.sort": (lambda m, x: x * (lambda z: (z.sort(), z[0][1])[1])([m.l, [0, 5]]), set_at(lambda m: m.l, 0, -4)),
    "max": (lambda m, x: x * max([m.l, [0, 9]])[1], set_at(lambda m: m.l, 0, -4)),
    "any": (lambda m, x: x * (2 if any([m.n[0], []]) else 3), lambda m: m.n[0].clear()),  # noqa: C419
    "sum of lengths": (lambda m, x: x * sum(map(len, m.d.values())), d9),
    "repr": (lambda m, x: x * len([m.l].__repr__()), l9),
    "chain of new": (lambda m, x: x * sum(itertools.chain.from_iterable([m.l, [1]])), l9),
    "dict of pairs": (lambda m, x: x * len(str(dict([("k", 1), m.n[0] * 2, m.mask[:2]]))), lambda m: m.n.__setitem__(0, [100])),
    "map of a new list": (lambda m, x: x * sum(map(len, [m.l, m.n[0]])), l9),
    "bound method as key": (lambda m, x: x * [1, 0, 2][[0, 1, 2].index(min([0, 1, 2], key=m.l.__getitem__))], set_at(lambda m: m.l, 2, -9)),
    "partial": (lambda m, x: x * len(functools.partial(operator.add, m.l)([1])), l9),
    "array in a list": (lambda m, x: x * float(np.sum(m.of_arrays[0])), lambda m: m.of_arrays[0].__setitem__(0, 9)),
    "array in a new list": (lambda m, x: x * len(str([m.of_arrays[0]])), lambda m: m.of_arrays[0].__setitem__(0, 0.123456)),
    "bytes in a new list": (lambda m, x: x * len(str([m.bytes])), lambda m: m.bytes.append(1)),
    "raw array in a list": (lambda m, x: x * len(str(m.raw)), lambda m: m.raw[0].append(100)),
    # What callbacks and generators give to C code.
    "key gives a list": (lambda m, x: x * (2 + sorted([0, 1], key=lambda k: m.n[k])[0]), set_at(lambda m: m.n[0], 0, 7)),
    "map gives lists": (lambda m, x: x * (2 + max(map(lambda k: m.n[k], [0, 1]))[0]), set_at(lambda m: m.n[0], 0, 7)),
    "generator gives lists": (lambda m, x: x * max(m.n[k] for k in (0, 1))[0], set_at(lambda m: m.n[0], 0, 7)),
    "in a generator": (lambda m, x: x * (2 if [1] in yields(m.n) else 3), n9),
    "any of a generator": (lambda m, x: x * (2 if all(v for v in m.n) else 3), lambda m: m.n[0].clear()),
    # Functions that one of the captures took for known.
    "torch.tensor": (lambda m, x: x * torch.tensor(m.l), set_at(lambda m: m.l, 1, 9)),
    "torch.tensor of nested": (lambda m, x: x[:, :1] * torch.tensor(m.n), set_at(lambda m: m.n[0], 0, 9)),
    "fsum": (lambda m, x: x * math.fsum(m.l), l9),
    "prod": (lambda m, x: x * math.prod(m.n[0]), n9),
    "dist": (lambda m, x: x * math.dist(m.n[0], [0]), set_at(lambda m: m.n[0], 0, 9)),
    "json": (lambda m, x: x * len(json.dumps(m.n)), n9),
    "json of new": (lambda m, x: x * len(json.dumps({"k": m.n})), n9),
    "repr of a namespace": (lambda m, x: x * len(repr(m.space)), lambda m: m.space.z.append(100)),
    "str of a namespace in a namespace": (lambda m, x: x * len(f"{m.space}"), lambda m: setattr(m.space.y, "w", 1)),
    "namespace ==": (lambda m, x: x * (2 if types.SimpleNamespace(z=m.n[0]) == types.SimpleNamespace(z=[1]) else 3), n9),
    "attrgetter": (lambda m, x: x * operator.attrgetter("space.z")(m)[0], set_at(lambda m: m.space.z, 0, 9)),
    "attrgetter, rebound": (lambda m, x: x * len(operator.attrgetter("space.y.x", "l")(m)[0]), lambda m: setattr(m.space.y, "x", [1, 2, 3])),
    "itemgetter": (lambda m, x: operator.itemgetter((slice(None), m.l))(x), set_at(lambda m: m.l, 0, 2)),
    "methodcaller": (lambda m, x: x * operator.methodcaller("count", m.n[0])([[1], [1]]) + 1, n9),
}


def outcome(g, x):
    try:
        return g(x).tolist()
    except RuntimeError as error:
        assert CHANGED in str(error), error
        return None


@pytest.mark.parametrize("how", CAPTURES)
@pytest.mark.parametrize("name", ROWS)
def test_what_native_code_reaches_is_read(name, how):
    reads, change = ROWS[name]
    m = Held(reads)
    try:
        g = CAPTURES[how](m, X())
        assert outcome(g, X()) == m(X()).tolist()
    except (RuntimeError, TypeError) as error:
        if how == "compile" or "array" not in name and "deque" not in name:
            raise
        assert "numpy" in str(error) or "deque" in str(error)
        return
    before = m(X()).tolist()
    change(m)
    assert m(X()).tolist() != before, "the change shows"
    assert outcome(g, X()) in ([m(X()).tolist()] if how == "compile" else [m(X()).tolist(), None])


# --- What only keeps an object does not look into it.


def keeps(m, x):
    held = [m.l]
    held.append(m.n)
    held.insert(0, m.d)
    pair, by_name = (x, m.s), {"k": m.l}
    assert len(held) == 3 and isinstance(m.l, list) and len(list(held)) == 3 and by_name.get("z", m.l) is m.l and m.l is held[1]
    assert len(held + [m.l]) == 4 and operator.attrgetter("reads")(m) is not None  # noqa: RUF005
    for _ in (v for v in held):
        pass
    return pair[0] * 2


@pytest.mark.parametrize("how", CAPTURES)
def test_what_only_keeps_an_object_reads_nothing_of_it(how):
    m = Held(keeps)
    g = CAPTURES[how](m, X())
    g(X())
    for change in (d9, lambda m: m.s[0].add(4), lambda m: m.n[0].append(3)):
        change(m)
        assert g(X()).tolist() == (X() * 2).tolist()
    if how == "compile":
        assert len(_C._compiled_entries(compiled_of(g))) == 1


def test_containers_that_hold_themselves_are_read_once():
    loop = [1]
    loop.append(loop)
    f = lambda x: x * len(str([loop]))  # noqa: E731
    for how in CAPTURES:
        g = CAPTURES[how](f, X())
        assert outcome(g, X()) == f(X()).tolist()
        loop.insert(0, 1)
        assert outcome(g, X()) in (f(X()).tolist(), None)


def test_what_the_run_writes_between_two_reads_is_followed():
    kept, other = [[1]], [5]

    def f(x):
        n = len(str(kept))
        kept.append(other)
        try:
            return x * n * (2 if [5] in kept else 3)
        finally:
            kept.pop()

    g = torch.compile(f, backend="eager")
    assert g(X()).tolist() == f(X()).tolist()
    other[0] = 6
    assert g(X()).tolist() == f(X()).tolist()


# --- Random programs: a value of containers, older or new, that a native function looks at. Each place of what is held is changed in turn.

VALUES = ["m.l", "m.n", "m.t", "m.d", "m.s", "[m.l, [1]]", "(m.n, 2)", "{{'k': m.d}}", "[[m.t]]", "m.d.values()", "[*m.n, m.l]", "m.n + [m.l]", "m.n[:]", "list(m.d.items())", "dict(m.d)"]
LOOKS = [
    "len(str({0}))",
    "(lambda v: len(f'{{v}}'))({0})",
    "len(json.dumps(list({0}), default=str))",
    "(2 if {0} == {1} else 3)",
    "(2 if [1] in {0} else 3)",
    "len('%s' % ({0},))",
    "len(repr([{0}]))",
    "(2 if ({0},) == ({1},) else 3)",
    "(2 if any([{0}, 0]) else 3)",
    "sum(map(len, map(str, {0})))",
    "len(str(list(zip({0}, range(9)))))",
    "len(max((str(v) for v in {0}), key=len))",
    "len(''.join(map(repr, itertools.chain({0}, [0]))))",
    "(2 if any(map([1].__eq__, {0})) else 3)",
    "(2 + [{0}, 1].count({1}))",
    "len(functools.reduce(lambda a, b: a + repr(b), {0}, ''))",
]


def containers(o, path=()):
    """Each list, dict and set that is held, once."""
    if isinstance(o, (list, dict, set)):
        yield path, o
    items = o.items() if isinstance(o, dict) else enumerate(o) if isinstance(o, (list, tuple)) else ()
    for key, value in items:
        yield from containers(value, (*path, key))


def edit(o, rng):
    if isinstance(o, set):
        o.add(rng.randrange(10, 1000))
    elif isinstance(o, dict):
        o[rng.choice([*o, "new"])] = rng.randrange(10, 1000)
    elif o and rng.random() < 0.5:
        o[rng.randrange(len(o))] = rng.randrange(10, 1000)
    else:
        o.append(rng.randrange(10, 1000))


@pytest.mark.parametrize("how", CAPTURES)
@pytest.mark.parametrize("look", LOOKS)
def test_each_place_that_a_random_program_reaches(look, how):
    print("MONOGRAPH_SEED", SEED)
    rng = random.Random(f"{SEED} {look} {how}")
    for value in rng.sample(VALUES, 6):
        now = eval(f"copy.deepcopy({value.format()})", {"m": Held(None), "copy": copy}) if "values" not in value else None
        text = look.format(value.replace("{{", "{").replace("}}", "}"), repr(now))
        reads = eval(f"lambda m, x: x * {text}", {"json": json, "itertools": itertools, "functools": functools})
        for name in ("l", "n", "t", "d", "s"):
            for k in range(len(list(containers(getattr(Held(None), name))))):
                m = Held(reads)
                try:
                    g = CAPTURES[how](m, X())
                    assert outcome(g, X()) == m(X()).tolist()
                    path, place = list(containers(getattr(m, name)))[k]
                    edit(place, rng)
                    expected = m(X()).tolist()
                except TypeError:
                    continue  # the edit leaves no program
                got = outcome(g, X())
                assert got == expected or (got is None and how != "compile"), (text, name, path)
