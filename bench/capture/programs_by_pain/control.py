"""Control flow of Python's own: generators, try and finally, nested functions, early returns, context managers, while and else."""

from __future__ import annotations

import contextlib
import enum
from typing import Any

from programs import Made, of_pain

program = of_pain("Python's control flow")


def signed(torch: Any, *values: list[float]) -> list[tuple[Any, ...]]:
    return [(torch.tensor(v),) for v in values]


@program("a nested function that adds to a nonlocal")
def _(torch: Any) -> Made:
    def f(x):
        total, count = x.new_zeros(()), 0

        def add(v):
            nonlocal total, count
            if v > 0:
                total = total + v
                count += 1

        for v in x:
            add(v)
        return total / max(count, 1), count

    return f, signed(torch, [1.0, -2.0, 3.0], [-1.0, -1.0], [4.0], [])


@program("a generator that stops at a value")
def _(torch: Any) -> Made:
    def until_negative(x):
        for v in x:
            if v < 0:
                return
            yield v * 2

    def f(x):
        taken = list(until_negative(x))
        return torch.stack(taken).sum() if taken else x.sum(), len(taken)

    return f, signed(torch, [1.0, 2.0, -3.0], [-1.0, 2.0], [4.0], [])


@program("a generator that is sent values")
def _(torch: Any) -> Made:
    def average():
        total, n, mean = 0.0, 0, None
        while True:
            value = yield mean
            total = total + value
            n += 1
            mean = total / n

    def f(x):
        g = average()
        next(g)
        mean = x.sum()
        for row in x:
            mean = g.send(row)
        g.close()
        return mean

    return f, signed(torch, [1.0, 2.0, -3.0], [-1.0, 2.0], [4.0], [])


@program("yield from two generators")
def _(torch: Any) -> Made:
    def halves(x):
        n = x.shape[0] // 2
        yield from x[:n]
        yield from (v * 10 for v in x[n:])

    def f(x):
        out = x.new_zeros(())
        for k, v in enumerate(halves(x)):
            out = out + v * k
        return out

    return f, signed(torch, [1.0, 2.0, -3.0], [-1.0, 2.0, 5.0, 1.0], [4.0], [])


@program("return in a try, with a finally that counts")
def _(torch: Any) -> Made:
    def f(x):
        log = []

        def step(y):
            try:
                if y.sum() > 5:
                    return y * 2
                return y + 1
            finally:
                log.append(len(log))

        for _ in range(3):
            x = step(x)
        return x, log

    return f, signed(torch, [1.0, 2.0, 3.0], [-1.0, -1.0], [4.0], [])


@program("an exception of the program's own, caught outside of the branch")
def _(torch: Any) -> Made:
    class Overflow(Exception):
        pass

    def checked(y):
        if y.abs().max() > 3:
            raise Overflow
        return y * 2

    def f(x):
        try:
            return checked(x)
        except Overflow:
            return x.clamp(-3, 3)

    return f, signed(torch, [1.0, 2.0, 3.0], [-9.0, -1.0], [4.0])


@program("StopIteration and a default of next()")
def _(torch: Any) -> Made:
    def f(x):
        parts = iter(x.split(2))
        first = next(parts, None)
        second = next(parts, None)
        rest = sum(p.sum() for p in parts)
        return first, (first.sum() if second is None else second) + rest

    return f, signed(torch, [1.0, 2.0, 3.0], [-9.0, -1.0], [1.0, 2.0, 3.0, 4.0, 5.0], [4.0])


@program("early return from nested loops")
def _(torch: Any) -> Made:
    def f(x):
        for i in range(x.shape[0]):
            for j in range(i):
                if x[i] + x[j] == 0:
                    return x * 0 + i * 10 + j
        return x - 1

    return f, signed(torch, [1.0, 2.0, -1.0], [3.0, 1.0, 3.0, -3.0], [4.0], [])


@program("for and else over candidates")
def _(torch: Any) -> Made:
    def f(x):
        for k in (8, 4, 2):
            if x.shape[0] % k == 0 and x.sum() > k:
                out = x.reshape(k, -1).sum(1)
                break
        else:
            k, out = 1, x * 2
        return out, k

    return f, signed(torch, [1.0, 2.0, 3.0, 4.0], [-9.0, -1.0], [4.0], [5.0, 1.0], [])


@program("a walrus in a while loop")
def _(torch: Any) -> Made:
    def f(x):
        steps = 0
        while (norm := x.abs().sum()) > 1 and steps < 20:
            x = x / 2 if norm > 4 else x - x.sign() * 0.25
            steps += 1
        return x, norm, steps

    return f, signed(torch, [1.0, 2.0, -3.0], [-0.1, 0.2], [40.0], [])


@program("a context manager of the program's own")
def _(torch: Any) -> Made:
    class Scaled:
        def __init__(self, k):
            self.k, self.depth = k, 0

        def __enter__(self):
            self.depth += 1
            return self

        def __exit__(self, *exc):
            self.depth -= 1
            return False

        def __call__(self, y):
            return y * self.k**self.depth

    def f(x):
        scaled = Scaled(2.0)
        with scaled as s:
            y = s(x)
            if x.sum() > 0:
                with s:
                    y = y + s(x)
        return y + scaled(x)

    return f, signed(torch, [1.0, 2.0, 3.0], [-9.0, -1.0], [4.0], [])


@program("contextmanager that sets an attribute and puts it back")
def _(torch: Any) -> Made:
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.factor = 1.0

        @contextlib.contextmanager
        def using(self, factor):
            before, self.factor = self.factor, factor
            try:
                yield
            finally:
                self.factor = before

        def scaled(self, x):
            return x * self.factor

        def forward(self, x):
            with self.using(3.0 if x.shape[0] > 1 else 0.5):
                y = self.scaled(x)
            return y + self.scaled(x)

    return Net(), signed(torch, [1.0, 2.0, 3.0], [-9.0, -1.0], [4.0], [])


class Mode(enum.Enum):
    SUM = "sum"
    MEAN = "mean"
    NONE = "none"


@program("match on an enum and on a tuple")
def _(torch: Any) -> Made:
    def f(x):
        mode = Mode.SUM if x.dim() == 1 and x.shape[0] > 2 else Mode.MEAN if x.shape[0] else Mode("none")
        match mode, x.shape[0]:
            case Mode.SUM, n if n % 2:
                return x.sum() * n
            case (Mode.SUM | Mode.MEAN), n:
                return x.sum() / n
            case _:
                return x

    return f, signed(torch, [1.0, 2.0, 3.0], [-9.0, -1.0], [1.0, 2.0, 3.0, 4.0], [])


@program("truth of values in arithmetic")
def _(torch: Any) -> Made:
    def f(x):
        k = (x.sum() > 0) * 2 + bool(x.shape[0] > 1) + int((x > 1).any())
        return x * k, x.new_ones(2 + int(x.shape[0] == 0)) * k

    return f, signed(torch, [1.0, 2.0, 3.0], [-9.0, -1.0], [1.0], [])


@program("a loop that changes the list that it runs over")
def _(torch: Any) -> Made:
    def f(x):
        todo, done = [x], []
        while todo:
            part = todo.pop()
            if part.shape[0] > 2:
                todo.extend(part.chunk(2))
            else:
                done.append(part.sum())
        return torch.stack(done)

    return f, signed(torch, [1.0, 2.0, 3.0], [-9.0, -1.0], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [])


@program("functions made in a loop, with defaults")
def _(torch: Any) -> Made:
    def f(x):
        steps = []
        for k in range(3):
            steps.append(lambda y, k=k: y * k if y.sum() > k else y + k)
        for step in reversed(steps):
            x = step(x)
        return x

    return f, signed(torch, [1.0, 2.0, 3.0], [-9.0, -1.0], [1.0], [])
