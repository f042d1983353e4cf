"""torch.compile: arguments that are another object in each call, and hold the same: objects with __slots__, sets, and what holds these."""

from __future__ import annotations

import dataclasses
import operator

import monograph as torch
import pytest
from monograph import _C
from monograph._compile import compiled_of

pytestmark = pytest.mark.skipif(not _C._machine_supported(), reason="the capture machine runs the code of Python 3.11")


class Pair:
    __slots__ = ("a", "b", "unread")

    def __init__(self, a, b=None, unread=0):
        self.a, self.unread = a, unread
        if b is not None:
            self.b = b


class Triple(Pair):
    __slots__ = ("c",)

    def total(self):
        return self.a + self.c


@dataclasses.dataclass(slots=True)
class Batch:
    x: torch.Tensor
    scale: float = 1.0
    names: frozenset = frozenset()


class Holder:
    def __init__(self, words, x):
        self.words, self.x = words, x


def captures(compiled):
    return len(_C._compiled_entries(compiled_of(compiled)))


def check(f, calls, count):
    """Each call gives what the function gives, and they need as many captures."""
    compiled = torch.compile(f, backend="interpreter")
    for make in calls:
        assert torch.equal(compiled(*make()), f(*make()))
    assert captures(compiled) == count


def x(k=1.0):
    return torch.tensor([k, 2.0])


def test_slots_are_known_by_what_they_hold():
    check(lambda p: p.a * 2, [lambda k=k: (Pair(x(k)),) for k in range(5)], 1)
    check(lambda p: p.a * p.b, [lambda k=k: (Pair(x(k), 3.0),) for k in range(4)], 1)
    check(lambda p: p.a * p.b, [lambda k=k: (Pair(x(), k),) for k in (3.0, 4.0, 3.0, 4.0)], 2)


def test_what_is_not_read_does_not_count():
    check(lambda p: p.a * 2, [lambda k=k: (Pair(x(), k, k),) for k in range(1, 5)], 1)


def test_a_slot_that_is_not_set():
    def f(p):
        return p.a * (p.b if hasattr(p, "b") else 5)

    check(f, [lambda: (Pair(x()),), lambda: (Pair(x(), 2.0),), lambda: (Pair(x()),), lambda: (Pair(x(), 2.0),)], 2)


def test_slots_of_base_classes_and_methods():
    def made(a, c):
        t = Triple(a)
        t.c = c
        return (t,)

    check(lambda t: t.total(), [lambda k=k: made(x(k), x(k + 1)) for k in range(4)], 1)


def test_dataclasses_with_slots():
    def f(b):
        return b.x * b.scale + len(b.names) + (1 if b == dataclasses.replace(b) else 2)

    def plain(b):
        return b.x * b.scale + sum(map(len, b.names))

    check(plain, [lambda k=k: (Batch(x(k), 2.0, frozenset({"a", "bc"})),) for k in range(4)], 1)
    compiled = torch.compile(f, backend="interpreter")
    for k in range(3):
        assert torch.equal(compiled(Batch(x(k))), f(Batch(x(k))))


def test_nested_objects_and_c_code_that_reads_attributes():
    get = operator.attrgetter("a.words", "a.x")

    def f(p):
        words, t = get(p)
        return t * len(words)

    calls = [lambda k=k: (Pair(Holder({"a", "b"}, x(k))),) for k in range(3)]
    check(f, [*calls, lambda: (Pair(Holder({"a"}, x())),)], 2)


def test_sets_are_known_by_their_elements():
    check(lambda y, s: y * len(s), [lambda: (x(), {1, 2}), lambda: (x(), {2, 1}), lambda: (x(), {1, 2})], 1)
    check(lambda y, s: y * 2 if "a" in s else y, [lambda: (x(), {"a"}), lambda: (x(), {"b"}), lambda: (x(), {"a"})], 2)
    check(lambda y, h: h.x * (2 if 3 in h.words else 5), [lambda k=k: (x(), Holder({3, 4}, x(k))) for k in range(4)], 1)


@pytest.mark.parametrize("values", [({1}, {True}), ({1.0}, {1}), ({0.0}, {-0.0}), (frozenset({1}), {1})])
def test_elements_that_are_equal_but_not_the_same(values):
    def f(y, s):
        (v,) = s
        return y * (2 if type(v) is int else 3 if type(v) is float else 5) + (1 if type(s) is set else 7) + (1 / v if v else 0) + str(v).count("-")

    compiled = torch.compile(f, backend="interpreter")
    for s in (*values, *values):
        assert torch.equal(compiled(x(), s), f(x(), s))


def test_writes_to_a_set_of_the_caller():
    def f(y, s):
        s.add(3)
        s.discard(1)
        return y * len(s)

    compiled = torch.compile(f, backend="interpreter")
    for values in ({1, 2}, {1, 2}, {5}, {3}, {1, 2}):
        mine, other = set(values), set(values)
        assert torch.equal(compiled(x(), mine), f(x(), other))
        assert mine == other


def test_writes_to_slots_of_the_caller():
    def f(p):
        p.b = p.a * 2
        return p.b + 1

    compiled = torch.compile(f, backend="interpreter")
    for k in range(3):
        mine, other = Pair(x(k)), Pair(x(k))
        assert torch.equal(compiled(mine), f(other))
        assert torch.equal(mine.b, other.b)


def test_identity_still_counts():
    first, second = Pair(x()), Pair(x())

    def f(p):
        return p.a * (2 if p is first else 3)

    compiled = torch.compile(f, backend="interpreter")
    for p in (first, second, first, Pair(x()), second):
        assert torch.equal(compiled(p), f(p))
    known = {first: 2.0}

    def g(p):
        return p.a * known.get(p, 5.0)

    compiled = torch.compile(g, backend="interpreter")
    for p in (first, second, first, Pair(x())):
        assert torch.equal(compiled(p), g(p))


def test_one_object_twice():
    def f(p, q):
        return p.a * (2 if p is q else 3) + q.a

    compiled = torch.compile(f, backend="interpreter")
    p, q = Pair(x()), Pair(x(3.0))
    for pair in ((p, p), (p, q), (q, p), (q, q), (Pair(x()), Pair(x()))):
        assert torch.equal(compiled(*pair), f(*pair))


def test_disallow_in_graph_of_an_operator():
    def f(y):
        y = torch.add(y, 1)
        y = torch.sub(y, 2)
        return torch.add(y, 3)

    try:
        assert torch._dynamo.disallow_in_graph([torch.sub]) == [torch.sub]
        found = torch._dynamo.explain(f)(x())
        assert found.graph_count == 2 and "disallow_in_graph" in str(found)
        assert torch.equal(torch.compile(f)(x()), f(x()))
        with pytest.raises(torch._dynamo.exc.Unsupported, match="disallow_in_graph"):
            torch.compile(f, fullgraph=True)(x())
    finally:
        torch._dynamo.allow_in_graph(torch.sub)
    assert torch._dynamo.explain(f)(x()).graph_count == 1
    with pytest.raises(AssertionError, match="callable"):
        torch._dynamo.disallow_in_graph(3)
