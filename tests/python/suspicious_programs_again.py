"""More programs for test_suspicious_programs.py, as in suspicious_programs.py."""

from __future__ import annotations

import contextlib
import functools
from typing import Any

import monograph as torch
import monograph.nn as nn
from suspicious_programs import FOUR, ROWS, T, program


@program(ROWS)
def contiguous_may_be_the_tensor_itself():
    def f(x):
        y = x.t().contiguous()
        y.add_(1)
        return x, y

    return f


@program(ROWS)
def reshape_may_be_a_copy():
    def f(x):
        y = x.t().reshape(-1)
        y.mul_(2)
        z = x.reshape(-1)
        z.sub_(1)
        return x, y

    return f


@program(FOUR)
def conversions_that_change_nothing():
    def f(x):
        a, b = x.float(), x.to(torch.float32)
        c = x.flatten() if x.sum() > 0 else torch.atleast_1d(x)
        a += 1
        c *= 2
        return x, b

    return f


@program(FOUR)
def overlapping_copies():
    def f(x):
        y = x.clone()
        y[1:] = y[:-1].clone()
        n = y.shape[0] // 2
        y[::2][:n] += y[1::2]
        return y

    return f


@program(FOUR)
def the_last_k_with_k_zero():
    def f(x):
        k = int((x > 2).sum())
        return x[-k:] * 2, x[:-k] if k else x, x[:k], x[k : k + 5].sum()

    return f


@program(FOUR)
def aliases_that_a_branch_makes():
    def f(x):
        a = [x, x + 1]
        b = a if x.sum() > 0 else a[:]
        b.append(x * 3)
        return len(a), sum(a), torch.stack(b).sum()

    return f


@program(FOUR)
def deletes_and_inserts():
    def f(x):
        rows = list(x.unbind())
        for k in reversed(range(len(rows))):
            if rows[k] < 0:
                del rows[k]
            elif rows[k] > 3:
                rows.insert(0, rows[k] * 10)
        return torch.stack(rows) if rows else x.new_full((1,), -1.0)

    return f


@program(FOUR)
def a_set_of_numbers():
    def f(x):
        seen = set()
        for v in x.tolist():
            seen.add(int(v) % 3)
        return x * len(seen) + (2 in seen)

    return f


@program(FOUR)
def finally_overrides_the_return():
    def g(x, log):
        try:
            if x.sum() > 0:
                return x * 2
            log.append("low")
        finally:
            log.append("end")
        return x - len(log)

    def f(x):
        log: list[str] = []
        return g(x, log), len(log), ",".join(log)

    return f


@program(FOUR)
def suppresses_an_error():
    def f(x):
        y = x
        with contextlib.suppress(ZeroDivisionError):
            y = x * (1 / int(x.sum().item()))
            y = y + 1
        return y

    return f


@program(FOUR)
def compares_objects():
    @functools.total_ordering
    class Row:
        def __init__(self, v):
            self.v = v

        def __eq__(self, other):
            return bool(self.v == other.v)

        def __lt__(self, other):
            return bool(self.v < other.v)

        __hash__ = None  # type: ignore[assignment]

    def f(x):
        rows = [Row(v) for v in x]
        if not rows:
            return x
        return max(rows).v - min(rows).v, (rows[0] >= rows[-1])

    return f


@program(FOUR)
def yields_from_and_closes():
    def inner(x, log):
        try:
            for v in x:
                yield v + 0
        finally:
            log.append(1)

    def f(x):
        log: list[int] = []

        def outer():
            yield from inner(x, log)
            yield x.sum()

        g, total = outer(), x.sum() * 0
        for v in g:
            if v > 3:
                break
            total = total + v
        g.close()
        return total, len(log)

    return f


@program(FOUR)
def kinds_of_numbers():
    def f(x):
        if x.numel() == 0:
            return x
        v, n = x.max().item(), int(x.max().item())
        return x.long() * n, x.long() * v, (x * True), isinstance(v, float), isinstance(n, float), (n << 1) | 1, pow(abs(n), 2, 7), round(v), -n // 2, -n % 3

    return f


@program(FOUR)
def keys_from_values():
    def f(x):
        d: dict[str, Any] = {}
        for v in x:
            key = f"k{int(v) % 2}"
            d[key] = d.get(key, 0) + v
        return {k: d[k] for k in sorted(d)}

    return f


@program(ROWS)
def writes_by_index_in_a_loop():
    def f(x):
        y = x.clone()
        for k in range(x.shape[0]):
            if x.shape[1] and x[k].max() > 2:
                y[k, x[k].argmax()] = -1
                y[k][y[k] == 1] = 7
        return y

    return f


@program(FOUR)
def a_list_of_layers_by_index():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)])
            for k, layer in enumerate(self.layers):
                nn.init.constant_(layer.weight, k + 1.0)
                nn.init.constant_(layer.bias, 0.5)

        def forward(self, x):
            k = int(x.sum().abs().item()) % 3
            y = self.layers[k](x[:, None])
            for layer in self.layers:
                if y.sum() > 20:
                    break
                y = layer(y)
            return y.detach()

    return Net()


@program(FOUR)
def memo_by_value():
    def f(x):
        memo: dict[int, Any] = {}

        def fib(n):
            if n < 2:
                return n
            if n not in memo:
                memo[n] = fib(n - 1) + fib(n - 2)
            return memo[n]

        return x + fib(int(x.abs().sum().item())), len(memo)

    return f


@program(FOUR)
def a_heap_and_a_bisect():
    import bisect
    import heapq

    def f(x):
        heap: list[Any] = []
        for k, v in enumerate(x):
            heapq.heappush(heap, (v.item(), k))
        order = [heapq.heappop(heap)[1] for _ in range(len(heap))]
        where = bisect.bisect_left(sorted(x.tolist()), 1.0)
        return torch.tensor(order), where

    return f


@program(FOUR)
def chained_errors():
    def f(x):
        try:
            try:
                if x.sum() > 5:
                    raise KeyError("big")
                y = x * 2
            except KeyError as e:
                raise ValueError("outer") from e
        except ValueError as e:
            y = x + (1 if isinstance(e.__cause__, KeyError) else 2)
        return y

    return f


@program(FOUR)
def two_breaks_and_a_continue():
    def f(x):
        total, k = x.sum() * 0, 0
        while True:
            if k >= x.shape[0]:
                break
            k += 1
            if x[k - 1] < 0:
                continue
            total = total + x[k - 1]
            if total > 4:
                break
        return total, k

    return f


@program(FOUR)
def augmented_assignment_writes():
    def f(x):
        acc = x
        parts = (acc, [acc])
        if x.sum() > 0:
            acc += 1
        else:
            acc = acc + 1
        acc *= 2
        return x, acc, parts[1][0]

    return f


@program(FOUR)
def detached_and_data():
    def f(x):
        d = x.detach()
        d += 1
        if d.sum() > 3:
            x.data.mul_(2)
        return x, d

    return f


@program(FOUR)
def an_out_argument():
    def f(x):
        buf = torch.empty(x.shape[0])
        r = torch.add(x, 1, out=buf)
        buf[:1] = 9
        return r, r is buf

    return f


@program(ROWS)
def splits_by_sizes_of_values():
    def f(x):
        n = int((x > 0).sum()) % (x.shape[0] + 1)
        a, b = x.split([n, x.shape[0] - n])
        a.add_(1)
        return a.sum(), b, x

    return f


@program(FOUR)
def next_with_a_default():
    def f(x):
        first = next((v for v in x if v > 1), None)
        k = next((i for i, v in enumerate(x) if v < 0), -1)
        return (x if first is None else x * first), k

    return f


@program(FOUR)
def an_enum_by_value():
    import enum

    class Kind(enum.Enum):
        LOW = 1
        HIGH = 2

    def kind(v):
        return Kind.HIGH if v > 2 else Kind.LOW

    def f(x):
        ks = [kind(v) for v in x]
        n = sum(k is Kind.HIGH for k in ks)
        return x * n + (ks[0].value if ks else 0)

    return f


@program(FOUR)
def compares_tuples():
    def f(x):
        a = (x.sum().item() > 0, x.shape[0])
        b = (True, 2)
        return x * (1 if a < b else 2 if a == b else 3), max(a, b)[1]

    return f


@program(ROWS)
def asks_for_strides():
    def f(x):
        y = x.t()
        return (y * 2 if y.is_contiguous() else y + 1), y.stride() == (1, x.shape[1]), x.size(-1)

    return f


@program(FOUR)
def a_global_list_of_results():
    log: list[Any] = []

    def f(x):
        log.append(x.sum())
        return x + log[-1] * len(log)

    return f


@program(FOUR)
def a_buffer_that_is_replaced():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("last", torch.zeros(1))

        def forward(self, x):
            y = x + self.last.sum()
            self.last = x[:1] * 2
            return y

    return Net()


@program(FOUR)
def a_step_in_a_buffer_decides():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("step", torch.zeros((), dtype=torch.long))

        def forward(self, x):
            self.step.add_(1)
            if self.step % 2 == 0:
                return x * 10
            if self.step > 4:
                return x - 100
            return x + self.step

    return Net()


@program(FOUR)
def a_parameter_grows_under_no_grad():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(1), requires_grad=False)

        def forward(self, x):
            if x.sum() > 0:
                self.w.mul_(2)
            else:
                self.w -= 0.5
            return x * self.w

    return Net()


@program(FOUR)
def one_row_loops():
    def f(x):
        out = []
        for k, (a, b) in enumerate(zip(x, x.flip(0), strict=True), start=1):
            out.append(a * k - b)
        return torch.stack(out[::-1]) if out else x, len(out)

    return f


@program(ROWS)
def sums_of_python_lists():
    def f(x):
        rows = x.tolist()
        flat = [v for row in rows for v in row if v > 0]
        return x + sum(flat), (max(flat, default=-1.0), len(rows))

    return f


@program([(T([1, 2, 3]),), (T([0]),), (T([5, -5]),), (torch.zeros(0, dtype=torch.long),)])
def integers_stay_integers():
    def f(x):
        s = x.sum().item()
        y = x / 2 if s > 3 else x // 2
        return y, x * 1.0 if s else x, s // 2, s / 2, x.float().mean() if len(x) else 0

    return f


@program([(T(2.0), T(3.0)), (T(-2.0), T(3.0)), (T(0.0), T(0.0)), (T(5.0), T(-1.0))])
def scalars_with_and_or_not():
    def f(a, b):
        c = a and b
        d = a or b
        e = not a
        return c * 2, d + 1, e, (a > 0) & (b > 0), a if not (a > b) else b

    return f
