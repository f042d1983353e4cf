"""Python's data structures between the operators: dicts, lists, deques, dataclasses, named tuples, iterators, and classes of the program's own."""

from __future__ import annotations

import dataclasses
import functools
import heapq
import itertools
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any, NamedTuple

from programs import Made, of_pain

program = of_pain("Python's data structures")


def rows(torch: Any, *counts: int, width: int = 3) -> list[tuple[Any, ...]]:
    """Inputs with so many rows, with both signs, so that other rows and other sums are positive in each."""
    return [(torch.arange(float(n * width)).reshape(n, width) * (-1) ** k - 4.0 * (k % 2 == 0) + 3.5 * (k % 2),) for k, n in enumerate(counts)]


@program("rows grouped by their sign in a defaultdict")
def _(torch: Any) -> Made:
    def f(x):
        groups = defaultdict(list)
        for row in x:
            groups["up" if row.sum() > 0 else "down"].append(row * 2)
        return [(name, torch.stack(groups[name]).sum(0)) for name in sorted(groups)]

    return f, rows(torch, 3, 4, 1, 0)


@program("a dict merged, popped and iterated")
def _(torch: Any) -> Made:
    def f(x):
        features = {"a": x, "b": x * 2}
        features |= {"c": x + x.shape[0]}
        features.setdefault("d", features.pop("a") - 1)
        if x.shape[0] > 1:
            features["e"] = features["b"][1:]
        return {name.upper(): value.sum() for name, value in features.items()}

    return f, rows(torch, 3, 1, 0, 4)


@program("an OrderedDict whose entries move")
def _(torch: Any) -> Made:
    def f(x):
        d = OrderedDict(a=x, b=x * 3, c=x - 1)
        d.move_to_end("a", last=bool(x.shape[0] % 2))
        name, value = d.popitem(last=False)
        return name, value, list(d)

    return f, rows(torch, 3, 2, 1, 0)


@program("a deque that keeps the last two")
def _(torch: Any) -> Made:
    def f(x):
        last = deque(maxlen=2)
        out = torch.zeros(x.shape[1])
        for row in x:
            last.append(row)
            out = out + sum(last) / len(last)
        return out

    return f, rows(torch, 3, 4, 1, 0)


@program("a list edited by slices, insert and del")
def _(torch: Any) -> Made:
    def f(x):
        parts = [x, x + 1, x + 2, x + 3]
        parts[1:3] = [x * 10]
        parts.insert(0, -x)
        if x.sum() > 0:
            del parts[-1]
        else:
            parts[-1] = parts[-1] * 5
        parts.reverse()
        return torch.cat(parts)

    return f, rows(torch, 2, 3, 1, 0)


@program("first and rest, by a star")
def _(torch: Any) -> Made:
    def f(x):
        first, *middle, last = x.unbind(1)
        return first + last, sum(m.abs() for m in middle) if middle else None, len(middle)

    return f, rows(torch, 2, 1, 0, 5)


@program("a Counter of classes")
def _(torch: Any) -> Made:
    def f(x):
        counts = Counter(int(label) for label in x)
        common, number = counts.most_common(1)[0]
        return x == common, number, len(counts)

    return f, [(torch.tensor([1, 2, 1]),), (torch.tensor([2, 2, 1, 2]),), (torch.tensor([5]),)]


@program("a mutable dataclass carried by a loop")
def _(torch: Any) -> Made:
    @dataclasses.dataclass
    class State:
        value: Any
        best: Any = None
        steps: int = 0
        path: list = dataclasses.field(default_factory=list)

        def advance(self, row):
            self.value = self.value + row
            self.steps += 1
            if self.best is None or self.value.sum() > self.best.sum():
                self.best = self.value
                self.path.append(self.steps)

    def f(x):
        state = State(torch.zeros(x.shape[1]))
        for row in x:
            state.advance(row)
        return state.value, state.best, state.steps, state.path

    return f, rows(torch, 3, 4, 1, 0)


@program("a frozen dataclass, replaced in a branch")
def _(torch: Any) -> Made:
    @dataclasses.dataclass(frozen=True)
    class Options:
        scale: float = 1.0
        shift: Any = 0

    def f(x):
        options = Options()
        if x.sum() > 0:
            options = dataclasses.replace(options, scale=3.0)
        if x.shape[0] == 1:
            options = dataclasses.replace(options, shift=x)
        return x * options.scale + options.shift

    return f, rows(torch, 3, 2, 1, 0)


class Carry(NamedTuple):
    total: Any
    count: int


@program("a NamedTuple with _replace in a while loop")
def _(torch: Any) -> Made:
    def f(x):
        carry = Carry(x.sum(), 0)
        while carry.total < 50 and carry.count < 6:
            carry = carry._replace(total=carry.total * 2 + 3, count=carry.count + 1)
        return carry.total, carry.count

    return f, rows(torch, 3, 2, 1, 0)


@program("accumulate, pairwise and chain")
def _(torch: Any) -> Made:
    def f(x):
        sums = list(itertools.accumulate(x, operator.add))
        steps = [b - a for a, b in itertools.pairwise(sums)]
        return list(itertools.chain(sums[:1], steps, itertools.islice(sums, 1, None)))

    return f, rows(torch, 3, 4, 1, 0)


@program("reduce over chunks")
def _(torch: Any) -> Made:
    def f(x):
        return functools.reduce(lambda a, b: a * 0.5 + b.sum(0), x.split(2), torch.ones(x.shape[1]))

    return f, rows(torch, 4, 3, 1, 0)


@program("product and groupby over sizes")
def _(torch: Any) -> Made:
    def f(x):
        n = x.shape[0]
        total = x.new_zeros(())
        for i, j in itertools.product(range(n), repeat=2):
            total = total + (x[i] * x[j]).sum() * (1 if i == j else -0.5)
        runs = [(k, len(list(g))) for k, g in itertools.groupby(i % 3 > 0 for i in range(n))]
        return total, runs

    return f, rows(torch, 3, 2, 1, 0)


@program("rows sorted by a key that asks their values")
def _(torch: Any) -> Made:
    def f(x):
        ordered = sorted(x, key=lambda row: row.sum().item(), reverse=True)
        return torch.stack(ordered) if ordered else x

    return f, [(torch.tensor([[1.0, 2.0], [5.0, 0.0], [-1.0, 0.0]]),), (torch.tensor([[9.0, 2.0], [5.0, 0.0]]),), (torch.ones(1, 2),), (torch.ones(0, 2),)]


@program("a heap of scores")
def _(torch: Any) -> Made:
    def f(x):
        heap = [(-float(v), k) for k, v in enumerate(x)]
        heapq.heapify(heap)
        order = [heapq.heappop(heap)[1] for _ in range(len(heap))]
        return x[order[0]] if order else x.sum(), order

    return f, [(torch.tensor([1.0, 3.0, 2.0]),), (torch.tensor([4.0, 3.0]),), (torch.tensor([7.0]),), (torch.zeros(0),)]


@program("a vector class with operators")
def _(torch: Any) -> Made:
    class Vector:
        __slots__ = ("x", "y")

        def __init__(self, x, y):
            self.x, self.y = x, y

        def __add__(self, other):
            return Vector(self.x + other.x, self.y + other.y)

        def __mul__(self, k):
            return Vector(self.x * k, self.y * k)

        __rmul__ = __mul__

        def __neg__(self):
            return Vector(-self.x, -self.y)

        def __bool__(self):
            return bool(self.x.sum() > self.y.sum())

        def __iter__(self):
            yield self.x
            yield self.y

    def f(x):
        v = Vector(x, x.flip(0)) + 2 * Vector(x.cumsum(0), x)
        v = -v if v else v * 3
        a, b = v
        return a, b

    return f, rows(torch, 3, 2, 1, 0)


@program("a container with __getitem__, __len__ and __contains__")
def _(torch: Any) -> Made:
    class Bank:
        def __init__(self):
            self.data = {}

        def __setitem__(self, key, value):
            self.data[key] = self.data.get(key, 0) + value

        def __getitem__(self, key):
            return self.data[key]

        def __contains__(self, key):
            return key in self.data

        def __len__(self):
            return len(self.data)

    def f(x):
        bank = Bank()
        for k, row in enumerate(x):
            bank[k % 2] = row
        if 1 in bank:
            return bank[0] - bank[1], len(bank)
        return x, len(bank)

    return f, rows(torch, 3, 2, 1, 0)


@program("a tree of lists and dicts, mapped by recursion")
def _(torch: Any) -> Made:
    def mapped(tree, g, path=""):
        if isinstance(tree, dict):
            return {k: mapped(v, g, path + "." + k) for k, v in tree.items()}
        if isinstance(tree, (list, tuple)):
            return type(tree)(mapped(v, g, f"{path}[{k}]") for k, v in enumerate(tree))
        return g(tree, path)

    def f(x):
        tree = {"a": [x, x + 1], "b": {"c": (x * 2,)}}
        return mapped(tree, lambda t, path: t.sum() * len(path) if t.shape[0] != 1 else t)

    return f, rows(torch, 3, 2, 1, 0)


@program("sets of sizes, and what is in them")
def _(torch: Any) -> Made:
    def f(x):
        seen = set()
        out = []
        for part in (x, x[:, 1:], x.t(), x[:1]):
            if part.shape in seen or len(seen) > 2:
                continue
            seen.add(part.shape)
            out.append(part.sum())
        return torch.stack(out), len(seen)

    return f, rows(torch, 3, 2, 1, 0)


@program("functions of the operator module, and partial")
def _(torch: Any) -> Made:
    take, call = operator.itemgetter(0, -1), operator.methodcaller("clamp", min=0)
    scale = functools.partial(torch.mul, other=2.0)

    def f(x):
        a, b = take([x, x + 1, scale(x)])
        return operator.add(call(a), b) if operator.gt(x.shape[0], 1) else operator.truediv(a, 2)

    return f, rows(torch, 3, 2, 1, 0)
