"""Pain 6: what the ways of a branch and the body of a loop may do: write, close over tensors, differ in sizes, need gradients."""

from __future__ import annotations

from typing import Any

from programs import Made, of_pain, sizes

program = of_pain("6: what the ways of a branch may do")


@program("ways of unequal sizes")
def _(torch: Any) -> Made:
    def f(x):
        if x.sum() > 0:
            y = x[:1]
        else:
            y = torch.cat([x, x])
        return y * 2

    return f, [(torch.ones(3),), (-torch.ones(3),), (torch.ones(1),)]


@program("closure over a parameter in a way")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

        def forward(self, x):
            return self.a(x) if x.mean() > 0 else self.b(x)

    return Net(), [(torch.ones(2, 3),), (-torch.ones(2, 3),), (torch.ones(1, 3),)]


@program("buffer written in a way")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.zeros(()))

        def forward(self, x):
            if x.sum() > 0:
                self.seen.add_(1)
            return x + self.seen

    return Net(), [(torch.ones(2),), (-torch.ones(2),), (torch.ones(1),)]


@program("attribute set in a way")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.last = torch.zeros(1)

        def forward(self, x):
            if x.sum() > 0:
                self.last = x.max().reshape(1)
            return x + self.last

    return Net(), [(torch.ones(2),), (-torch.ones(2),), (torch.full((1,), 3.0),)]


@program("list appended in a way")
def _(torch: Any) -> Made:
    def f(x):
        parts = [x]
        if x.sum() > 0:
            parts.append(x * 2)
        return torch.cat(parts)

    return f, [(torch.ones(2),), (-torch.ones(2),), (torch.ones(1),)]


@program("dict entry set in a way")
def _(torch: Any) -> Made:
    def f(x):
        out = {"x": x}
        if x.sum() > 0:
            out["x"] = x * 5
        return out

    return f, [(torch.ones(2),), (-torch.ones(2),), (torch.ones(1),)]


@program("loop that writes a row each time")
def _(torch: Any) -> Made:
    def f(x):
        out = torch.zeros(4)
        i = 0
        while i < 4 and x.sum() > i:
            out[i] = x.sum() - i
            i += 1
        return out

    return f, [(torch.ones(2),), (torch.ones(5),), (-torch.ones(1),)]


@program("loop with a shape that grows")
def _(torch: Any) -> Made:
    def f(x):
        while x.numel() < 10:
            x = torch.cat([x, x + 1])
        return x

    return f, sizes(torch, (3,), (1,), (12,))


@program("no_grad in a way")
def _(torch: Any) -> Made:
    def f(x):
        if x.sum() > 0:
            with torch.no_grad():
                y = x * 2
        else:
            y = x * 3
        return y

    return f, [(torch.ones(2),), (-torch.ones(2),), (torch.ones(1),)]


@program("two results from a way")
def _(torch: Any) -> Made:
    def f(x):
        if x.sum() > 0:
            a, b = x.max(), x.min()
        else:
            a, b = x.min(), x.max()
        return a - b

    return f, [(torch.tensor(v),) for v in ([1.0, 2.0], [-1.0, -3.0], [4.0])]


@program("a function of functions in a way")
def _(torch: Any) -> Made:
    def f(x):
        act = torch.relu if x.sum() > 0 else torch.tanh
        return act(x)

    return f, [(torch.tensor(v),) for v in ([1.0, 2.0], [-1.0, -3.0], [4.0])]


@program("dtype differs by the way")
def _(torch: Any) -> Made:
    def f(x):
        if x.sum() > 0:
            return (x > 1).float()
        return x

    return f, [(torch.tensor(v),) for v in ([1.0, 2.0], [-1.0, -3.0], [4.0])]


@program("number differs by the way")
def _(torch: Any) -> Made:
    def f(x):
        lr = 0.1
        if x.abs().max() > 1:
            lr = 0.01
        return x * lr, lr

    return f, [(torch.tensor(v),) for v in ([1.0, 2.0], [-0.5, 0.3], [4.0])]


@program("continue and else of a loop")
def _(torch: Any) -> Made:
    def f(x):
        total = x.new_zeros(())
        for v in x:
            if v < 0:
                continue
            if v > 10:
                break
            total = total + v
        else:
            total = total * 100
        return total

    return f, [(torch.tensor(v),) for v in ([1.0, -2.0, 3.0], [1.0, 20.0, 3.0], [4.0], [])]


@program("loop in a loop with a branch")
def _(torch: Any) -> Made:
    def f(x):
        y = torch.zeros_like(x)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                if x[i, j] > 0:
                    y[i, j] = x[i, j] * (i + j)
        return y

    return f, sizes(torch, (2, 3), (3, 2), (1, 1), (0, 2))


@program("recursion to a depth by the size")
def _(torch: Any) -> Made:
    def halve(x):
        if x.shape[0] <= 1:
            return x
        n = x.shape[0] // 2
        return halve(x[:n]) + halve(x[n : 2 * n])

    def f(x):
        return halve(x)

    return f, sizes(torch, (4, 2), (8, 2), (1, 2))


@program("max so far, with its index")
def _(torch: Any) -> Made:
    def f(x):
        best, where = x[0], 0
        for i in range(1, len(x)):
            if x[i] > best:
                best, where = x[i], i
        return best, where

    return f, [(torch.tensor(v),) for v in ([1.0, 3.0, 2.0], [5.0, 1.0], [4.0])]


@program("optional result of a way")
def _(torch: Any) -> Made:
    def f(x):
        extra = None
        if x.sum() > 0:
            extra = x * 2
        return x if extra is None else x + extra

    return f, [(torch.ones(2),), (-torch.ones(2),), (torch.ones(1),)]


@program("message about the value that is printed in a way")
def _(torch: Any) -> Made:
    def f(x):
        if x.max() > 1:
            print("large", float(x.max()))
            x = x / x.max()
        return x

    return f, [(torch.tensor(v),) for v in ([1.0, 3.0], [0.5, 1.0], [4.0])]


@program("parameter needs a gradient in one way only")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(3))

        def forward(self, x):
            return x * self.w if x.sum() > 0 else x * 2

    return Net(), [(torch.ones(2, 3),), (-torch.ones(2, 3),), (torch.ones(1, 3),)]


@program("the larger of two goes first")
def _(torch: Any) -> Made:
    def f(a, b):
        if a.norm() < b.norm():
            a, b = b, a
        a = a / a.norm().clamp(min=1e-6)
        return b - (a * b).sum() * a, a

    return f, [(torch.full((n,), u), torch.full((n,), v)) for n, u, v in ((3, 1.0, 2.0), (4, 2.0, 1.0), (1, 0.0, 0.0))]


@program("a step taken back when the loss grows")
def _(torch: Any) -> Made:
    class Search(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("rate", torch.tensor(1.0))
            self.register_buffer("best", torch.tensor(100.0))

        def forward(self, x):
            loss = (x**2).sum()
            if loss < self.best:
                self.best.copy_(loss)
                self.rate.mul_(1.2)
                step = -2 * x * self.rate
            else:
                self.rate.mul_(0.5)
                step = torch.zeros_like(x)
            return x + step, self.rate * 1

    return Search(), [(torch.full((n,), v),) for n, v in ((2, 3.0), (2, 30.0), (1, 1.0))]
