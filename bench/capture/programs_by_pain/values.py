"""Pain 1: a trace replays the example's branches and Python numbers. Each program here gives another result where they are frozen."""

from __future__ import annotations

from typing import Any

from programs import Made, of_pain, sizes

program = of_pain("1: branches and numbers frozen by a trace")


@program("mean of the rows, by len")
def _(torch: Any) -> Made:
    def f(x):
        total = torch.zeros(x.shape[1])
        for row in x:
            total = total + row
        return total / max(len(x), 1)

    return f, sizes(torch, (20, 3), (5, 3), (1, 3), (0, 3))


@program("drop block that scales by the count")
def _(torch: Any) -> Made:
    class DropBlock(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.block_size, self.drop_prob = 3, 0.1

        def forward(self, x):
            gamma = self.drop_prob / (self.block_size**2)
            mask = (x.abs() > gamma * 10).float()
            return x * mask * (mask.numel() / (mask.sum() + 1e-6))

    return DropBlock(), sizes(torch, (1, 2, 4, 4), (3, 2, 5, 5), (1, 1, 1, 1))


@program("video frames, each from the last")
def _(torch: Any) -> Made:
    class Propagate(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = torch.nn.Conv2d(2, 1, 3, padding=1)

        def forward(self, frames):
            n, t, c, h, w = frames.size()
            feature = frames.new_zeros(n, 1, h, w)
            out = []
            for i in range(t - 1, -1, -1):
                feature = self.conv(torch.cat([frames[:, i], feature], 1))
                out.insert(0, feature)
            return torch.stack(out, dim=1)

    return Propagate(), sizes(torch, (1, 4, 1, 4, 4), (2, 2, 1, 3, 5), (1, 1, 1, 4, 4))


@program("anchors from the feature map's size")
def _(torch: Any) -> Made:
    def f(feature):
        h, w = feature.shape[-2:]
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        return torch.stack((xs, ys), -1).reshape(-1, 2) * 16 + 8

    return f, sizes(torch, (1, 8, 4, 6), (1, 8, 3, 3), (1, 8, 1, 1), (1, 8, 0, 2))


@program("clip by the norm")
def _(torch: Any) -> Made:
    def f(x):
        norm = x.norm()
        if norm > 1.0:
            x = x / norm
        return x

    return f, [(torch.ones(4),), (torch.full((4,), 0.1),), (torch.ones(1),), (torch.zeros(0),)]


@program("item() as a factor")
def _(torch: Any) -> Made:
    def f(x):
        scale = x.abs().max().item()
        return torch.round(x / scale * 127), scale

    return f, sizes(torch, (4,), (6,), (1,), (2, 3))


@program("int of a tensor as a size")
def _(torch: Any) -> Made:
    def f(lengths, x):
        longest = int(lengths.max())
        return x[:, :longest]

    return f, [(torch.tensor(k), torch.randn(2, 5)) for k in ([3, 2], [1, 5], [0, 0])]


@program("mask from lengths")
def _(torch: Any) -> Made:
    def f(lengths):
        longest = lengths.max().item()
        return torch.arange(longest)[None, :] < lengths[:, None]

    return f, [(torch.tensor(k),) for k in ([3, 2], [1, 5, 4], [1])]


@program("pad to a multiple of eight")
def _(torch: Any) -> Made:
    def f(x):
        n = x.shape[-1]
        if n % 8 != 0:
            x = torch.nn.functional.pad(x, (0, 8 - n % 8))
        return x

    return f, sizes(torch, (2, 5), (2, 8), (1, 1), (3, 17), (2, 0))


@program("warm start when a flag tensor says so")
def _(torch: Any) -> Made:
    def f(x, first):
        if bool(first):
            state = torch.zeros_like(x)
        else:
            state = x * 0.9
        return state + x

    return f, [(torch.ones(n), torch.tensor(b)) for n, b in ((3, True), (3, False), (1, False))]


@program("a Python sum over rows")
def _(torch: Any) -> Made:
    def f(x):
        return sum(x[i].max() * i for i in range(x.shape[0]))

    return f, sizes(torch, (3, 2), (5, 2), (1, 4))


@program("elif chain on the mean")
def _(torch: Any) -> Made:
    def f(x):
        m = x.mean()
        if m < -1:
            return x + 10
        elif m < 1:
            return x * 2
        else:
            return x.clamp(max=1.5)

    return f, [(torch.full((n,), v),) for n, v in ((3, 0.0), (3, -4.0), (1, 4.0))]


@program("and, or, not of tensors")
def _(torch: Any) -> Made:
    def f(x, y):
        if (x.sum() > 0 and y.sum() > 0) or not (x > -5).all():
            return x + y
        return x - y

    return f, [(torch.full((n,), a), torch.full((n,), b)) for n, a, b in ((2, 1.0, 1.0), (2, 1.0, -1.0), (1, -9.0, 1.0))]


@program("chained comparison of a value")
def _(torch: Any) -> Made:
    def f(x):
        if 0 < x[0] < 1:
            return x * 100
        return x

    return f, [(torch.tensor(v),) for v in ([0.5, 2.0], [1.5, 2.0], [-0.5])]


@program("any() of a generator over rows")
def _(torch: Any) -> Made:
    def f(x):
        if any(row.sum() > 2 for row in x):
            return x.sum()
        return x.prod()

    return f, [(torch.ones(2, 3),), (torch.zeros(2, 3),), (torch.ones(1, 1),)]


@program("newton until it settles")
def _(torch: Any) -> Made:
    def f(a):
        x = a.clone()
        steps = 0
        while (x * x - a).abs().max() > 1e-3 and steps < 50:
            x = 0.5 * (x + a / x)
            steps += 1
        return x, steps

    return f, [(torch.tensor(v),) for v in ([2.0, 3.0], [100.0, 4.0], [1.0])]


@program("beam step that stops at the end token")
def _(torch: Any) -> Made:
    def f(scores):
        tokens = []
        for step in range(scores.shape[0]):
            token = scores[step].argmax()
            tokens.append(token)
            if token == 0:
                break
        return torch.stack(tokens)

    return f, [(torch.eye(4)[torch.tensor(k)],) for k in ([1, 2, 0, 3], [1, 1, 1, 1], [0])]


@program("index of the first positive")
def _(torch: Any) -> Made:
    def f(x):
        for i, v in enumerate(x):
            if v > 0:
                return torch.tensor(i)
        return torch.tensor(-1)

    return f, [(torch.tensor(v),) for v in ([-1.0, 1.0, 2.0], [-1.0, -1.0], [1.0], [])]


@program("skip an empty batch")
def _(torch: Any) -> Made:
    class Head(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = torch.nn.Linear(4, 2)

        def forward(self, x):
            if x.shape[0] == 0:
                return x.new_zeros((0, 2))
            return self.fc(x).softmax(-1)

    return Head(), sizes(torch, (3, 4), (0, 4), (1, 4))


@program("scale by sqrt of the width")
def _(torch: Any) -> Made:
    import math

    def f(q, k):
        return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)

    return f, [(torch.randn(2, n, d), torch.randn(2, n, d)) for n, d in ((3, 4), (5, 9), (1, 1), (0, 4))]


@program("size into a tensor")
def _(torch: Any) -> Made:
    def f(x):
        size = torch.tensor([x.shape[0], x.shape[1]])
        return size * 2, x / size.float().prod()

    return f, sizes(torch, (2, 3), (4, 5), (1, 1))


@program("nested if on two values")
def _(torch: Any) -> Made:
    def f(x, y):
        if x.sum() > 0:
            if y.sum() > 0:
                return x + y
            x = x * 3
        return x - y

    return f, [(torch.full((n,), a), torch.full((n,), b)) for n, a, b in ((2, 1.0, 1.0), (2, 1.0, -1.0), (1, -1.0, 1.0))]


@program("ternary as an argument")
def _(torch: Any) -> Made:
    def f(x):
        return torch.where(x > (0.0 if x.mean() > 0 else -1.0), x, torch.zeros_like(x))

    return f, [(torch.tensor(v),) for v in ([1.0, 2.0, -0.5], [-1.0, -0.5, -2.0], [3.0])]


@program("top k of at most the size")
def _(torch: Any) -> Made:
    def f(x):
        k = min(3, x.shape[-1])
        values, indices = x.topk(k)
        return values, indices

    return f, sizes(torch, (5,), (2,), (1,), (9,))


@program("sliding windows by a Python range")
def _(torch: Any) -> Made:
    def f(x):
        parts = [x[i : i + 4] for i in range(0, x.size(0) - 3, 2)]
        return torch.stack(parts).mean(1)

    return f, sizes(torch, (8,), (5,), (12,))


@program("dynamic time warping of two sequences")
def _(torch: Any) -> Made:
    def f(a, b):
        rows = [torch.cat([torch.zeros(1), torch.full((b.shape[0],), float("inf"))])]
        for i in range(a.shape[0]):
            row = [torch.tensor(float("inf"))]
            for j in range(b.shape[0]):
                best = torch.minimum(torch.minimum(rows[-1][j], rows[-1][j + 1]), row[-1])
                row.append((a[i] - b[j]).abs() + best)
            rows.append(torch.stack(row))
        return rows[-1][-1]

    return f, [(torch.randn(n), torch.randn(m)) for n, m in ((3, 4), (5, 2), (1, 1), (2, 0))]


@program("k-means until the centers rest")
def _(torch: Any) -> Made:
    def f(x, centers):
        rounds = 0
        for _ in range(6):
            nearest = ((x[:, None] - centers[None]) ** 2).sum(-1).argmin(1)
            hot = torch.nn.functional.one_hot(nearest, centers.shape[0]).to(x.dtype)
            moved = (hot.t() @ x) / hot.sum(0).clamp(min=1)[:, None]
            shift = (moved - centers).abs().max()
            centers = moved
            rounds += 1
            if shift < 1e-4:
                break
        return centers, rounds

    return f, [(torch.randn(n, 2), torch.tensor([[1.0, 1.0], [-1.0, -1.0]])) for n in (6, 9, 1)]


@program("power iteration with a limit of the change")
def _(torch: Any) -> Made:
    def f(a):
        v = torch.ones(a.shape[0]) / max(a.shape[0], 1) ** 0.5
        last, value = None, torch.zeros(())
        for _ in range(8):
            w = a @ v
            value = v @ w
            if last is not None and abs(float(value) - last) < 1e-3:
                return value, v
            last = float(value)
            v = w / w.norm().clamp(min=1e-6)
        return value, v

    return f, [(torch.eye(n) * k + 0.1,) for n, k in ((3, 2.0), (4, -1.0), (1, 3.0))]
