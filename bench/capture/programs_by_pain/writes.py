"""Pain 2: writes in place, through views and into arguments."""

from __future__ import annotations

from typing import Any

from programs import Made, of_pain, sizes

program = of_pain("2: writes in place and through views")


@program("slice bounds from the size, written")
def _(torch: Any) -> Made:
    def f(x):
        y = x.clone()
        y[: x.shape[0] // 2] = 0
        return y

    return f, sizes(torch, (4, 2), (7, 2), (1, 2), (0, 2))


@program("causal mask filled in place")
def _(torch: Any) -> Made:
    def f(x):
        mask = torch.full((x.size(1), x.size(1)), float("-inf"))
        mask.triu_(1)
        return x + mask

    return f, sizes(torch, (2, 3, 3), (1, 5, 5), (2, 1, 1))


@program("rows written in a loop")
def _(torch: Any) -> Made:
    def f(x):
        out = torch.zeros_like(x)
        for i in range(x.shape[0]):
            out[i] = x[i] * i
        return out

    return f, sizes(torch, (3, 2), (5, 2), (1, 2), (0, 2))


@program("running sum in place")
def _(torch: Any) -> Made:
    def f(x):
        y = x.clone()
        for i in range(1, y.size(0)):
            y[i] += y[i - 1]
        return y

    return f, sizes(torch, (3,), (6,), (1,), (0,))


@program("chunks written in place")
def _(torch: Any) -> Made:
    def f(x):
        a, b = x.clone().chunk(2, -1)
        a = a * 2
        b.add_(a)
        return a, b

    return f, sizes(torch, (2, 4), (3, 6), (1, 2))


@program("a view of a view written")
def _(torch: Any) -> Made:
    def f(x):
        y = x.clone()
        y.view(-1)[::2].mul_(-1)
        return y

    return f, sizes(torch, (2, 3), (4, 4), (1, 1), (0, 3))


@program("transpose written")
def _(torch: Any) -> Made:
    def f(x):
        y = x.clone()
        y.t()[0].fill_(7)
        return y.sum(0)

    return f, sizes(torch, (2, 3), (4, 2), (1, 1))


@program("masked assignment")
def _(torch: Any) -> Made:
    def f(x):
        y = x.clone()
        y[y < 0] = 0.0
        return y

    return f, sizes(torch, (5,), (2, 3), (1,), (0,))


@program("masked values replaced by others")
def _(torch: Any) -> Made:
    def f(x, z):
        x = x.clone()
        keep = z > 0
        x[keep] = z[keep]
        return x

    return f, [(torch.randn(n), torch.randn(n)) for n in (5, 8, 1, 0)]


@program("index_put with accumulation")
def _(torch: Any) -> Made:
    def f(index, values):
        out = torch.zeros(4)
        out.index_put_((index,), values, accumulate=True)
        return out

    return f, [(torch.tensor(k), torch.ones(len(k))) for k in ([0, 1, 1], [3, 3, 3, 3], [2])]


@program("scatter into one-hot")
def _(torch: Any) -> Made:
    def f(labels):
        out = torch.zeros(labels.size(0), 5)
        out.scatter_(1, labels.unsqueeze(1), 1)
        return out

    return f, [(torch.tensor(k, dtype=torch.long),) for k in ([0, 1, 4], [3], [])]


@program("key cache filled at a position")
def _(torch: Any) -> Made:
    class Cache(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("keys", torch.zeros(8, 2))

        def forward(self, k, start):
            self.keys[start : start + k.size(0)] = k
            return self.keys.sum(0)

    return Cache(), [(torch.ones(n, 2), torch.tensor(s)) for n, s in ((3, 0), (1, 3), (2, 4))]


@program("buffer of running mean")
def _(torch: Any) -> Made:
    class Norm(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(3))

        def forward(self, x):
            self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
            return x - self.mean

    return Norm(), sizes(torch, (4, 3), (2, 3), (1, 3))


@program("write to an argument's rows")
def _(torch: Any) -> Made:
    def f(x):
        x[0] = -1
        return x * 2

    return f, sizes(torch, (3, 2), (5, 2), (1, 1))


@program("write in one way of a branch")
def _(torch: Any) -> Made:
    def f(x):
        y = x.clone()
        if x.sum() > 0:
            y[0] = 100
        return y

    return f, [(torch.ones(3),), (-torch.ones(3),), (torch.ones(1),)]


@program("argument written in one way of a branch")
def _(torch: Any) -> Made:
    def f(x):
        if x.sum() > 0:
            x.mul_(10)
        return x + 1

    return f, [(torch.ones(3),), (-torch.ones(3),), (torch.ones(1),), (torch.zeros(0),)]


@program("write through an alias in a list")
def _(torch: Any) -> Made:
    def f(x):
        rows = [x.clone(), x]
        last = rows[0]
        last += 1
        return rows[0] - rows[1]

    return f, sizes(torch, (3,), (2, 2), (1,), (0,))


@program("a returned view of what is written later")
def _(torch: Any) -> Made:
    def f(x):
        y = x.clone()
        head = y[:1]
        y.add_(5)
        return head, y

    return f, sizes(torch, (3,), (5,), (1,), (0,))


@program("unbind and write")
def _(torch: Any) -> Made:
    def f(boxes):
        x1, y1, x2, y2 = boxes.clone().unbind(-1)
        x1.clamp_(min=0)
        y1.clamp_(min=0)
        return torch.stack((x1, y1, x2 - x1, y2 - y1), -1)

    return f, sizes(torch, (3, 4), (7, 4), (1, 4), (0, 4))


@program("boxes clipped by stepped slices")
def _(torch: Any) -> Made:
    def f(boxes):
        boxes = boxes.clone()
        boxes[..., 0::2] = boxes[..., 0::2].clamp(0, 1)
        boxes[..., 1::2] = boxes[..., 1::2].clamp(-1, 0)
        return boxes

    return f, sizes(torch, (3, 4), (2, 5, 4), (1, 4), (0, 4))


@program("copy_ into a padded batch")
def _(torch: Any) -> Made:
    def f(a, b):
        longest = max(a.size(0), b.size(0))
        batch = a.new_zeros(2, longest)
        for out, t in zip(batch, (a, b)):
            out[: t.size(0)].copy_(t)
        return batch

    return f, [(torch.randn(n), torch.randn(m)) for n, m in ((3, 2), (1, 4), (2, 2), (0, 1))]


@program("diagonal filled")
def _(torch: Any) -> Made:
    def f(x):
        y = x @ x.t()
        y.fill_diagonal_(0)
        return y

    return f, sizes(torch, (3, 2), (5, 2), (1, 2))


@program("detach and write")
def _(torch: Any) -> Made:
    def f(x):
        y = x * 1
        y.detach().zero_()
        return y

    return f, sizes(torch, (3,), (2, 2), (1,), (0,))


@program("swap two halves in place")
def _(torch: Any) -> Made:
    def f(x):
        y = x.clone()
        n = y.size(0) // 2
        y[:n], y[n : 2 * n] = y[n : 2 * n].clone(), y[:n].clone()
        return y

    return f, sizes(torch, (4,), (7,), (1,), (0,))


@program("the nucleus of the likeliest tokens")
def _(torch: Any) -> Made:
    def f(logits, p):
        ordered, places = logits.sort(-1, descending=True)
        outside = ordered.softmax(-1).cumsum(-1) > p
        outside[..., 1:] = outside[..., :-1].clone()
        outside[..., 0] = False
        logits[outside.scatter(-1, places, outside)] = float("-inf")
        return logits

    return f, [(torch.arange(n * m).reshape(n, m).sin() * 3, torch.tensor(p)) for n, m, p in ((2, 5, 0.8), (3, 4, 0.3), (1, 1, 0.9))]


@program("experts add to the rows of their tokens")
def _(torch: Any) -> Made:
    class Mixture(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = torch.nn.Linear(4, 3)
            self.experts = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(3)])

        def forward(self, x):
            weight, chosen = self.gate(x).softmax(-1).topk(2)
            out = torch.zeros_like(x)
            for k, expert in enumerate(self.experts):
                rows, slot = torch.where(chosen == k)
                if rows.numel() == 0:
                    continue
                out.index_add_(0, rows, expert(x[rows]) * weight[rows, slot, None])
            return out

    return Mixture(), sizes(torch, (6, 4), (2, 4), (1, 4))


@program("a ring buffer that wraps")
def _(torch: Any) -> Made:
    class Ring(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("kept", torch.zeros(4, 2))
            self.register_buffer("at", torch.zeros((), dtype=torch.long))

        def forward(self, x):
            for row in x:
                self.kept[self.at] = row
                self.at.add_(1).remainder_(4)
            return self.kept.sum(0), self.at

    return Ring(), sizes(torch, (3, 2), (6, 2), (1, 2))
