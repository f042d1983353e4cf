"""Pain 11: a graph replayed for another shape, another list or another dict gives old answers."""

from __future__ import annotations

from typing import Any

from programs import Made, of_pain, sizes

program = of_pain("11: other shapes and structures")


@program("ones of the input's shape, summed")
def _(torch: Any) -> Made:
    def f(x):
        return torch.ones(x.shape).sum()

    return f, sizes(torch, (10,), (100,), (1,), (0,))


@program("flatten by the product of sizes")
def _(torch: Any) -> Made:
    def f(x):
        n = 1
        for s in x.shape:
            n *= s
        return x.reshape(n) * n

    return f, sizes(torch, (2, 3), (4, 5), (1, 1), (0, 2))


@program("split into equal parts")
def _(torch: Any) -> Made:
    def f(x):
        a, b = torch.split(x, x.shape[-1] // 2, -1)
        return a * b

    return f, sizes(torch, (2, 4), (2, 6), (1, 2))


@program("strided slice of a size")
def _(torch: Any) -> Made:
    def f(x):
        return x[:: max(x.shape[0] // 2, 1)]

    return f, sizes(torch, (4, 2), (6, 2), (1, 2), (0, 2))


@program("arange over both sizes")
def _(torch: Any) -> Made:
    def f(x):
        return torch.arange(x.shape[0] * x.shape[1]).view(x.shape) + x

    return f, sizes(torch, (2, 3), (4, 5), (1, 1), (0, 3))


@program("one-hot of a position")
def _(torch: Any) -> Made:
    def f(x):
        return torch.eye(x.shape[0])[x.shape[0] // 2] * x

    return f, sizes(torch, (3,), (6,), (1,))


@program("mean by the sum and numel")
def _(torch: Any) -> Made:
    def f(x):
        return x.sum() / x.numel()

    return f, sizes(torch, (2, 3), (4, 5), (1, 1))


@program("full of a size as a value")
def _(torch: Any) -> Made:
    def f(x):
        return torch.full((2,), float(x.shape[0])) + x.size(0)

    return f, sizes(torch, (3,), (6,), (1,), (0,))


@program("linspace over the size")
def _(torch: Any) -> Made:
    def f(x):
        return torch.linspace(0, 1, x.shape[0]) * x

    return f, sizes(torch, (3,), (6,), (1,), (0,))


@program("positions cached by a dict in the call")
def _(torch: Any) -> Made:
    def f(x):
        cache = {}
        n = x.shape[1]
        if n not in cache:
            cache[n] = torch.arange(n).float()
        return x + cache[n]

    return f, sizes(torch, (2, 3), (2, 5), (1, 1), (1, 0))


@program("list of tensors, another length")
def _(torch: Any) -> Made:
    def f(xs):
        return torch.stack([x * i for i, x in enumerate(xs)]).sum(0)

    return f, [([torch.randn(3) for _ in range(n)],) for n in (2, 4, 1)]


@program("list beside a tensor")
def _(torch: Any) -> Made:
    def f(x, xs):
        return x + xs[0] - xs[-1]

    return f, [(torch.randn(n), [torch.randn(n) for _ in range(m)]) for n, m in ((3, 2), (4, 3), (1, 1), (0, 2))]


@program("dict whose order differs")
def _(torch: Any) -> Made:
    def f(d):
        return torch.cat([v for k, v in d.items()])

    return f, [({"a": torch.ones(2), "b": torch.zeros(1)},), ({"b": torch.zeros(1), "a": torch.ones(2)},), ({"a": torch.ones(1)},)]


@program("integers, then floats")
def _(torch: Any) -> Made:
    def f(x):
        return x * 2 + x.sum()

    return f, [(torch.tensor(v),) for v in ([1, 2], [1.5, 2.5], [3])]


@program("one scalar tensor as an index")
def _(torch: Any) -> Made:
    def f(x, i):
        return x[i]

    return f, [(torch.randn(n, 2), torch.tensor(k)) for n, k in ((3, 1), (5, 4), (1, 0))]


@program("named tuple in, named tuple out")
def _(torch: Any) -> Made:
    from collections import namedtuple

    Pair = namedtuple("Pair", ["a", "b"])

    def f(pair):
        return pair._replace(a=pair.a + pair.b)

    return f, [(Pair(torch.randn(n), torch.randn(n)),) for n in (3, 4, 1, 0)]


@program("same tensor twice")
def _(torch: Any) -> Made:
    def f(x, y):
        x.add_(1)
        return x * y

    return f, [(t, t) for t in (torch.ones(3), torch.ones(4), torch.ones(1))]


@program("lists of unequal rows padded to the longest")
def _(torch: Any) -> Made:
    def f(rows):
        longest = max(row.shape[0] for row in rows)
        out = torch.zeros(len(rows), longest)
        for k, row in enumerate(rows):
            out[k, : row.shape[0]] = row
        return out, [row.shape[0] for row in rows]

    return f, [([torch.randn(n) for n in lengths],) for lengths in ((2, 3), (4, 1, 2), (1,), (0, 1))]


@program("levels of a pyramid from the size")
def _(torch: Any) -> Made:
    def f(x):
        levels = [x]
        while levels[-1].shape[-1] > 1:
            levels.append(torch.nn.functional.avg_pool1d(levels[-1], 2, 2, ceil_mode=True))
        return torch.cat([level.mean(-1) for level in levels], -1), len(levels)

    return f, sizes(torch, (1, 2, 8), (2, 2, 5), (1, 2, 1))
