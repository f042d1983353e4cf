"""Small programs with what goes wrong in captures: aliases, writes through views, early returns, exceptions, generators, closures, numbers out of item(), sizes 0 and
1, state between calls. Each gives a new program and its inputs; the inputs take other branches than the first one."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import monograph as torch
import monograph.nn as nn

PROGRAMS: dict[str, Callable[[], tuple[Any, list[tuple[Any, ...]]]]] = {}
T = torch.tensor
FOUR = [(T([1.0, 2.0, 3.0]),), (T([-9.0, -1.0]),), (T([4.0]),), (torch.zeros(0),), (T([0.5, -0.25, 3.0, 8.0]),)]
ROWS = [(T([[1.0, 2.0], [3.0, -4.0]]),), (T([[-1.0, -2.0], [0.5, 1.0], [9.0, 9.0]]),), (T([[5.0]]),), (torch.zeros(0, 2),), (torch.zeros(2, 0),)]


def program(inputs: Any) -> Callable[[Any], Any]:
    def add(make: Any) -> Any:
        PROGRAMS[make.__name__] = lambda: (make(), [tuple(x.clone() if isinstance(x, torch.Tensor) else x for x in args) for args in inputs])
        return make

    return add


# Branches and loops on values ---------------------------------------------------------------------------------------------------------------


@program(FOUR)
def early_returns_from_nested_loops():
    def f(x):
        for i in range(x.shape[0]):
            for j in range(i, x.shape[0]):
                if x[i] + x[j] > 5:
                    return x * (10 * i + j)
        return x - 1

    return f


@program(FOUR)
def while_with_break_and_else():
    def f(x):
        n, total = 0, x.sum()
        while total > 1:
            total = total / 3
            n += 1
            if n == 2:
                break
        else:
            n = n + 100
        return x * n, total

    return f


@program(FOUR)
def item_arithmetic():
    def f(x):
        if x.numel() == 0:
            return x
        a, b = x.max().item(), x.min().item()
        k = int(a) % 3 if a > 0 else int(-a) // 2
        return x * k + round(b, 1) + math.floor(a) - divmod(a, 2)[0]

    return f


@program(FOUR)
def a_loop_over_digits_of_a_number():
    def f(x):
        n = int(x.abs().sum().item())
        digits = []
        while n:
            n, d = divmod(n, 10)
            digits.append(d)
        return x + len(digits) * sum(digits)

    return f


@program(FOUR)
def a_generator_with_state():
    def parts(x):
        seen = 0
        for v in x:
            seen += 1
            if v < 0:
                yield -v, seen
            elif v > 2:
                yield v, -seen

    def f(x):
        out = x.new_zeros(1)
        for v, k in parts(x):
            out = out * 2 + v * k
        return out

    return f


@program(FOUR)
def a_generator_that_is_sent_values():
    def running():
        total = 0
        while True:
            v = yield total
            if v is None:
                return
            total = total + v

    def f(x):
        g = running()
        next(g)
        last = x.sum() * 0
        for v in x.unbind():
            last = g.send(v if v > 0 else v * 0)
        return last

    return f


@program(FOUR)
def raises_and_catches_its_own_error():
    class TooLow(ValueError):
        pass

    def check(x):
        if x.sum() < 0:
            raise TooLow("low")
        return x * 2

    def f(x):
        try:
            y = check(x)
        except TooLow as e:
            y = x - len(str(e))
        finally:
            x = x + 1
        return y + x

    return f


@program(FOUR)
def raises_out():
    def f(x):
        if x.numel() and x.max() > 3.5:
            raise ValueError(f"too high in {x.shape[0]}")
        assert x.numel() < 3 or x[0] > 0, "first"
        return x.sqrt().nan_to_num()

    return f


@program(FOUR)
def a_nonlocal_counter():
    def f(x):
        hits = 0

        def visit(v):
            nonlocal hits
            if v > 1:
                hits += 1
                return v * hits
            return v

        return torch.stack([visit(v) for v in x] or [x.sum()]), hits

    return f


@program(FOUR)
def sorts_with_a_key():
    def f(x):
        rows = sorted(x.unbind(), key=lambda v: abs(v.item() - 1))
        return torch.stack(rows) if rows else x

    return f


@program(FOUR)
def any_all_of_generators():
    def f(x):
        if any(v > 2.5 for v in x) and not all(v > 0 for v in x):
            return x * 3
        return x + sum(1 for v in x if v < 0)

    return f


@program(FOUR)
def a_default_dict_by_sign():
    def f(x):
        groups = collections.defaultdict(list)
        for v in x:
            groups["pos" if v > 0 else "neg"].append(v)
        return {k: torch.stack(v).sum() for k, v in sorted(groups.items())}, len(groups)

    return f


@program(FOUR)
def counts_by_value():
    def f(x):
        c = collections.Counter(int(v) for v in x.round().tolist())
        k, n = c.most_common(1)[0] if c else (0, 0)
        return x * k + n

    return f


@program(FOUR)
def chained_comparison_and_or():
    def f(x):
        s = x.sum()
        y = (s > 0 and x * 2) if 0 < s < 10 else (x.numel() and x - 1)
        return y if not isinstance(y, (bool, int)) else x + y

    return f


@program(FOUR)
def match_on_shape_and_value():
    def f(x):
        match (x.shape[0], bool(x.sum() > 0)):
            case (0, _):
                return x + 7
            case (1, True):
                return x * 11
            case (n, False) if n > 1:
                return x * n
            case _:
                return -x

    return f


@program(FOUR)
def try_an_index():
    def f(x):
        try:
            y = x[2]
        except IndexError:
            y = x.sum()
        return x * y

    return f


# Writes through views and aliases -----------------------------------------------------------------------------------------------------------


@program(ROWS)
def writes_through_a_chain_of_views():
    def f(x):
        v = x.t()
        w = v[:1]
        w.mul_(2)
        if w.sum() > 0:
            v[-1:] += 1
        x.view(-1)[:1] = 5
        return v.clone(), w

    return f


@program(ROWS)
def swaps_halves_in_place():
    def f(x):
        n = x.shape[0] // 2
        a, b = x[:n], x[x.shape[0] - n :]
        t = a.clone()
        a.copy_(b)
        b.copy_(t)
        return x

    return f


@program([(*a, *a) for a in ROWS] + [(T([[1.0], [2.0]]), T([[-1.0], [2.0]]))])
def two_names_of_one_tensor():
    def f(x, y):
        x.add_(1)
        z = y * 2
        if z.sum() > 4:
            y = x
        y.mul_(3)
        return x + z, y

    return f


@program(ROWS)
def a_view_survives_a_branch():
    def f(x):
        first = x[:1]
        if first.sum() > 0:
            x = x * 2
        else:
            x.neg_()
        first.add_(10)
        return x, first

    return f


@program(ROWS)
def a_list_of_views_is_written():
    def f(x):
        rows = list(x)
        for k, r in enumerate(rows):
            if r.sum() > 0:
                r.fill_(k)
        return x, len(rows)

    return f


@program(ROWS)
def a_diagonal_and_a_mask():
    def f(x):
        y = x.clone()
        y.diagonal().zero_()
        y[y < 0] = 0.5
        y[..., -1:] *= 2
        return y, x

    return f


@program(ROWS)
def an_accumulator_in_rows():
    def f(x):
        out = torch.zeros(x.shape[0] + 1, x.shape[1])
        for i, row in enumerate(x):
            out[i + 1] = out[i] + row
            if out[i + 1].max() > 6:
                break
        return out

    return f


@program(FOUR)
def an_alias_in_a_container():
    def f(x):
        box = {"a": x, "b": [x]}
        box["a"] = box["a"] + 1 if x.sum() > 0 else box["a"]
        box["a"].mul_(2)
        return box["b"][0], box["a"], box["a"] is x

    return f


@program(FOUR)
def writes_what_it_reads_in_a_loop():
    def f(x):
        y = x.clone()
        for k in range(1, y.shape[0]):
            y[k] = y[k - 1] * 0.5 + y[k]
        return y

    return f


@program(FOUR)
def the_input_is_the_result():
    def f(x):
        return x if x.sum() > 0 else x.relu_()

    return f


@program(FOUR)
def an_expanded_view():
    def f(x):
        y = x[:1].expand(3) if x.shape[0] else x
        z = y + 1
        x += 1
        return y * z if y.shape[0] else z

    return f


# State between calls ------------------------------------------------------------------------------------------------------------------------


@program(FOUR)
def a_cached_first_value():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.cache = None

        def forward(self, x):
            if self.cache is None:
                self.cache = x.sum() * 2
            return x + self.cache

    return Net()


@program(FOUR)
def a_moving_average_in_an_attribute():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.mean = 0.0

        def forward(self, x):
            self.mean = 0.5 * self.mean + 0.5 * float(x.sum())
            return x - self.mean

    return Net()


@program(FOUR)
def a_moving_average_in_a_buffer():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(()))
            self.register_buffer("steps", torch.zeros((), dtype=torch.long))

        def forward(self, x):
            self.steps += 1
            if x.numel() > 1:
                self.mean.mul_(0.5).add_(x.mean(), alpha=0.5)
            else:
                self.mean = self.mean * 0.9
            return x - self.mean / self.steps

    return Net()


@program(FOUR)
def an_average_of_weights():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(1, 1, bias=False)
            nn.init.constant_(self.fc.weight, 2.0)
            self.register_buffer("shadow", torch.zeros(1, 1))

        def forward(self, x):
            with torch.no_grad():
                self.shadow.lerp_(self.fc.weight, 0.25)
            return (self.fc if x.sum() > 0 else lambda v: v @ self.shadow)(x[:, None])

    return Net()


@program(FOUR)
def history_in_a_deque():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = collections.deque(maxlen=2)

        def forward(self, x):
            self.last.append(x.sum())
            return x + sum(self.last)

    return Net()


@program(FOUR)
def a_counter_in_a_closure():
    calls = 0

    def f(x):
        nonlocal calls
        calls += 1
        return x * calls if x.sum() > 0 else x

    return f


@program(FOUR)
def a_mutable_default():
    def f(x, seen=[]):  # noqa: B006
        seen.append(1)
        return x + len(seen)

    return f


@program(FOUR)
def a_class_attribute_counts():
    class Counter:
        n = 0

    def f(x):
        Counter.n += 1
        return x + Counter.n

    return f


@program(FOUR)
def memo_by_size():
    table: dict[int, Any] = {}

    def f(x):
        n = x.shape[0]
        if n not in table:
            table[n] = torch.arange(n) * (len(table) + 1)
        return x + table[n]

    return f


@program(FOUR)
def a_dataclass_that_changes():
    @dataclasses.dataclass
    class State:
        total: Any = 0.0
        count: int = 0
        best: Any = None

        def push(self, v):
            self.total = self.total + v
            self.count += 1
            if self.best is None or v > self.best:
                self.best = v

    def f(x):
        s = State()
        for v in x:
            s.push(v)
        return (x / max(s.count, 1) + s.total, s.best) if s.best is not None else (x, s.count)

    return f


@program(FOUR)
def slots_and_properties():
    class Box:
        __slots__ = ("_v", "writes")

        def __init__(self, v):
            self._v, self.writes = v, 0

        @property
        def v(self):
            return self._v * (1 + self.writes)

        @v.setter
        def v(self, new):
            self.writes += 1
            self._v = new

    def f(x):
        b = Box(x)
        if x.sum() > 0:
            b.v = x + 1
        b.v += 2
        return b.v, b.writes

    return f


@program(FOUR)
def a_context_manager_that_restores():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = 1.0

        @contextlib.contextmanager
        def scaled(self, by):
            old, self.scale = self.scale, by
            try:
                yield self
            finally:
                self.scale = old

        def forward(self, x):
            with self.scaled(3.0 if x.sum() > 0 else 0.5) as me:
                y = x * me.scale
            return y + self.scale

    return Net()


# Sizes 0 and 1, shapes ----------------------------------------------------------------------------------------------------------------------


@program(ROWS)
def squeezes_by_size():
    def f(x):
        y = x.squeeze(0) if x.shape[0] == 1 else x
        y = y.unsqueeze(-1) if y.dim() == 1 else y
        return y.expand(*y.shape[:-1], max(y.shape[-1], 1)) if y.shape[-1] == 1 else y

    return f


@program(ROWS)
def broadcasts_with_size_one():
    def f(x):
        return x + x[:1] * x[:, :1], x.shape[0] == x.shape[1]

    return f


@program(ROWS)
def a_mean_of_nothing():
    def f(x):
        n = x.numel()
        return x.sum() / n if n else torch.full((), -1.0), x.shape, (x > 0).sum().item() / max(n, 1)

    return f


@program(ROWS)
def pads_to_a_multiple():
    def f(x):
        rest = -x.shape[0] % 4
        y = torch.cat([x, x.new_zeros(rest, x.shape[1])]) if rest else x
        return y.reshape(-1, 4, x.shape[1]).sum(1)

    return f


@program(ROWS)
def chunks_by_number():
    def f(x):
        k = min(2, max(1, x.shape[0]))
        parts = x.chunk(k)
        return [p.sum() * len(parts) for p in parts], parts[-1].shape[0]

    return f


@program(FOUR)
def windows():
    def f(x):
        out = [x[i : i + 2].sum() for i in range(0, x.shape[0], 2)]
        return torch.stack(out) if out else x.sum(), [o.item() > 2 for o in out]

    return f


@program(FOUR)
def nonzero_and_where():
    def f(x):
        i = (x > 0).nonzero().squeeze(1)
        if len(i) == 0:
            return x
        y = torch.zeros(int(i.max()) + 1)
        y[i] = x[i]
        return y.repeat(len(i))

    return f


@program(FOUR)
def itertools_over_rows():
    def f(x):
        pairs = itertools.pairwise(x)
        total = sum(((a - b).abs() for a, b in pairs), x.sum() * 0)
        return total, torch.stack([*itertools.accumulate(x)] or [total])

    return f


@program(ROWS)
def a_named_tuple_of_stats():
    class Stats(NamedTuple):
        mean: Any
        size: int
        rows: list

    def f(x):
        s = Stats(x.mean() if x.numel() else x.sum(), x.shape[0], [r for r in x if r.sum() > 0])
        return s._replace(size=len(s.rows)) if s.rows else s

    return f


@program(ROWS)
def an_ordered_dict_and_a_size():
    def f(x):
        out = collections.OrderedDict()
        out["b"] = x.shape
        out["a"] = x * 2
        if x.sum() > 0:
            out.move_to_end("b")
        return out

    return f


# Modes, hooks, gradients, functions ------------------------------------------------------------------------------------------------------------


@program(FOUR)
def its_own_training_flag():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.drop = nn.Dropout(1.0)

        def forward(self, x):
            y = self.drop(x)
            return y + 1 if self.training else y * 2

    return Net().eval()


@program(ROWS)
def a_norm_with_running_values():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm = nn.BatchNorm1d(2)

        def forward(self, x):
            return self.norm(x) if x.shape[0] > 1 and x.shape[1] == 2 else x

    return Net()


@program(FOUR)
def without_gradients_in_a_branch():
    w = torch.ones(1, requires_grad=True)

    def f(x):
        with torch.set_grad_enabled(bool(x.sum() > 0)):
            y = x * w
        return y, y.requires_grad

    return f


@program(FOUR)
def a_partial_and_a_reduce():
    def step(k, acc, v):
        return acc * k + v if v > 0 else acc

    def f(x):
        return functools.reduce(functools.partial(step, 2), x, x.sum() * 0)

    return f


@program(FOUR)
def lambdas_that_bind_late():
    def f(x):
        fs = [lambda v: v * k for k in range(3)]  # noqa: B023
        k = 7  # noqa: F841
        return sum(g(x) for g in fs) + (fs[0](x) if x.sum() > 0 else 0)

    return f


@program(FOUR)
def recursion_by_halves():
    def total(x):
        n = x.shape[0]
        if n <= 1:
            return x.sum()
        a, b = total(x[: n // 2]), total(x[n // 2 :])
        return a - b if a > b else a + b

    return total


@program(FOUR)
def text_of_a_value():
    def f(x):
        name = f"{x.sum().item():.1f}" if x.numel() < 3 else str(x.shape[0])
        return x * len(name) + ("-" in name)

    return f


@program(FOUR)
def star_unpacking():
    def f(x):
        first, *rest = [*x, x.sum()]
        return first + len(rest) if first > 0 else sum(rest, first)

    return f


@program(FOUR)
def a_walrus_and_a_deleted_name():
    def f(x):
        if (n := x.shape[0]) > 1 and (m := x.max()) > 2:
            y = m * n
        else:
            y = x.sum()
            del n
        return x + y

    return f


@program([(T(3),), (T(0),), (T(-2),), (T(7),)])
def range_of_an_item():
    def f(n):
        out = []
        for k in range(n.item()):
            if k == 5:
                break
            out.append(k * k)
        return torch.tensor(out), len(out)

    return f


@program([(T([True, False]), T([1.0, 2.0])), (T([False, False]), T([1.0, 2.0])), (T([True]), T([5.0])), (torch.zeros(0, dtype=torch.bool), torch.zeros(0))])
def a_mask_that_may_be_empty():
    def f(mask, x):
        if mask.any():
            y = x[mask]
            y += y.mean()
            x[mask] = y
        return x, int(mask.sum())

    return f
